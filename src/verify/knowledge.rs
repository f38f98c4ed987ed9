//! Knowledge in models of any size: conditions on what a knower sees that imply what is known
//! ([`crate::check::branching::conditions`]), learnt from examples.
//!
//! For each piece of knowledge there are states in which it is known to be true, and states in which it is known to be false,
//! as a look-alike state refutes it. The condition is a decision tree that separates them. If it implies too much, the
//! counterexample is a new negative example; if the spec with conditions in place of knowledge is violated, each state
//! of the run is looked at, whether a state that looks like it refutes the knowledge: then the spec is violated, or there is
//! a new positive example.

use super::answer::{Answer, BadEvidence};
use super::{Engine, Limits, Subject};
use crate::check::branching::conditions::{ProofByConditions, knowledge, questions};
use crate::check::{Counterexample, Proof, Verdict};
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart, branchings};
use crate::limits::{Reason, within};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::value::holds;
use crate::model::eval::{Run, Semantics, State, Trace, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, Formula, InstanceId, LocalId, Model, Type, Value};
use crate::ts::atoms::state_predicate;
use crate::ts::readback::{state_expr, without_conditionals};
use tracing::{info, info_span};

/// The number of conditions that are tried.
const ROUNDS: usize = 64;

/// The examples learnt about one piece of knowledge.
struct Learnt {
    known: Branching,
    /// True if the body speaks of no other knowledge, so that a state refutes it for good.
    is_plain: bool,
    positive: Vec<State>,
    negative: Vec<(State, Trace)>,
}

