//! The meaning of models in ISPL by definition: all states and steps, and the states in which each formula is true.

use super::program::{Expr, Formula, Known, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Per agent the values of its variables.
pub type State = Vec<Vec<i64>>;

/// The reachable states, by numbers.
pub struct Naive<'p> {
    program: &'p Program,
    pub states: Vec<State>,
    /// How many of them are initial; these come first.
    pub initial: usize,
    /// Per state where each step leads: one for each way to act, and to choose lines.
    pub steps: Vec<Vec<usize>>,
    /// True if some agent has no action in some state.
    pub is_stuck: bool,
    /// The actions of agents whose protocols are to be deterministic, by what they see.
    chosen: Chosen,
}

/// Per agent and the values that it sees the action that it takes.
type Chosen = BTreeMap<(usize, Vec<i64>), usize>;

impl<'p> Naive<'p> {
    /// Nothing if there are more states than that.
    pub fn new(program: &'p Program, most: usize) -> Option<Naive<'p>> {
        Naive::with(program, most, Chosen::new())
    }

    /// With the actions that are chosen.
    fn with(program: &'p Program, most: usize, chosen: Chosen) -> Option<Naive<'p>> {
        let mut naive = Naive { program, states: Vec::new(), initial: 0, steps: Vec::new(), is_stuck: false, chosen };
        let mut all: Vec<State> = vec![Vec::new()];
        for agent in &program.agents {
            let mut locals: Vec<Vec<i64>> = vec![Vec::new()];
            for variable in &agent.variables {
                let extended = |list: &Vec<i64>| {
                    let list = list.clone();
                    variable.domain.values().map(move |value| list.iter().copied().chain([value]).collect::<Vec<i64>>())
                };
                locals = locals.iter().flat_map(extended).collect();
            }
            let extended = |state: &State| {
                let state = state.clone();
                locals.iter().map(move |local| state.iter().cloned().chain([local.clone()]).collect::<State>())
            };
            all = all.iter().flat_map(extended).collect();
        }
        let is_initial = |state: &State| program.initial.iter().all(|it| evaluate(it, state, &[]) == 1);
        let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
        for state in all.into_iter().filter(is_initial) {
            numbers.insert(state.clone(), naive.states.len());
            naive.states.push(state);
        }
        naive.initial = naive.states.len();
        while naive.steps.len() < naive.states.len() {
            if naive.states.len() > most {
                return None;
            }
            let targets = naive.targets(&naive.states[naive.steps.len()].clone());
            let mut steps = Vec::new();
            for target in targets {
                let number = *numbers.entry(target.clone()).or_insert_with(|| {
                    naive.states.push(target);
                    naive.states.len() - 1
                });
                steps.push(number);
            }
            naive.steps.push(steps);
        }
        Some(naive)
    }

    /// The actions of each agent that its protocol allows.
    fn possible(&self, state: &State) -> Vec<Vec<usize>> {
        self.program
            .agents
            .iter()
            .enumerate()
            .map(|(number, agent)| {
                if let Some(action) = self.chosen.get(&(number, self.view(number, state))) {
                    return vec![*action];
                }
                let mut actions = BTreeSet::new();
                let mut is_served = false;
                for (condition, allowed) in &agent.protocol {
                    let applies = condition.as_ref().map_or(!is_served, |it| evaluate(it, state, &[]) == 1);
                    if applies {
                        is_served = true;
                        actions.extend(allowed.iter().copied());
                    }
                }
                match agent.protocol[..] {
                    [] => (0..agent.actions).collect(),
                    _ => actions.into_iter().collect(),
                }
            })
            .collect()
    }

    /// The values that an agent sees.
    fn view(&self, agent: usize, state: &State) -> Vec<i64> {
        self.program.seen(agent).into_iter().map(|(whose, variable)| state[whose][variable]).collect()
    }

    /// True if a formula holds with some deterministic protocols of a group; nothing if there are more than so many to try.
    pub fn uniform(program: &Program, most: usize, group: &[usize], formula: &Formula, tries: usize) -> Option<bool> {
        let (mut open, mut tried) = (vec![Chosen::new()], 0);
        while let Some(chosen) = open.pop() {
            let naive = Naive::with(program, most, chosen)?;
            let undecided = naive.states.iter().find_map(|state| {
                let possible = naive.possible(state);
                let agent = group.iter().copied().find(|agent| possible[*agent].len() > 1)?;
                Some(((agent, naive.view(agent, state)), possible[agent].clone()))
            });
            let Some((question, actions)) = undecided else {
                tried += 1;
                if naive.holds(formula) {
                    return Some(true);
                }
                continue;
            };
            for action in actions {
                let mut more = naive.chosen.clone();
                more.insert(question.clone(), action);
                open.push(more);
            }
            if open.len() + tried > tries {
                return None;
            }
        }
        Some(false)
    }

    fn targets(&mut self, state: &State) -> Vec<State> {
        let possible = self.possible(state);
        if possible.iter().any(Vec::is_empty) {
            self.is_stuck = true;
            return vec![state.clone()];
        }
        product(&possible).into_iter().flat_map(|actions| self.by(state, &actions)).collect()
    }

    /// The lines of agents that are not taken in some step from a state for the only reason that a value leaves its domain.
    pub fn leaving(&self, state: &State) -> BTreeSet<(usize, usize)> {
        let mut found = BTreeSet::new();
        for actions in product(&self.possible(state)) {
            for (agent, declared) in self.program.agents.iter().enumerate() {
                for (line, (assignments, condition)) in declared.evolution.iter().enumerate() {
                    let leaves = assignments.iter().any(|(it, value)| {
                        !declared.variables[*it].domain.values().contains(&evaluate(value, state, &actions))
                    });
                    if leaves && evaluate(condition, state, &actions) == 1 {
                        found.insert((agent, line));
                    }
                }
            }
        }
        found
    }

    /// The states that these actions can lead to.
    fn by(&self, state: &State, actions: &[usize]) -> Vec<State> {
        let mut options: Vec<Vec<Vec<i64>>> = Vec::new();
        for (agent, declared) in self.program.agents.iter().enumerate() {
            // The assignments of each line that can be taken.
            let mut lines: Vec<Vec<(usize, i64)>> = Vec::new();
            for (assignments, condition) in &declared.evolution {
                let new: Vec<(usize, i64)> =
                    assignments.iter().map(|(it, value)| (*it, evaluate(value, state, actions))).collect();
                let fits = new.iter().all(|(it, value)| declared.variables[*it].domain.values().contains(value));
                if fits && evaluate(condition, state, actions) == 1 {
                    lines.push(new);
                }
            }
            let groups: Vec<Vec<Vec<(usize, i64)>>> = if self.program.is_single {
                let of = |it: usize| lines.iter().filter(|line| line[0].0 == it).cloned().collect();
                (0..declared.variables.len()).map(of).collect()
            } else {
                vec![lines]
            };
            let groups: Vec<_> = groups.into_iter().filter(|group| !group.is_empty()).collect();
            let sizes: Vec<Vec<usize>> = groups.iter().map(|group| (0..group.len()).collect()).collect();
            let taken = product(&sizes).into_iter().map(|picks| {
                let mut local = state[agent].clone();
                for (group, pick) in groups.iter().zip(picks) {
                    group[pick].iter().for_each(|(it, value)| local[*it] = *value);
                }
                local
            });
            options.push(taken.collect());
        }
        let sizes: Vec<Vec<usize>> = options.iter().map(|list| (0..list.len()).collect()).collect();
        let state = |picks: Vec<usize>| picks.iter().zip(&options).map(|(pick, list)| list[*pick].clone()).collect();
        product(&sizes).into_iter().map(state).collect()
    }

    /// True if a formula holds: if all runs that count, from all initial states, satisfy it.
    pub fn holds(&self, formula: &Formula) -> bool {
        let violated = self.some_run(&Formula::Not(Box::new(formula.clone())));
        violated[..self.initial].iter().all(|is_violated| !is_violated)
    }

    /// The states that are red for an agent.
    fn red(&self, agent: usize) -> Vec<bool> {
        let is_red =
            |state: &State| self.program.agents[agent].red.as_ref().is_some_and(|red| evaluate(red, state, &[]) == 1);
        self.states.iter().map(is_red).collect()
    }

    /// In which states a formula is true that is about states.
    fn label(&self, formula: &Formula) -> Vec<bool> {
        let count = self.states.len();
        let zipped = |a: &Formula, b: &Formula, op: fn(bool, bool) -> bool| {
            self.label(a).into_iter().zip(self.label(b)).map(|(a, b)| op(a, b)).collect::<Vec<bool>>()
        };
        let of_all = |expr: &Expr| self.states.iter().map(|state| evaluate(expr, state, &[]) == 1).collect::<Vec<_>>();
        match formula {
            Formula::Truth(value) => vec![*value; count],
            Formula::Proposition(number) => of_all(&self.program.propositions[*number]),
            Formula::Red(agent, is_red) => {
                let red = self.red(*agent);
                red.into_iter().map(|it| it == *is_red).collect()
            }
            Formula::Not(a) => self.label(a).into_iter().map(|it| !it).collect(),
            Formula::All(list) => {
                list.iter().fold(vec![true; count], |all, it| both(all, self.label(it), |a, b| a && b))
            }
            Formula::Any(list) => {
                list.iter().fold(vec![false; count], |all, it| both(all, self.label(it), |a, b| a || b))
            }
            Formula::Implies(a, b) => zipped(a, b, |a, b| !a || b),
            Formula::Iff(a, b) => zipped(a, b, |a, b| a == b),
            Formula::Path(false, body) => self.some_run(body),
            Formula::Path(true, body) => self.all_runs(body),
            Formula::Can(group, body) => self.can(&self.program.groups[*group], body),
            Formula::Knows(agent, body) => self.known(&[vec![*agent]], body),
            Formula::KnowsOf(Known::Distributed, group, body) => {
                self.known(&[self.program.groups[*group].clone()], body)
            }
            Formula::KnowsOf(Known::Everybody, group, body) => self.known(&self.alone(*group), body),
            Formula::KnowsOf(Known::Common, group, body) => {
                // The greatest fixed point of: every member knows that f, and that this is so.
                let mut label = vec![true; count];
                let f = self.of_state(body);
                loop {
                    let both = both(f.clone(), label.clone(), |a, b| a && b);
                    let next = self.among_alike(&self.alone(*group), &both);
                    if next == label {
                        return label;
                    }
                    label = next;
                }
            }
            Formula::Obliged(agent, body) => {
                let red = self.red(*agent);
                let good = both(self.of_state(body), red, |body, red| body || red);
                let counts = self.some_run(&Formula::Truth(true));
                let is_kept = (0..count).all(|state| good[state] || !counts[state]);
                vec![is_kept; count]
            }
            Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) | Formula::Until(..) => {
                unreachable!("{formula:?} is about runs")
            }
        }
    }

    /// The same, also of a formula about runs: in which states all runs satisfy it.
    fn of_state(&self, formula: &Formula) -> Vec<bool> {
        if formula.temporal() == 0 { self.label(formula) } else { self.all_runs(formula) }
    }

    fn all_runs(&self, body: &Formula) -> Vec<bool> {
        self.some_run(&Formula::Not(Box::new(body.clone()))).into_iter().map(|it| !it).collect()
    }

    /// In which states a group can bring about something, by the states that it can see to one step before.
    fn can(&self, group: &[usize], body: &Formula) -> Vec<bool> {
        let all = |value| vec![value; self.states.len()];
        let step = |set: &[bool]| self.forcing(group, set);
        if !self.program.fairness.is_empty() {
            return self.can_fairly(group, body);
        }
        let (is_least, stays, goal) = match body {
            Formula::Next(a) => return step(&self.label(a)),
            Formula::Finally(a) => (true, all(true), self.label(a)),
            Formula::Globally(a) => (false, self.label(a), all(false)),
            Formula::Until(a, b) => (true, self.label(a), self.label(b)),
            other => unreachable!("{other:?} has no temporal operator"),
        };
        let mut set = all(!is_least);
        loop {
            let next: Vec<bool> = step(&set);
            let next = both(goal.clone(), both(stays.clone(), next, |a, b| a && b), |a, b| a || b);
            if next == set {
                return set;
            }
            set = next;
        }
    }

    fn forcing(&self, group: &[usize], set: &[bool]) -> Vec<bool> {
        (0..self.states.len()).map(|state| self.can_force(group, state, set)).collect()
    }

    /// The same under fairness: the fixed points of MCMAS, in which the others have to enforce a fair run.
    fn can_fairly(&self, group: &[usize], body: &Formula) -> Vec<bool> {
        let not = |set: Vec<bool>| set.into_iter().map(|it| !it).collect::<Vec<bool>>();
        let and = |one: Vec<bool>, other: Vec<bool>| both(one, other, |a, b| a && b);
        let or = |one: Vec<bool>, other: Vec<bool>| both(one, other, |a, b| a || b);
        let acts = self.states.iter().map(|state| !self.possible(state).iter().any(Vec::is_empty)).collect();
        let possible = self.enforced(&[], acts);
        let fair = self.enforced(group, possible.clone());
        match body {
            Formula::Next(a) => self.forcing(group, &or(self.label(a), not(fair))),
            Formula::Finally(a) => not(self.enforced(group, and(possible, not(self.label(a))))),
            Formula::Globally(a) => not(self.led(group, &and(possible.clone(), not(self.label(a))), &possible)),
            Formula::Until(a, b) => {
                let (stays, goal) = (self.label(a), self.label(b));
                let open = and(possible, not(goal.clone()));
                let ends = and(and(not(stays), not(goal)), fair);
                not(or(self.led(group, &ends, &open), self.enforced(group, open)))
            }
            other => unreachable!("{other:?} has no temporal operator"),
        }
    }

    /// From which states the others can lead to some states, by those of a set.
    fn led(&self, group: &[usize], to: &[bool], by: &[bool]) -> Vec<bool> {
        let mut led = vec![false; self.states.len()];
        loop {
            let more = both(by.to_vec(), self.prevented(group, &led), |a, b| a && b);
            let next = both(to.to_vec(), more, |a, b| a || b);
            if next == led {
                return led;
            }
            led = next;
        }
    }

    /// In which states the others can see to it that the next state is one of some.
    fn prevented(&self, group: &[usize], set: &[bool]) -> Vec<bool> {
        let others: Vec<bool> = set.iter().map(|it| !it).collect();
        self.forcing(group, &others).into_iter().map(|it| !it).collect()
    }

    /// In which states the others can see to it that some states are not left, and that each condition of fairness is met again and again.
    fn enforced(&self, group: &[usize], stays: Vec<bool>) -> Vec<bool> {
        let mut set = stays.clone();
        loop {
            let mut next = stays.clone();
            for condition in &self.program.fairness {
                let there = both(set.clone(), self.label(condition), |a, b| a && b);
                let leads = self.led(group, &there, &stays);
                next = both(next, self.prevented(group, &leads), |a, b| a && b);
            }
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// True if some actions of the members lead to some states, whatever the others do.
    fn can_force(&self, group: &[usize], state: usize, set: &[bool]) -> bool {
        let possible = self.possible(&self.states[state]);
        let all = product(&possible);
        let members = |actions: &[usize]| -> Vec<usize> { group.iter().map(|agent| actions[*agent]).collect() };
        all.iter().any(|chosen| {
            all.iter().filter(|actions| members(actions) == members(chosen)).all(|actions| {
                let targets = self.by(&self.states[state], actions);
                targets
                    .iter()
                    .all(|target| set[self.states.iter().position(|it| it == target).expect("it is reachable")])
            })
        })
    }

    fn alone(&self, group: usize) -> Vec<Vec<usize>> {
        self.program.groups[group].iter().map(|member| vec![*member]).collect()
    }

    fn known(&self, views: &[Vec<usize>], body: &Formula) -> Vec<bool> {
        self.among_alike(views, &self.of_state(body))
    }

    /// The states in which something is true in all states on runs that count that look alike to one of the views.
    fn among_alike(&self, views: &[Vec<usize>], label: &[bool]) -> Vec<bool> {
        let counts = self.some_run(&Formula::Truth(true));
        let sees = |view: &[usize], state: usize| -> Vec<i64> {
            let seen = view.iter().flat_map(|agent| self.program.seen(*agent));
            seen.map(|(agent, variable)| self.states[state][agent][variable]).collect()
        };
        let is_known = |here: usize| {
            views.iter().all(|view| {
                let mut alike = (0..self.states.len()).filter(|there| sees(view, here) == sees(view, *there));
                alike.all(|there| label[there] || !counts[there])
            })
        };
        (0..self.states.len()).map(is_known).collect()
    }

    /// In which states some run that counts begins that satisfies a formula: runs together with guesses of which temporal
    /// subformulas are true, step by step, that are not pending for ever.
    fn some_run(&self, formula: &Formula) -> Vec<bool> {
        let mut parts = Parts::default();
        let root = parts.add(self, formula);
        let guesses = 1usize << parts.temporal.len();
        let node = |state: usize, guess: usize| state * guesses + guess;
        let count = self.states.len() * guesses;
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
        for state in 0..self.states.len() {
            for guess in 0..guesses {
                for next in self.steps[state].iter().collect::<BTreeSet<_>>() {
                    for after in 0..guesses {
                        if parts.agree((state, guess), (*next, after)) {
                            edges[node(state, guess)].push(node(*next, after));
                        }
                    }
                }
            }
        }
        let fair: Vec<Vec<bool>> = self.program.fairness.iter().map(|it| self.label(it)).collect();
        let mut conditions: Vec<Vec<bool>> = Vec::new();
        for label in fair {
            conditions.push((0..count).map(|it| label[it / guesses]).collect());
        }
        for number in 0..parts.temporal.len() {
            conditions.push((0..count).map(|it| parts.is_served(number, it / guesses, it % guesses)).collect());
        }
        // The nodes from which a run can visit each condition again and again.
        let mut good = vec![true; count];
        loop {
            let before = good.clone();
            let conditions = conditions.iter().chain([&vec![true; count]]).cloned().collect::<Vec<_>>();
            for condition in conditions {
                let target: Vec<bool> = (0..count).map(|it| good[it] && condition[it]).collect();
                let mut reaching = vec![false; count];
                loop {
                    let mut is_new = false;
                    for it in 0..count {
                        if good[it] && !reaching[it] && edges[it].iter().any(|to| target[*to] || reaching[*to]) {
                            (reaching[it], is_new) = (true, true);
                        }
                    }
                    if !is_new {
                        break;
                    }
                }
                good = reaching;
            }
            if good == before {
                break;
            }
        }
        let begins =
            |state: usize| (0..guesses).any(|guess| good[node(state, guess)] && parts.value(root, state, guess));
        (0..self.states.len()).map(begins).collect()
    }
}

/// A formula about runs in pieces.
#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    /// Those that are temporal operators: the guesses are about these.
    temporal: Vec<usize>,
}

enum Part {
    Label(Vec<bool>),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
    Iff(usize, usize),
    /// The number among the temporal ones.
    Next(usize, usize),
    Finally(usize, usize),
    Globally(usize, usize),
    Until(usize, usize, usize),
}

impl Parts {
    fn add(&mut self, naive: &Naive, formula: &Formula) -> usize {
        let part = match formula {
            _ if formula.temporal() == 0 => Part::Label(naive.label(formula)),
            Formula::Not(a) => Part::Not(self.add(naive, a)),
            Formula::All(list) => Part::All(list.iter().map(|it| self.add(naive, it)).collect()),
            Formula::Any(list) => Part::Any(list.iter().map(|it| self.add(naive, it)).collect()),
            Formula::Implies(a, b) => {
                let a = self.add(naive, a);
                self.list.push(Part::Not(a));
                Part::Any(vec![self.list.len() - 1, self.add(naive, b)])
            }
            Formula::Iff(a, b) => Part::Iff(self.add(naive, a), self.add(naive, b)),
            Formula::Next(a) => Part::Next(self.add(naive, a), self.number()),
            Formula::Finally(a) => Part::Finally(self.add(naive, a), self.number()),
            Formula::Globally(a) => Part::Globally(self.add(naive, a), self.number()),
            Formula::Until(a, b) => {
                let (a, b) = (self.add(naive, a), self.add(naive, b));
                Part::Until(a, b, self.number())
            }
            other => unreachable!("{other:?} is about states"),
        };
        self.list.push(part);
        let index = self.list.len() - 1;
        if let Part::Next(_, number)
        | Part::Finally(_, number)
        | Part::Globally(_, number)
        | Part::Until(_, _, number) = self.list[index]
        {
            self.temporal[number] = index;
        }
        index
    }

    fn number(&mut self) -> usize {
        self.temporal.push(usize::MAX);
        self.temporal.len() - 1
    }

    fn value(&self, part: usize, state: usize, guess: usize) -> bool {
        let value = |part: &usize| self.value(*part, state, guess);
        match &self.list[part] {
            Part::Label(label) => label[state],
            Part::Not(a) => !value(a),
            Part::All(list) => list.iter().all(value),
            Part::Any(list) => list.iter().any(value),
            Part::Iff(a, b) => value(a) == value(b),
            Part::Next(_, number)
            | Part::Finally(_, number)
            | Part::Globally(_, number)
            | Part::Until(_, _, number) => guess >> number & 1 == 1,
        }
    }

    /// True if the guesses here are right, given the truth here and the guesses there.
    fn agree(&self, (state, guess): (usize, usize), (next, after): (usize, usize)) -> bool {
        self.temporal.iter().enumerate().all(|(number, part)| {
            let (now, then) = (guess >> number & 1 == 1, after >> number & 1 == 1);
            let here = |part: &usize| self.value(*part, state, guess);
            now == match &self.list[*part] {
                Part::Next(a, _) => self.value(*a, next, after),
                Part::Finally(a, _) => here(a) || then,
                Part::Globally(a, _) => here(a) && then,
                Part::Until(a, b, _) => here(b) || here(a) && then,
                _ => unreachable!("it is temporal"),
            }
        })
    }

    /// True if nothing is pending here.
    fn is_served(&self, number: usize, state: usize, guess: usize) -> bool {
        let now = guess >> number & 1 == 1;
        match &self.list[self.temporal[number]] {
            Part::Finally(a, _) | Part::Until(_, a, _) => !now || self.value(*a, state, guess),
            Part::Globally(a, _) => now || !self.value(*a, state, guess),
            _ => true,
        }
    }
}

fn both(one: Vec<bool>, other: Vec<bool>, op: fn(bool, bool) -> bool) -> Vec<bool> {
    one.into_iter().zip(other).map(|(one, other)| op(one, other)).collect()
}

/// All ways to take one of each list; the last one changes fastest.
fn product(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let extended = |prefix: &Vec<usize>| {
            let prefix = prefix.clone();
            list.iter().map(move |item| prefix.iter().copied().chain([*item]).collect::<Vec<usize>>())
        };
        all.iter().flat_map(extended).collect()
    })
}

