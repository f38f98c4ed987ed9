//! SMT-LIB scripts about the states and steps of a system, written from its terms.

use crate::limits;
use crate::ts::shared::Shared;
use crate::ts::smtlib::symbols::{Symbols, ValueKind};
use crate::ts::smtlib::write::{Vocabulary, Writer, application, between, in_domain, lines, sort_name};
use crate::ts::system::{EVENT, System};
use crate::ts::term::{InputId, Leaf, Term, TermNode, Terms, VarId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A system, its terms, and what they are called.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub system: &'a System,
    /// The system's arena, or one that grew out of it.
    pub terms: &'a Terms,
    pub symbols: &'a Symbols,
}

impl Context<'_> {
    /// Guards, constraints and updates.
    pub fn step_terms(&self) -> Vec<Term> {
        let guards = self.system.events().iter().map(|event| event.guard);
        guards.chain(self.system.constraints().iter().copied()).chain(self.update_terms()).collect()
    }

    /// The terms that updates read.
    pub fn update_terms(&self) -> impl Iterator<Item = Term> {
        let cases = self.system.var_ids().flat_map(|id| self.system.update(id));
        cases.flat_map(|case| [case.condition, case.value])
    }

    /// The logic of these terms.
    pub fn logic(&self, terms: impl IntoIterator<Item = Term>) -> &'static str {
        let mut work: Vec<Term> = terms.into_iter().collect();
        let mut seen = FxHashSet::default();
        while let Some(term) = work.pop() {
            if seen.insert(term) {
                if matches!(self.terms.node(term), TermNode::Product(..)) {
                    return "QF_NIA";
                }
                self.terms.for_each_child(term, |child| work.push(child));
            }
        }
        "QF_LIA"
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> + use<> {
        let inputs = (0..self.system.inputs().len() as u32).map(|input| Leaf::Input(InputId(input)));
        self.system.var_ids().map(Leaf::Var).chain(inputs)
    }
}

/// The step from a state.
#[derive(Clone, Copy)]
pub enum Choice<'a> {
    /// There is none.
    None,
    /// It may be any.
    Any,
    /// It has these inputs.
    Fixed(&'a [u32]),
}

/// A state of a query, and the step from there.
pub struct Frame<'a> {
    context: Context<'a>,
    number: usize,
    shared: Shared,
}

impl Frame<'_> {
    /// A term in this state.
    pub fn term(&self, term: Term) -> String {
        self.writer().term(term)
    }

    /// Terms in this state.
    pub fn terms(&self, terms: &[Term]) -> Vec<String> {
        terms.iter().map(|&term| self.term(term)).collect()
    }

    fn writer(&self) -> Writer<'_> {
        Writer { terms: self.context.terms, vocabulary: self, shared: &self.shared }
    }

    fn variable(&self, id: VarId) -> String {
        self.leaf(Leaf::Var(id))
    }
}

impl Vocabulary for Frame<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        format!("{}@{}", self.context.symbols.leaf(leaf), self.number)
    }

    fn is_flag(&self, leaf: Leaf) -> bool {
        self.context.symbols.is_flag(leaf)
    }

    fn value(&self, like: Option<Leaf>, value: u32) -> String {
        self.context.symbols.value(like, value)
    }
}

/// The text of one query.
pub struct Script<'a> {
    context: Context<'a>,
    text: String,
}