impl Subject<'_> {
    /// Decides a spec by conditions on what knowers see, if it is of that kind.
    pub(super) fn by_conditions(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        let _logged = info_span!("conditions").entered();
        let search = || self.learn_conditions(spec, engines, limits);
        match within(limits.budget, limits.stop, search) {
            Ok(answer) => answer,
            Err(reason) => Answer::unknown(reason),
        }
    }

    fn learn_conditions(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        let gives_up = |what: &str| Answer::unknown(Reason::Engine(what.to_owned()));
        let model = self.model();
        let list = match knowledge(&model.specs[spec].formula) {
            Ok(list) => list,
            Err(why) => return gives_up(&why.to_string()),
        };
        let learnt = |known: Branching| {
            let is_plain = !known.body.is_branching();
            Learnt { known, is_plain, positive: Vec::new(), negative: Vec::new() }
        };
        let mut learnt: Vec<Learnt> = list.into_iter().map(learnt).collect();
        for round in 0..ROUNDS {
            let learn = |it: &Learnt| it.condition(self.semantics()).and_then(|condition| self.folded(&condition));
            let conditions: Option<Vec<Expr<StateLeaf>>> = learnt.iter().map(learn).collect();
            let Some(conditions) = conditions else {
                return gives_up("no condition on what is seen tells what is known");
            };
            let shown: Vec<String> = conditions.iter().map(|condition| model.show_state_expr(condition)).collect();
            info!("round {round}: {}", shown.join("; "));
            let asked = match questions(model, spec, &conditions) {
                Ok(asked) => asked,
                Err(why) => return gives_up(&why.to_string()),
            };
            match self.ask(&asked, &mut learnt, engines, limits) {
                ConditionsOutcome::Proved(proofs, used) => {
                    let proof = ProofByConditions::conclude(model, spec, conditions, proofs);
                    let proof = proof.map_err(BadEvidence::Conditions);
                    let verdict = proof.map(|proof| Verdict::Holds(Proof::Conditions(Box::new(proof))));
                    return Answer::checked(limits, &used, verdict);
                }
                ConditionsOutcome::Learnt => {}
                ConditionsOutcome::Unknown(reason) => return Answer::unknown(reason),
                ConditionsOutcome::Run(trace, engines_) => {
                    match self.examine(spec, &trace, &mut learnt, engines, limits) {
                        Examined::Violated(witness) => {
                            let formula = &model.specs[spec].formula;
                            let confirmed = Counterexample::confirm_look_alike(self.semantics(), formula, &witness);
                            let verdict = confirmed.map(|it| Verdict::Violated(Box::new(it)));
                            return Answer::checked(limits, &engines_, verdict);
                        }
                        Examined::Learnt => {}
                        Examined::Unknown(reason) => return Answer::unknown(reason),
                    }
                }
            }
        }
        gives_up("no condition on what is seen was found that tells what is known")
    }

    /// True if the conditions imply what they should, and the spec holds with them.
    fn ask(&self, asked: &Model, learnt: &mut [Learnt], engines: &[Engine], limits: &Limits) -> ConditionsOutcome {
        let subject = self.derived(asked);
        let (mut proofs, mut used) = (Vec::new(), Vec::new());
        // First what the conditions imply.
        for index in (1..asked.specs.len()).chain([0]) {
            let outcome = match subject.prove(index, engines, &Limits { progress: &|_| {}, ..*limits }) {
                Ok(outcome) => outcome,
                Err(failure) => return ConditionsOutcome::Unknown(Reason::Engine(failure.to_string())),
            };
            for engine in outcome.engines {
                if !used.contains(&engine) {
                    used.push(engine);
                }
            }
            match outcome.verdict {
                Verdict::Holds(proof) => proofs.push(proof),
                Verdict::Unknown { reason, .. } => return ConditionsOutcome::Unknown(reason),
                Verdict::NoCounterexample { .. } => return ConditionsOutcome::Unknown(Reason::Interrupted),
                Verdict::Violated(counterexample) if index == 0 => {
                    return ConditionsOutcome::Run(counterexample.run().trace(), used);
                }
                Verdict::Violated(counterexample) => {
                    let claim = asked.specs[index].formula.always(true).expect("it is `G ..`");
                    let (state, trace) = refuting(counterexample.run(), claim);
                    learnt[index - 1].negative.push((state, trace));
                    return ConditionsOutcome::Learnt;
                }
            }
        }
        // In the order of the questions.
        proofs.rotate_right(1);
        ConditionsOutcome::Proved(proofs, used)
    }

    /// A condition as it comes back from a certificate.
    fn folded(&self, condition: &Expr<StateLeaf>) -> Option<Expr<StateLeaf>> {
        let mut system = self.base.clone();
        let term = state_predicate(self.model(), &mut system, condition);
        let mut terms = system.terms().clone();
        let term = without_conditionals(&mut terms, term)?;
        state_expr(&system, &terms, term)
    }

    fn derived<'m>(&self, model: &'m Model) -> Subject<'m> {
        Subject { exploration_memory: self.exploration_memory, shortens: false, ..Subject::new(model) }
    }

    /// Learns which knowledge there is in the states of a run on which the spec with conditions is false.
    fn examine(
        &self,
        spec: usize,
        trace: &Trace,
        learnt: &mut [Learnt],
        engines: &[Engine],
        limits: &Limits,
    ) -> Examined {
        let formula = &self.model().specs[spec].formula;
        let semantics = self.semantics();
        let influence = crate::model::eval::Influence::of(self.model(), formula);
        let initial = semantics.state_from(&trace.initial).expect("it was replayed");
        let run = match Run::replay(semantics, initial.clone(), &trace.choices, trace.loop_start, &influence) {
            Ok(run) => run,
            // A loop that forgets what a knower sees is none for it.
            Err(_) => match Run::replay(semantics, initial, &trace.choices, None, &influence) {
                Ok(run) => run,
                Err(_) => return Examined::Unknown(Reason::Engine("a run could not be followed".to_owned())),
            },
        };
        let mut is_new = false;
        for position in 0..run.states().len() {
            let state = &run.states()[position];
            for item in learnt.iter_mut().filter(|item| item.is_plain) {
                let alike = |other: &State| sees_alike(self.model(), item.known.operator.observers(), state, other);
                let is_known = item.positive.iter().any(alike) || item.negative.iter().any(|(other, _)| alike(other));
                if is_known
                    || semantics.holds_in(state, &item.known.body) == Some(false) && {
                        item.negative.push((state.clone(), beginning(&run, position)));
                        is_new = true;
                        true
                    }
                {
                    continue;
                }
                match self.refuted(item, state, engines, limits) {
                    Ok(Some(found)) => item.negative.push(found),
                    Ok(None) => item.positive.push(state.clone()),
                    Err(reason) => return Examined::Unknown(reason),
                }
                is_new = true;
            }
            // The first state that shows it is enough.
            let so_far = beginning(&run, position);
            let initial = semantics.state_from(&so_far.initial).expect("it was replayed");
            let so_far = Run::replay(semantics, initial, &so_far.choices, None, &influence);
            let so_far = so_far.ok().and_then(|so_far| self.violation(formula, &so_far, learnt));
            if let Some(witness) = so_far.or_else(|| self.violation(formula, &run, learnt)) {
                return Examined::Violated(witness);
            }
        }
        match is_new {
            true => Examined::Learnt,
            false => Examined::Unknown(Reason::Engine(self.undecided(learnt).to_owned())),
        }
    }

    /// Why a run on which the spec with conditions is false teaches nothing.
    fn undecided(&self, learnt: &[Learnt]) -> &'static str {
        let is_among_fair = |item: &Learnt| {
            let assumed = item.known.among.as_ref();
            assumed.is_none_or(|assumed| assumed.is_fairness(self.model()))
        };
        if !learnt.iter().all(|item| item.is_plain) {
            "what is known about other knowledge is not decided"
        } else if !learnt.iter().all(is_among_fair) {
            "which states count under assumptions other than fairness, all reachable states decide"
        } else {
            "whether what is refuted on a run makes the spec false is not decided"
        }
    }

    /// A reachable state that looks like one to a knower, and in which what is to be known is false.
    fn refuted(
        &self,
        item: &Learnt,
        state: &State,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Option<(State, Trace)>, Reason> {
        let view = view(self.model(), item.known.operator.observers(), state);
        let claim = Formula::Atom(view).implies(item.known.body.clone());
        let spec = crate::model::Spec {
            name: None,
            expect: None,
            formula: claim.clone().globally(),
            under: None,
            text: None,
            span: Default::default(),
            question: None,
            expanded: Vec::new(),
        };
        let asked = self.model().with_specs(vec![spec]);
        let subject = self.derived(&asked);
        let outcome = subject.prove(0, engines, &Limits { progress: &|_| {}, ..*limits });
        match outcome.map_err(|failure| Reason::Engine(failure.to_string()))?.verdict {
            Verdict::Holds(_) => Ok(None),
            Verdict::Violated(counterexample) => Ok(Some(refuting(counterexample.run(), &claim))),
            Verdict::Unknown { reason, .. } => Err(reason),
            Verdict::NoCounterexample { .. } => Err(Reason::Interrupted),
        }
    }

    /// The witness of a run on which the spec is false because of what is refuted so far.
    fn violation(&self, formula: &Formula, run: &Run, learnt: &[Learnt]) -> Option<Witness> {
        let states = run.states();
        let look = |branching: &Branching, state: &State| {
            let (knowledge, group) = match &branching.operator {
                Operator::Known(knowledge, group) => (*knowledge, group),
                _ => return None,
            };
            let views: Vec<Vec<InstanceId>> = match knowledge {
                Knowledge::Distributed => vec![group.clone()],
                _ => group.iter().map(|member| vec![*member]).collect(),
            };
            let counts = branching.among.as_ref().is_none_or(|assumed| assumed.is_fairness(self.model()));
            let all = learnt.iter().filter(|item| item.is_plain && counts && item.known.body == branching.body);
            let mut refuting = all.flat_map(|item| &item.negative).flat_map(|(other, trace)| {
                let alike = views.iter().find(|view| sees_alike(self.model(), view, state, other));
                alike.map(|view| (view.clone(), trace))
            });
            refuting.next()
        };
        let given = |branching: &Branching, position: usize| match look(branching, &states[position]) {
            Some(_) => Truth::False,
            None => Truth::Unknown,
        };
        let explanation = run.explain_given(formula, 0, false, &given)?;
        let list = branchings(formula);
        let part = |(position, branching, _): &(usize, Branching, bool)| {
            let (observers, trace) = look(branching, &states[*position])?;
            let formula = list.iter().position(|other| *other == branching)? as u32;
            let looks = vec![LooksAlike { observers, there: Lookalike::Run(trace.clone()) }];
            let witness = Witness { from: trace.choices.len(), trace: trace.clone(), parts: Vec::new() };
            Some(WitnessPart { position: *position, formula, looks, witness })
        };
        // The explanation names a few of many alternatives only; on a lasso others may be needed.
        let named = explanation.branching;
        let given = |branching: &Branching, position: usize| {
            let is_named = named.iter().any(|(place, other, _)| *place == position && other == branching);
            if is_named { Truth::False } else { Truth::Unknown }
        };
        let is_enough = run.loop_start().is_none() && run.explain_given(formula, 0, false, &given).is_some();
        let more = (0..states.len()).flat_map(|position| {
            let of_formula = list.iter().map(move |branching| (position, (*branching).clone(), false));
            of_formula.filter(|(position, branching, _)| look(branching, &states[*position]).is_some())
        });
        let decisive = if is_enough { named } else { more.collect() };
        let parts = decisive.iter().filter_map(part).collect();
        Some(Witness { trace: run.trace(), from: 0, parts })
    }
}

