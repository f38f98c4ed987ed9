//! The truth of specs with path quantifiers and knowledge by definition, for small models: the states in which each branching
//! formula is true, those inside of others first, with the oracle for runs.

use super::oracle::{NoAnswer, Oracle};
use super::strategies::Strategies;
use rcheck_smt::model::branching::{Branching, Information, Knowledge, Objective, Operator};
use rcheck_smt::model::eval::value::holds;
use rcheck_smt::model::eval::{Semantics, State};
use rcheck_smt::model::formula::Strength;
use rcheck_smt::model::written::Written;
use rcheck_smt::model::{Expr, Formula, InstanceId, LocalId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most strategies that are tried.
const STRATEGIES: u64 = 1 << 8;

/// Evaluates by definition.
pub struct Naive<'a> {
    semantics: &'a Semantics<'a>,
    /// For runs that begin in any reachable state.
    oracle: &'a Oracle<'a>,
    /// Per branching formula the states in which it is true.
    known: FxHashMap<Branching, FxHashSet<State>>,
}

impl<'a> Naive<'a> {
    /// With an oracle for runs that begin in any reachable state.
    pub fn new(semantics: &'a Semantics<'a>, oracle: &'a Oracle<'a>) -> Naive<'a> {
        Naive { semantics, oracle, known: FxHashMap::default() }
    }

    /// True if all runs from initial states satisfy a formula.
    pub fn is_true(&mut self, formula: &Formula) -> Result<bool, NoAnswer> {
        let formula = &self.settled(formula, &[])?;
        let from = self.falsified(formula)?;
        let initial = self.semantics.initial_states().expect("they were listed");
        Ok(initial.iter().all(|state| !from.contains(state)))
    }

    /// With the truth of each `can(g, f)` at the beginning, where one strategy has to do for all initial states that satisfy what stands
    /// to the left of `->`.
    fn settled(&mut self, formula: &Formula, given: &[Formula]) -> Result<Formula, NoAnswer> {
        Ok(match (formula.written(), formula) {
            (Written::Branching(branching), _) => match &branching.operator {
                Operator::Strategy(Information::Own, group) => {
                    let initial = self.semantics.initial_states().expect("they were listed");
                    given.iter().try_for_each(|condition| self.learn(condition))?;
                    let counts = |state: &State| given.iter().all(|condition| self.holds(condition, state));
                    let initial: Vec<State> = initial.into_iter().filter(counts).collect();
                    let can = self.winning(Information::Own, group, &branching.body, branching.among.as_ref())?;
                    let does = |won: &FxHashSet<State>| initial.iter().all(|state| won.contains(state));
                    Formula::Atom(Expr::Const(Value::Bool(can.iter().any(does))))
                }
                Operator::All | Operator::Some => {
                    let body = self.settled(&branching.body, given)?;
                    Formula::Branching(Box::new(Branching { body, ..branching.clone() }))
                }
                _ => formula.clone(),
            },
            (Written::Implies(condition, claim), _) => {
                let inside: Vec<Formula> = given.iter().cloned().chain(told(condition)).collect();
                self.settled(condition, given)?.implies(self.settled(claim, &inside)?)
            }
            (_, Formula::And(list) | Formula::Or(list)) => {
                let settled = list.iter().map(|part| self.settled(part, given)).collect::<Result<Vec<_>, _>>()?;
                if matches!(formula, Formula::And(_)) { Formula::And(settled) } else { Formula::Or(settled) }
            }
            (_, Formula::Not(inner)) => self.settled(inner, given)?.not(),
            (_, Formula::Iff(left, right)) => self.settled(left, given)?.iff(self.settled(right, given)?),
            _ => formula.clone(),
        })
    }

    /// The states from which some run makes a formula false.
    fn falsified(&mut self, formula: &Formula) -> Result<FxHashSet<State>, NoAnswer> {
        self.learn(formula)?;
        self.oracle.falsified(formula, &|branching, state| self.known[branching].contains(state))
    }

    /// The states on runs from initial states that make a formula false.
    fn visited(&mut self, formula: &Formula) -> Result<FxHashSet<State>, NoAnswer> {
        self.learn(formula)?;
        self.oracle.visited(formula, &|branching, state| self.known[branching].contains(state))
    }

    fn learn(&mut self, formula: &Formula) -> Result<(), NoAnswer> {
        let mut inside = Vec::new();
        formula.for_each_child(&mut |child| inside.push(child.clone()));
        inside.iter().try_for_each(|child| self.learn(child))?;
        let Formula::Branching(branching) = formula else { return Ok(()) };
        if !self.known.contains_key(&**branching) {
            let states = self.states(branching)?;
            self.known.insert((**branching).clone(), states);
        }
        Ok(())
    }

    /// In which states a branching formula is true.
    fn states(&mut self, Branching { operator, body, among }: &Branching) -> Result<FxHashSet<State>, NoAnswer> {
        let states: Vec<State> = self.oracle.states().cloned().collect();
        let assuming = |claim: Formula| match among {
            Some(assumed) => assumed.clone().implies(claim),
            None => claim,
        };
        let (knowledge, group) = match operator {
            Operator::All => {
                let from = self.falsified(&assuming(body.clone()))?;
                return Ok(states.into_iter().filter(|state| !from.contains(state)).collect());
            }
            Operator::Some => return self.falsified(&assuming(body.clone().not())),
            Operator::Known(knowledge, group) => (knowledge, group),
            Operator::Strategy(information, group) => return self.strategic(*information, group, body, among.as_ref()),
        };
        let possible: Vec<State> = match among {
            Some(assumed) => self.visited(&assumed.clone().not())?.into_iter().collect(),
            None => states.clone(),
        };
        let views: Vec<Vec<InstanceId>> = match knowledge {
            Knowledge::Distributed => vec![group.clone()],
            _ => group.iter().map(|member| vec![*member]).collect(),
        };
        let alike = |one: &State, other: &State| {
            views.iter().any(|view| view.iter().all(|member| self.seen(one, *member) == self.seen(other, *member)))
        };
        let is_known = |state: &State| {
            let mut reached: Vec<&State> = possible.iter().filter(|other| alike(state, other)).collect();
            let mut next = 0;
            while *knowledge == Knowledge::Common && next < reached.len() {
                let here = reached[next];
                let more: Vec<&State> =
                    possible.iter().filter(|other| alike(here, other) && !reached.contains(other)).collect();
                reached.extend(more);
                next += 1;
            }
            reached.into_iter().all(|state| self.holds(body, state))
        };
        Ok(states.iter().filter(|state| is_known(state)).cloned().collect())
    }

    /// In which states a group has a strategy, found by trying all of them; where there are too many, step by step.
    fn strategic(
        &mut self,
        information: Information,
        group: &[InstanceId],
        body: &Formula,
        among: Option<&Formula>,
    ) -> Result<FxHashSet<State>, NoAnswer> {
        let states: Vec<State> = self.oracle.states().cloned().collect();
        if information == Information::Own {
            let can = self.winning(information, group, body, among)?;
            let alike = |one: &State, other: &State| {
                one == other || group.iter().any(|member| self.seen(one, *member) == self.seen(other, *member))
            };
            let does = |state: &State, won: &FxHashSet<State>| {
                states.iter().filter(|other| alike(state, other)).all(|other| won.contains(other))
            };
            return Ok(states.iter().filter(|state| can.iter().any(|won| does(state, won))).cloned().collect());
        }
        assert!(among.is_none(), "others are not drawn");
        self.learn(body)?;
        let step_by_step = Objective::of(body).map(|objective| self.fixed_point(group, &objective));
        match self.winning(information, group, body, among) {
            Ok(all) => {
                let can: FxHashSet<State> = all.into_iter().flatten().collect();
                assert!(step_by_step.is_none_or(|other| other == can), "fixed points and strategies differ");
                Ok(can)
            }
            Err(other) => step_by_step.ok_or(other),
        }
    }

    /// Per strategy the states from which all runs of its outcome satisfy a formula.
    fn winning(
        &mut self,
        information: Information,
        group: &[InstanceId],
        body: &Formula,
        among: Option<&Formula>,
    ) -> Result<Vec<FxHashSet<State>>, NoAnswer> {
        self.learn(body)?;
        let states: Vec<State> = self.oracle.states().cloned().collect();
        let strategies = Strategies::new(self.semantics, &states, (group, information));
        let count = strategies.count(STRATEGIES).ok_or(NoAnswer::TooManyStrategies)?;
        let claim = among.map_or(body.clone(), |assumed| assumed.clone().implies(body.clone()));
        let mut list = Vec::new();
        for number in 0..count {
            let outcome = self.oracle.outcome(&|state, step| strategies.agrees(number, state, step));
            let from = outcome.falsified(&claim, &|branching, state| self.known[branching].contains(state))?;
            list.push(states.iter().filter(|state| !from.contains(*state)).cloned().collect());
        }
        Ok(list)
    }

    /// The same by what the group can see to in one step.
    fn fixed_point(&self, group: &[InstanceId], objective: &Objective) -> FxHashSet<State> {
        let states: Vec<&State> = self.oracle.states().collect();
        let can_force = |state: &State, good: &FxHashSet<State>| {
            let alone = [state.clone()];
            let strategies = Strategies::new(self.semantics, &alone, (group, Information::Full));
            (0..strategies.count(u64::MAX).expect("there are not many in one state")).any(|number| {
                let steps = self.semantics.steps(state).into_iter();
                let targets: Vec<State> =
                    steps.filter(|step| strategies.agrees(number, state, step)).map(|step| step.target).collect();
                if targets.is_empty() { good.contains(state) } else { targets.iter().all(|it| good.contains(it)) }
            })
        };
        let those = |condition: &dyn Fn(&State) -> bool| -> FxHashSet<State> {
            states.iter().copied().filter(|state| condition(state)).cloned().collect()
        };
        let (strength, stays, goal) = match objective {
            Objective::Next(inner) => {
                let good = those(&|state| self.holds(inner, state));
                return those(&|state| can_force(state, &good));
            }
            Objective::Until(strength, stays, goal) => (strength, stays, goal),
        };
        let mut set = if *strength == Strength::Strong { FxHashSet::default() } else { those(&|_| true) };
        loop {
            let next = those(&|state| self.holds(goal, state) || self.holds(stays, state) && can_force(state, &set));
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// Automaton state and locals.
    fn seen(&self, state: &State, instance: InstanceId) -> (u32, Vec<Value>) {
        let locals = self.semantics.model().agent_of(instance).locals.len() as u32;
        let values = (0..locals).map(|local| state.local(instance, LocalId(local)).clone());
        (state.automaton(instance), values.collect())
    }

    fn holds(&self, formula: &Formula, state: &State) -> bool {
        match formula {
            Formula::Atom(expr) => holds(expr, &|leaf| Some(self.semantics.value(state, leaf))),
            Formula::Branching(branching) => self.known[&**branching].contains(state),
            Formula::Not(a) => !self.holds(a, state),
            Formula::And(list) => list.iter().all(|a| self.holds(a, state)),
            Formula::Or(list) => list.iter().any(|a| self.holds(a, state)),
            Formula::Iff(a, b) => self.holds(a, state) == self.holds(b, state),
            other => unreachable!("{other:?} is about runs"),
        }
    }
}

/// A formula, if it says which state it is, and nothing of uniform strategies.
fn told(formula: &Formula) -> Option<Formula> {
    fn is_uniform(formula: &Formula) -> bool {
        let is_can = |it: &Branching| matches!(it.operator, Operator::Strategy(Information::Own, _));
        let mut found = matches!(formula, Formula::Branching(it) if is_can(it));
        formula.for_each_child(&mut |child| found |= is_uniform(child));
        found
    }
    (formula.is_about_state() && !is_uniform(formula)).then(|| formula.clone())
}
