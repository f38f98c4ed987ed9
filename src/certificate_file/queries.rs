//! Invariants as SMT-LIB queries, each of which is unsatisfiable.
//!
//! They are written from the terms of the system that the language defines and share nothing with the way
//! in which our own solver sees it. That variables stay in their ranges is not assumed: it is proved as a
//! part of the invariant.

use super::part::conjuncts;
use super::target::{Target, targets_of};
use super::{legend, tool};
use crate::check::certificate::Certificate;
use crate::claim::Invariant;
use crate::model::Model;
use crate::property::reduction::Reduction;
use crate::ts::shared::Shared;
use crate::ts::smtlib::symbols::{Kind, Symbols};
use crate::ts::smtlib::write::{Vocabulary, Writer, application, between, in_domain, lines, sort_name};
use crate::ts::system::{EVENT, System};
use crate::ts::term::{InputId, Leaf, Node, Term, VarId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A question for a solver, which it should answer with `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The number of the conjunct, from 1, and what is asked: `1-initial`.
    pub name: String,
    /// An SMT-LIB script.
    pub text: String,
}

/// The queries of a proof of a spec; `file` is how the model is called.
pub fn queries(model: &Model, file: &str, spec: usize, certificate: &Certificate) -> Vec<Query> {
    let targets = targets_of(model, spec, certificate);
    let mut queries = Vec::new();
    for (index, (target, part)) in targets.iter().zip(certificate.parts()).enumerate() {
        let invariant = part.proof.invariant();
        let question = Question { target, invariant, clauses: conjuncts(target, invariant) };
        let heading = heading(model, file, spec, index + 1, target);
        let mut add = |name: &str, text: String| {
            queries
                .push(Query { name: format!("{}-{name}", index + 1), text: format!("{heading}{text}(check-sat)\n") });
        };
        add("initial", question.initial());
        add("inductive", question.inductive());
        add("safe", question.safe());
    }
    queries
}

/// Which proof the query belongs to, in comments.
fn heading(model: &Model, file: &str, spec: usize, number: usize, target: &Target) -> String {
    let name = model.specs[spec].name.as_deref().unwrap_or_default();
    let mut lines = vec![
        format!("{}: proof of spec {} {name} of {file}", tool(), spec + 1),
        format!("conjunct {number}: {}", model.show_formula(&target.formula)),
        match target.reached.reduction {
            Reduction::Safety => "safety: a state is bad if the negation of the conjunct was seen there".to_owned(),
            Reduction::Counting(0) => {
                "liveness: a state is bad if the acceptance of the negation of the conjunct is seen there".to_owned()
            }
            Reduction::Counting(times) => format!(
                "liveness: a state is bad if the acceptance of the negation of the conjunct was seen {} times",
                times + 1
            ),
        },
    ];
    lines.extend(legend::legend(target).into_iter().map(|(name, meaning)| format!("{name}: {meaning}")));
    lines.iter().map(|line| format!("; {}\n", line.split_whitespace().collect::<Vec<_>>().join(" "))).collect()
}

struct Question<'a> {
    target: &'a Target,
    invariant: &'a Invariant,
    clauses: Vec<Term>,
}

impl<'a> Question<'a> {
    fn system(&self) -> &'a System {
        &self.target.reached.system
    }

    /// Is there a run on which the invariant is violated in one of the first k states?
    fn initial(&self) -> String {
        let (k, init) = (self.invariant.k, self.system().init());
        let mut script = Script::new(
            self,
            &match k {
                1 => "Is there an initial state that violates the invariant?".to_owned(),
                _ => format!("Is the invariant violated within the first {k} states of a run?"),
            },
        );
        let roots = |frame| [if frame == 0 { init } else { &[] }, &self.clauses].concat();
        let frames: Vec<Frame> = (0..k).map(|frame| script.frame(frame, &roots(frame), frame + 1 < k)).collect();
        let initial: Vec<String> = init.iter().map(|&term| frames[0].writer().term(term)).collect();
        script.assert_all("state 0 is an initial state", &[script.domains(&frames[0]), initial].concat());
        (1..k).for_each(|frame| script.step(&frames[frame - 1], &frames[frame]));
        let invariant: Vec<String> = frames.iter().flat_map(|frame| script.invariant(frame)).collect();
        script.assert_not_all("the invariant is violated", &invariant);
        script.text
    }

    /// Is there a step from a state that satisfies the invariant to one that does not?
    fn inductive(&self) -> String {
        let k = self.invariant.k;
        let mut script = Script::new(
            self,
            &match k {
                1 => "Does a step lead from a state that satisfies the invariant to one that does not?".to_owned(),
                _ => format!(
                    "Do steps through {k} different states that satisfy the invariant lead to one that does not?"
                ),
            },
        );
        let clauses = &self.clauses;
        let frames: Vec<Frame> = (0..=k).map(|frame| script.frame(frame, clauses, frame < k)).collect();
        for (number, frame) in frames[..k].iter().enumerate() {
            script.assert_all(&format!("state {number} satisfies the invariant"), &script.invariant(frame));
            frames[..number].iter().for_each(|earlier| script.different(earlier, frame));
            script.step(frame, &frames[number + 1]);
        }
        script.assert_not_all(&format!("state {k} does not"), &script.invariant(&frames[k]));
        script.text
    }

    /// Is there a bad state that satisfies the invariant?
    fn safe(&self) -> String {
        let mut script = Script::new(self, "Is there a bad state that satisfies the invariant?");
        let bad = self.target.reached.bad;
        let frame = script.frame(0, &[&self.clauses[..], &[bad]].concat(), false);
        script.assert_all("the state satisfies the invariant", &script.invariant(&frame));
        script.assert_all("and is bad", &[frame.writer().term(bad)]);
        script.text
    }

    /// Guards, constraints and updates.
    fn step_terms(&self) -> Vec<Term> {
        let system = self.system();
        let guards = system.events().iter().map(|event| event.guard);
        let cases = system.var_ids().flat_map(|id| system.update(id)).flat_map(|case| [case.condition, case.value]);
        guards.chain(system.constraints().iter().copied()).chain(cases).collect()
    }

    /// The logic of everything that may occur.
    fn logic(&self) -> &'static str {
        let terms = &self.invariant.terms;
        let mut work = self.step_terms();
        work.extend(self.system().init().iter().chain(&self.clauses).chain([&self.target.reached.bad]));
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if seen.insert(term) {
                if matches!(terms.node(term), Node::Product(..)) {
                    return "QF_NIA";
                }
                terms.for_each_child(term, |child| work.push(child));
            }
        }
        "QF_LIA"
    }
}

/// A state of a query, and the step from there.
struct Frame<'a> {
    question: &'a Question<'a>,
    number: usize,
    shared: Shared,
}

impl Frame<'_> {
    fn symbols(&self) -> &Symbols {
        &self.question.target.symbols
    }

    fn writer(&self) -> Writer<'_> {
        Writer { terms: &self.question.invariant.terms, vocabulary: self, shared: &self.shared }
    }

    fn variable(&self, id: VarId) -> String {
        self.leaf(Leaf::Var(id))
    }
}

impl Vocabulary for Frame<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        format!("{}@{}", self.symbols().leaf(leaf), self.number)
    }

    fn is_flag(&self, leaf: Leaf) -> bool {
        self.symbols().is_flag(leaf)
    }

    fn value(&self, like: Option<Leaf>, value: u32) -> String {
        self.symbols().value(like, value)
    }
}

/// The text of one query.
struct Script<'a> {
    question: &'a Question<'a>,
    text: String,
}

impl<'a> Script<'a> {
    fn new(question: &'a Question<'a>, asked: &str) -> Script<'a> {
        let mut script = Script { question, text: String::new() };
        script.line(&format!("; {asked} The answer has to be `unsat`."));
        script.line("(set-info :smt-lib-version 2.6)");
        script.line(&format!("(set-logic {})", question.logic()));
        script.line("(set-info :status unsat)");
        script.comment("values");
        let symbols = &question.target.symbols;
        let mut kinds: Vec<Kind> = script.leaves().filter_map(|leaf| symbols.kind(leaf)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            for (value, name) in symbols.values(kind).iter().enumerate() {
                script.line(&format!("(define-fun {name} () Int {value})"));
            }
        }
        script
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    fn comment(&mut self, words: &str) {
        if !words.is_empty() {
            self.line(&format!("; {words}"));
        }
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> + use<'a> {
        let system = self.question.system();
        let inputs = (0..system.inputs().len() as u32).map(|input| Leaf::Input(InputId(input)));
        system.var_ids().map(Leaf::Var).chain(inputs)
    }

    /// Declares a state, and the inputs of a step from there if there is one; names what its terms share.
    fn frame(&mut self, number: usize, terms: &[Term], steps: bool) -> Frame<'a> {
        let (question, system) = (self.question, self.question.system());
        let step_terms = if steps { question.step_terms() } else { Vec::new() };
        let (arena, prefix) = (&question.invariant.terms, format!("t{number}."));
        let shared = Shared::new(arena, &[terms, &step_terms].concat(), &[], &prefix);
        let frame = Frame { question, number, shared };
        self.comment(&format!("state {number}"));
        for id in system.var_ids() {
            let sort = sort_name(system.variable(id).sort);
            self.line(&format!("(declare-fun {} () {sort})", frame.variable(id)));
        }
        if steps {
            self.comment(&format!("the choice of the step to state {}", number + 1));
            for (index, input) in system.inputs().iter().enumerate() {
                let name = frame.leaf(Leaf::Input(InputId(index as u32)));
                self.line(&format!("(declare-fun {name} () Int)"));
                self.line(&format!("(assert {})", between(&name, 0, i64::from(input.count) - 1)));
            }
        }
        for &term in frame.shared.order() {
            let (name, sort) = (frame.writer().term(term), sort_name(arena.sort(term)));
            self.line(&format!("(define-fun {name} () {sort} {})", frame.writer().definition(term)));
        }
        frame
    }

    /// That the variables are in their ranges; nothing for those that have none.
    fn domains(&self, frame: &Frame) -> Vec<String> {
        let system = self.question.system();
        let domain = |id: VarId| in_domain(&frame.variable(id), system.variable(id).sort, &system.variable(id).domain);
        system.var_ids().filter_map(domain).collect()
    }

    /// Ranges and clauses.
    fn invariant(&self, frame: &Frame) -> Vec<String> {
        let clauses = self.question.clauses.iter().map(|&clause| frame.writer().term(clause));
        self.domains(frame).into_iter().chain(clauses).collect()
    }

    fn assert_all(&mut self, what: &str, list: &[String]) {
        self.comment(what);
        list.iter().for_each(|term| self.line(&format!("(assert {term})")));
    }

    fn assert_not_all(&mut self, what: &str, list: &[String]) {
        self.comment(what);
        self.line(&format!("(assert (not {}))", lines("and", list, 2)));
    }

    /// That two states differ.
    fn different(&mut self, a: &Frame, b: &Frame) {
        let equal = |id: VarId| application("=", &[a.variable(id), b.variable(id)]);
        let list: Vec<String> = self.question.system().var_ids().map(equal).collect();
        self.assert_not_all("no state comes twice", &list);
    }

    /// That a step leads from a state to another.
    fn step(&mut self, from: &Frame, to: &Frame) {
        let (system, writer) = (self.question.system(), from.writer());
        let events = system.events().iter().zip(self.question.target.symbols.values(Kind::EVENTS));
        let possible = events.filter(|(event, _)| !writer.terms.is_false(event.guard));
        let chosen = from.leaf(Leaf::Input(EVENT));
        let possible: Vec<String> =
            possible.map(|(event, name)| format!("(and (= {chosen} {name}) {})", writer.term(event.guard))).collect();
        self.comment("a step: one event happens");
        self.line(&format!("(assert {})", lines("or", &possible, 2)));
        let constraints: Vec<String> = system.constraints().iter().map(|&term| writer.term(term)).collect();
        self.assert_all("", &constraints);
        self.comment("what it changes");
        for id in system.var_ids() {
            self.line(&format!("(assert (= {} {}))", to.variable(id), writer.next(id, system.update(id))));
        }
    }
}