/// The outcome of the questions about some conditions.
enum ConditionsOutcome {
    Proved(Vec<Proof>, Vec<Engine>),
    /// A run on which the spec with conditions is false.
    Run(Trace, Vec<Engine>),
    /// A condition implies too much.
    Learnt,
    Unknown(Reason),
}

enum Examined {
    Violated(Witness),
    Learnt,
    Unknown(Reason),
}

/// The first state of a run in which a claim about states is false, with the way there.
fn refuting(run: &Run, claim: &Formula) -> (State, Trace) {
    let states = run.states();
    let is_false = |position: &usize| run.semantics().holds_in(&states[*position], claim) == Some(false);
    let position = (0..states.len()).find(is_false).expect("the claim is false on the run");
    (states[position].clone(), beginning(run, position))
}

/// A run up to a position.
fn beginning(run: &Run, position: usize) -> Trace {
    let Trace { initial, mut choices, .. } = run.trace();
    choices.truncate(position);
    Trace { initial, choices, loop_start: None }
}

/// The locals of some instances, and their types.
fn seen<'m>(model: &'m Model, group: &'m [InstanceId]) -> impl Iterator<Item = (StateLeaf, Type)> + 'm {
    let leaf = |(owner, local): (InstanceId, LocalId)| {
        (StateLeaf::Local(owner, local), model.agent_of(owner).locals[local.index()].ty)
    };
    group.iter().flat_map(|&member| model.seen_by(member)).map(leaf)
}