/// The value of quotients that are no integers, which no variable has.
const BROKEN: i64 = i64::MIN;

/// The value of an expression.
fn evaluate(expr: &Expr, state: &State, actions: &[usize]) -> i64 {
    let (over, by) = ratio(expr, state, actions);
    if over % by == 0 { over / by } else { BROKEN }
}

/// A number as a fraction with a positive denominator.
fn ratio(expr: &Expr, state: &State, actions: &[usize]) -> (i64, i64) {
    let ratio = |expr: &Expr| ratio(expr, state, actions);
    if let Expr::Binary(op @ ("+" | "-" | "*" | "/"), left, right) = expr {
        let ((a, b), (c, d)) = (ratio(left), ratio(right));
        return match *op {
            "+" => (a * d + c * b, b * d),
            "-" => (a * d - c * b, b * d),
            "*" => (a * c, b * d),
            _ => (a * d * c.signum(), b * c.abs()),
        };
    }
    (integer(expr, state, actions), 1)
}

/// The value of an expression that is no sum, product or quotient.
fn integer(expr: &Expr, state: &State, actions: &[usize]) -> i64 {
    let value = |expr: &Expr| evaluate(expr, state, actions);
    match expr {
        Expr::Truth(value) => i64::from(*value),
        Expr::Number(number) | Expr::Constant(number) => *number,
        Expr::Variable(agent, variable) => state[*agent][*variable],
        Expr::Acts(agent, action, is_so) => i64::from((actions[*agent] == *action) == *is_so),
        Expr::Not(inner) => 1 - value(inner),
        Expr::All(list) => i64::from(list.iter().all(|it| value(it) == 1)),
        Expr::Any(list) => i64::from(list.iter().any(|it| value(it) == 1)),
        Expr::Implies(left, right) => i64::from(value(left) == 0 || value(right) == 1),
        Expr::Binary(op, left, right) => {
            let ((a, b), (c, d)) = (ratio(left, state, actions), ratio(right, state, actions));
            let (left, right) = (a * d, c * b);
            i64::from(match *op {
                "=" => left == right,
                "<>" | "^" => left != right,
                "<" => left < right,
                "<=" => left <= right,
                ">" => left > right,
                ">=" => left >= right,
                "&" => left == 1 && right == 1,
                "|" => left == 1 || right == 1,
                other => panic!("{other} is no operator"),
            })
        }
    }
}
