//! The systems that were read against ours: on random states and inputs, and along random runs, both
//! must agree on initial states, steps and bad states.

use super::reader::Read;
use super::script::{Scope, Value};
use crate::common::{linear, model, shipped, shipped_in_ispl, source};
use rcheck_smt::export::names::ExportNames;
use rcheck_smt::export::relations::{PartQuestion, questions};
use rcheck_smt::export::{Subject, chc, vmt};
use rcheck_smt::model::Model;
use rcheck_smt::model::Value as ModelValue;
use rcheck_smt::product::target::Reduction;
use rcheck_smt::ts::system::{Domain, EVENT, System};
use rcheck_smt::ts::term::{InputId, Leaf, Sort, VarId};
use rcheck_smt::ts::valuation::Valuation;

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// One exported part with the names in the text.
struct Sample<'a> {
    question: &'a PartQuestion,
    names: ExportNames,
    read: Read,
    random: Random,
}

impl Sample<'_> {
    fn system(&self) -> &System {
        &self.question.relations.system
    }

    /// A value of the variable's domain.
    fn value(&mut self, id: VarId) -> ModelValue {
        let (sort, domain) = (self.system().variable(id).sort, self.system().variable(id).domain.clone());
        let number = match domain {
            Domain::Bool => self.random.below(2) as i64,
            Domain::Finite(values) => values[self.random.below(values.len())],
            Domain::Range(low, high) => low.saturating_add(self.random.below(9) as i64).min(high),
            Domain::Unbounded => self.random.below(12) as i64 - 4,
        };
        match sort {
            Sort::Bool => ModelValue::Bool(number != 0),
            Sort::Int => ModelValue::int(number),
            Sort::Enum(_) => ModelValue::Enum(number as u32),
        }
    }

    fn state(&mut self) -> Vec<ModelValue> {
        let ids: Vec<VarId> = self.system().var_ids().collect();
        ids.into_iter().map(|id| self.value(id)).collect()
    }

    fn inputs(&mut self) -> Vec<u32> {
        let counts: Vec<u32> = self.system().inputs().iter().map(|input| input.count).collect();
        counts.into_iter().map(|count| self.random.below(count as usize) as u32).collect()
    }

    fn scope(&self, state: &[ModelValue]) -> Scope {
        let value = |id: &VarId| match &state[id.0 as usize] {
            ModelValue::Bool(value) => Value::Bool(*value),
            ModelValue::Int(value) => Value::Int(i128::try_from(value).expect("a small number")),
            ModelValue::Enum(value) => Value::Int(i128::from(*value)),
        };
        self.question.relations.variables.iter().map(|id| (self.names.variable(*id).to_owned(), value(id))).collect()
    }

    fn input_scope(&self, inputs: &[u32]) -> Scope {
        let value = |id: &InputId| {
            let chosen = inputs[id.0 as usize];
            let flag = *id != EVENT && self.system().inputs()[id.0 as usize].count == 2;
            if flag { Value::Bool(chosen == 1) } else { Value::Int(i128::from(chosen)) }
        };
        self.question
            .relations
            .inputs
            .iter()
            .map(|id| (self.names.leaf(Leaf::Input(*id)).to_owned(), value(id)))
            .collect()
    }

    /// Compares at one state; the state after the step, if there is one.
    fn compare(&mut self, state: &[ModelValue], inputs: &[u32]) -> Option<Vec<ModelValue>> {
        let system = &self.question.relations.system;
        let terms = system.terms();
        let mut here = Valuation::new(state.to_vec(), inputs.to_vec());
        let initial = self.question.relations.init.iter().all(|&term| here.holds(terms, term));
        let bad = here.holds(terms, self.question.relations.bad);
        let guard = system.events()[inputs[EVENT.0 as usize] as usize].guard;
        let possible = here.holds(terms, guard) && system.constraints().iter().all(|&term| here.holds(terms, term));
        let target = system.successor(&mut here);
        let scope = self.scope(state);
        assert_eq!(self.read.is_initial(&scope), initial, "initial {state:?}");
        assert_eq!(self.read.is_bad(&scope), bad, "bad {state:?}");
        let (choices, after) = (self.input_scope(inputs), self.scope(&target));
        assert_eq!(self.read.is_step(&scope, &choices, &after), possible, "step {state:?} {inputs:?}");
        let other = self.state();
        let other = self.scope(&other);
        if other != after {
            assert!(!self.read.is_step(&scope, &choices, &other), "another target of {state:?} {inputs:?}");
        }
        possible.then_some(target)
    }

    /// A random walk: the number of its steps.
    fn walk(&mut self, steps: usize) -> usize {
        let (mut state, mut taken) = (self.state(), 0);
        for _ in 0..steps {
            let inputs = self.inputs();
            match self.compare(&state, &inputs) {
                Some(target) => (state, taken) = (target, taken + 1),
                None if self.random.below(8) == 0 => state = self.state(),
                None => {}
            }
        }
        taken
    }
}