/// True if two states look alike to all of a group at once.
fn sees_alike(model: &Model, group: &[InstanceId], one: &State, other: &State) -> bool {
    let value = |state: &State, leaf| match leaf {
        StateLeaf::Local(instance, local) => state.local(instance, local).clone(),
        _ => unreachable!("it is a local"),
    };
    group.iter().all(|member| one.automaton(*member) == other.automaton(*member))
        && seen(model, group).all(|(leaf, _)| value(one, leaf) == value(other, leaf))
}

fn equals(leaf: StateLeaf, value: Value) -> Expr<StateLeaf> {
    match value {
        Value::Bool(true) => Expr::Leaf(leaf),
        Value::Bool(false) => Expr::Not(Box::new(Expr::Leaf(leaf))),
        value => Expr::binary(BinaryOp::Eq, Expr::Leaf(leaf), Expr::Const(value)),
    }
}

/// That all that a group sees is as in a state.
fn view(model: &Model, group: &[InstanceId], state: &State) -> Expr<StateLeaf> {
    let automata = group
        .iter()
        .map(|member| equals(StateLeaf::Automaton(*member), Value::int(i64::from(state.automaton(*member)))));
    let locals = seen(model, group).map(|(leaf, _)| match leaf {
        StateLeaf::Local(instance, local) => equals(leaf, state.local(instance, local).clone()),
        _ => unreachable!("it is a local"),
    });
    let all = automata.chain(locals).reduce(|one, other| Expr::binary(BinaryOp::And, one, other));
    all.unwrap_or(Expr::TRUE)
}

impl Learnt {
    /// A condition that is true of the positive examples and false of the negative ones; nothing if there is none.
    fn condition(&self, semantics: &Semantics) -> Option<Expr<StateLeaf>> {
        let group = self.known.operator.observers();
        if let (Formula::Atom(expr), true) = (&self.known.body, self.is_plain)
            && !expr.any_leaf(|leaf| !semantics.model().is_seen_by(group, *leaf))
        {
            // An agent that sees it knows it.
            return Some(expr.clone());
        }
        let negative: Vec<&State> = self.negative.iter().map(|(state, _)| state).collect();
        let positive: Vec<&State> = self.positive.iter().collect();
        let literals = literals(semantics.model(), group, positive.iter().chain(&negative).copied());
        separate(semantics, &literals, &positive, &negative)
    }
}