impl<'a> Script<'a> {
    /// A script that begins with the question and the names of values.
    pub fn new(context: Context<'a>, asked: &str, logic: &str) -> Script<'a> {
        let mut script = Script { context, text: String::new() };
        script.line(&format!("; {asked} The answer has to be `unsat`."));
        script.line("(set-info :smt-lib-version 2.6)");
        script.line(&format!("(set-logic {logic})"));
        script.comment("values");
        let mut kinds: Vec<ValueKind> = context.leaves().filter_map(|leaf| context.symbols.kind(leaf)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            for (value, name) in context.symbols.values(kind).iter().enumerate() {
                script.line(&format!("(define-fun {name} () Int {value})"));
            }
        }
        script
    }

    /// The whole script.
    pub fn finish(self) -> String {
        self.text + "(check-sat)\n"
    }

    fn line(&mut self, line: &str) {
        limits::ticks(line.len());
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    fn comment(&mut self, words: &str) {
        if !words.is_empty() {
            self.line(&format!("; {words}"));
        }
    }

    /// Declares a state, and the inputs of a step from there if there is one; names what these terms share.
    pub fn frame(&mut self, number: usize, terms: &[Term], choice: Choice) -> Frame<'a> {
        let (context, system) = (self.context, self.context.system);
        let shared = Shared::new(context.terms, terms, &[], &format!("t{number}."));
        let frame = Frame { context, number, shared };
        self.comment(&format!("state {number}"));
        for id in system.var_ids() {
            let sort = sort_name(system.variable(id).sort);
            self.line(&format!("(declare-fun {} () {sort})", frame.variable(id)));
        }
        self.inputs(&frame, choice);
        for &term in frame.shared.order() {
            let (name, sort) = (frame.term(term), sort_name(context.terms.sort(term)));
            self.line(&format!("(define-fun {name} () {sort} {})", frame.writer().definition(term)));
        }
        frame
    }

    fn inputs(&mut self, frame: &Frame, choice: Choice) {
        if matches!(choice, Choice::None) {
            return;
        }
        self.comment(&format!("the choice of the step to state {}", frame.number + 1));
        for (index, input) in self.context.system.inputs().iter().enumerate() {
            let leaf = Leaf::Input(InputId(index as u32));
            let name = frame.leaf(leaf);
            if let Choice::Fixed(inputs) = choice {
                let value = frame.value(Some(leaf), inputs[index]);
                self.line(&format!("(define-fun {name} () Int {value})"));
            } else {
                self.line(&format!("(declare-fun {name} () Int)"));
                self.line(&format!("(assert {})", between(&name, 0, i64::from(input.count) - 1)));
            }
        }
    }

    /// That the variables are in their ranges; nothing for those that have none.
    pub fn domains(&self, frame: &Frame) -> Vec<String> {
        let system = self.context.system;
        let domain = |id: VarId| in_domain(&frame.variable(id), system.variable(id).sort, &system.variable(id).domain);
        system.var_ids().filter_map(domain).collect()
    }

    /// A comment, and a list of assertions.
    pub fn assert_all(&mut self, what: &str, list: &[String]) {
        self.comment(what);
        list.iter().for_each(|term| self.line(&format!("(assert {term})")));
    }

    /// That something in a list is false.
    pub fn assert_not_all(&mut self, what: &str, list: &[String]) {
        self.comment(what);
        self.line(&format!("(assert (not {}))", lines("and", list, 2)));
    }

    /// That some formula in a list is true.
    pub fn assert_any(&mut self, what: &str, list: &[String]) {
        self.comment(what);
        self.line(&format!("(assert {})", lines("or", list, 2)));
    }

    /// That two states differ.
    pub fn different(&mut self, a: &Frame, b: &Frame) {
        let equal = |id: VarId| application("=", &[a.variable(id), b.variable(id)]);
        let list: Vec<String> = self.context.system.var_ids().map(equal).collect();
        self.assert_not_all("no state comes twice", &list);
    }

    /// That a step leads from a state to another.
    pub fn step(&mut self, from: &Frame, to: &Frame) {
        self.assert_all("a step: one event happens", &self.possible(from));
        self.update(from, to);
    }

    /// That the chosen step is possible.
    pub fn possible(&self, from: &Frame) -> Vec<String> {
        let Context { system, terms, symbols } = self.context;
        let events = system.events().iter().zip(symbols.values(ValueKind::EVENTS));
        let enabled = events.filter(|(event, _)| !terms.is_false(event.guard));
        let chosen = from.leaf(Leaf::Input(EVENT));
        let enabled: Vec<String> =
            enabled.map(|(event, name)| format!("(and (= {chosen} {name}) {})", from.term(event.guard))).collect();
        [vec![lines("or", &enabled, 2)], from.terms(system.constraints())].concat()
    }

    /// Asserts the changes of the chosen step.
    pub fn update(&mut self, from: &Frame, to: &Frame) {
        let system = self.context.system;
        self.comment("what it changes");
        for id in system.var_ids() {
            self.line(&format!("(assert (= {} {}))", to.variable(id), from.writer().next(id, system.update(id))));
        }
    }
}