/// Compares all parts of some specs in one format; the number of steps that were possible.
fn compare(model: &Model, format: &str, counted: usize) -> usize {
    let subject = Subject { model, file: "model.rcp" };
    let mut taken = 0;
    for spec in linear(model) {
        let questions = questions(model, &model.specs[spec], counted);
        let mut text = Vec::new();
        if format == "chc" {
            chc::write(&mut text, subject, spec, &[], counted).expect("writing to memory works");
        }
        let clauses = Read::chc(&String::from_utf8(text).expect("text"));
        for (part, (question, clauses)) in questions.iter().zip(padded(clauses, questions.len())).enumerate() {
            let read = clauses.unwrap_or_else(|| {
                let mut text = Vec::new();
                vmt::write(&mut text, subject, spec, part).expect("writing to memory works");
                let read = Read::vmt(&String::from_utf8(text).expect("text"));
                let live = matches!(question.reduction, Reduction::Counting(_));
                assert_eq!(read.property, if live { "live-property" } else { "invar-property" });
                read
            });
            assert_eq!(read.variables.len(), question.relations.variables.len());
            let names = ExportNames::new(model, &question.relations.system);
            let random = Random(0x9e37_79b9_7f4a_7c15 ^ (spec * 64 + part) as u64);
            taken += Sample { question, names, read, random }.walk(40);
        }
    }
    taken
}

/// The systems of the clauses, or one `None` per part where there are no clauses.
fn padded(clauses: Vec<Read>, parts: usize) -> Vec<Option<Read>> {
    if clauses.is_empty() { (0..parts).map(|_| None).collect() } else { clauses.into_iter().map(Some).collect() }
}

/// The feature models, some with integers, and those in ISPL; large products take long to read.
fn models() -> Vec<Model> {
    let chosen = |name: &str| {
        name.starts_with("features") || ["ticket_lock.rcp", "bank.rcp", "stable_allocation.rcp"].contains(&name)
    };
    let paths = shipped().into_iter().filter(|path| chosen(&path.display().to_string())).chain(shipped_in_ispl());
    paths.map(|path| model(&source(&path))).collect()
}

#[test]
fn vmt_reads_back_as_the_system() {
    let taken: usize = models().iter().map(|model| compare(model, "vmt", 0)).sum();
    assert!(taken > 1000, "only {taken} steps");
}

#[test]
fn clauses_read_back_as_the_system() {
    let taken: usize = models().iter().map(|model| compare(model, "chc", 1)).sum();
    assert!(taken > 1000, "only {taken} steps");
}

#[test]
#[should_panic(expected = "step")]
fn an_altered_guard_is_noticed() {
    let model = model(&source("features/label_timing.rcp"));
    let questions = questions(&model, &model.specs[0], 0);
    let mut text = Vec::new();
    vmt::write(&mut text, Subject { model: &model, file: "model.rcp" }, 0, 0).expect("writing to memory works");
    let text = String::from_utf8(text).expect("text");
    let altered = text.replacen("(and (= event 0) ", "(or (= event 0) ", 1);
    assert_ne!(altered, text);
    let names = ExportNames::new(&model, &questions[0].relations.system);
    Sample { question: &questions[0], names, read: Read::vmt(&altered), random: Random(1) }.walk(200);
}