/// Conditions on what a group sees, the simpler ones first.
fn literals<'s>(
    model: &Model,
    group: &[InstanceId],
    examples: impl Iterator<Item = &'s State> + Clone,
) -> Vec<Expr<StateLeaf>> {
    let mut list: Vec<Expr<StateLeaf>> = Vec::new();
    let mut add = |literal: Expr<StateLeaf>| {
        if !list.contains(&literal) {
            list.push(literal);
        }
    };
    let numbers: Vec<StateLeaf> =
        seen(model, group).filter(|(_, ty)| ty.base() == Type::Int).map(|(leaf, _)| leaf).collect();
    let value = |state: &State, leaf| match leaf {
        StateLeaf::Local(instance, local) => state.local(instance, local).clone(),
        _ => unreachable!("it is a local"),
    };
    for (leaf, _) in seen(model, group).filter(|(_, ty)| *ty == Type::Bool) {
        add(Expr::Leaf(leaf));
    }
    for state in examples.clone() {
        for member in group {
            add(equals(StateLeaf::Automaton(*member), Value::int(i64::from(state.automaton(*member)))));
        }
        for (leaf, _) in seen(model, group).filter(|(_, ty)| !matches!(ty.base(), Type::Bool | Type::Int)) {
            add(equals(leaf, value(state, leaf)));
        }
    }
    for (index, one) in numbers.iter().enumerate() {
        for other in &numbers[index + 1..] {
            for op in [BinaryOp::Eq, BinaryOp::Le, BinaryOp::Lt] {
                add(Expr::binary(op, Expr::Leaf(*one), Expr::Leaf(*other)));
            }
        }
    }
    for number in [0, 1] {
        for leaf in &numbers {
            for op in [BinaryOp::Eq, BinaryOp::Le] {
                add(Expr::binary(op, Expr::Leaf(*leaf), Expr::Const(Value::int(number))));
            }
        }
    }
    for state in examples.clone() {
        for (index, one) in numbers.iter().enumerate() {
            for other in &numbers[index + 1..] {
                let (Value::Int(left), Value::Int(right)) = (value(state, *one), value(state, *other)) else {
                    continue;
                };
                let difference = Expr::binary(BinaryOp::Sub, Expr::Leaf(*one), Expr::Leaf(*other));
                for op in [BinaryOp::Le, BinaryOp::Eq] {
                    let number = Value::Int(left.clone() - right.clone());
                    add(Expr::binary(op, difference.clone(), Expr::Const(number)));
                }
            }
        }
    }
    for state in examples {
        for leaf in &numbers {
            for op in [BinaryOp::Le, BinaryOp::Eq] {
                add(Expr::binary(op, Expr::Leaf(*leaf), Expr::Const(value(state, *leaf))));
            }
        }
    }
    list
}

/// A decision tree over literals.
fn separate(
    semantics: &Semantics,
    literals: &[Expr<StateLeaf>],
    positive: &[&State],
    negative: &[&State],
) -> Option<Expr<StateLeaf>> {
    if negative.is_empty() {
        return Some(Expr::TRUE);
    }
    if positive.is_empty() {
        return Some(Expr::FALSE);
    }
    let is_true = |literal: &Expr<StateLeaf>, state: &State| holds(literal, &|leaf| Some(semantics.value(state, leaf)));
    // How many pairs of a positive and a negative example are told apart.
    let told_apart = |literal: &Expr<StateLeaf>| {
        let count = |list: &[&State]| list.iter().filter(|state| is_true(literal, state)).count();
        let (good, bad) = (count(positive), count(negative));
        good * (negative.len() - bad) + bad * (positive.len() - good)
    };
    let (mut best, mut most) = (None, 0);
    for literal in literals {
        let count = told_apart(literal);
        if count > most {
            (best, most) = (Some(literal), count);
        }
    }
    let literal = best?;
    let side = |truth: bool| {
        let pick = |list: &[&'_ State]| -> Vec<State> {
            list.iter().filter(|state| is_true(literal, state) == truth).map(|state| (*state).clone()).collect()
        };
        let (good, bad) = (pick(positive), pick(negative));
        let (good, bad): (Vec<&State>, Vec<&State>) = (good.iter().collect(), bad.iter().collect());
        separate(semantics, literals, &good, &bad)
    };
    let (yes, no) = (side(true)?, side(false)?);
    let negated = Expr::Not(Box::new(literal.clone()));
    let and = |one: Expr<StateLeaf>, other| match (one, other) {
        (one, Expr::Const(Value::Bool(true))) => one,
        (_, Expr::Const(Value::Bool(false))) => Expr::FALSE,
        (one, other) => Expr::binary(BinaryOp::And, one, other),
    };
    Some(match (and(literal.clone(), yes), and(negated, no)) {
        (Expr::Const(Value::Bool(false)), other) | (other, Expr::Const(Value::Bool(false))) => other,
        (one, other) => Expr::binary(BinaryOp::Or, one, other),
    })
}
