//! In which reachable states formulas are true: branching time by fixpoints (Clarke, Emerson, Sistla, *Automatic verification of finite-state
//! concurrent systems using temporal logic specifications*, TOPLAS 1986), knowledge by forgetting what is not seen.
//!
//! Truth on all runs is decided by the runs that make the formula false.

use super::Unfit;
use super::linear::Promises;
use super::package::{ALL, NONE, Set};
use super::returning::returning;
use super::space::{Slot, Space, places};
use super::steps::{Steps, before, boolean, initial};
use crate::limits::tick;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::State;
use crate::model::eval::truth::operands;
use crate::model::formula::{StateLeaf, Strength};
use crate::model::{Expr, Formula, InstanceId, LocalId};
use rustc_hash::FxHashMap;

/// The reachable states, and the formulas that are known to be true in some of them.
pub struct Labels<'m, 'f> {
    space: Space<'m>,
    steps: Steps,
    initial: Set,
    reachable: Set,
    known: FxHashMap<&'f Branching, Set>,
}

impl<'m, 'f> Labels<'m, 'f> {
    /// Of the states of a model.
    pub fn new(mut space: Space<'m>) -> Result<Labels<'m, 'f>, Unfit> {
        let initial = initial(&mut space)?;
        let steps = Steps::new(&mut space, initial)?;
        let reachable = steps.reachable;
        Ok(Labels { space, steps, initial, reachable, known: FxHashMap::default() })
    }

    /// True if all runs from initial states satisfy a formula.
    pub fn is_true(&mut self, formula: &'f Formula) -> Result<bool, Unfit> {
        let mark = self.space.package.mark();
        let fails = self.on_some_run(&[(formula, false)])?;
        let is_true = self.space.package.and(self.initial, fails) == NONE;
        let mut wanted: Vec<&mut Set> = self.known.values_mut().collect();
        self.space.package.forget(mark, &mut wanted);
        Ok(is_true)
    }

    /// True if there are initial states.
    pub fn has_start(&self) -> bool {
        self.initial != NONE
    }

    /// How many states are reachable.
    pub fn states(&self) -> String {
        self.space.count(self.reachable)
    }

    /// In how many states a branching formula is true.
    pub fn count(&mut self, branching: &'f Branching) -> Result<String, Unfit> {
        let label = self.label(branching)?;
        Ok(self.space.count(label))
    }

    /// True if a state is reachable.
    pub fn is_reachable(&self, state: &State) -> bool {
        self.space.contains(self.reachable, state)
    }

    /// True if a branching formula that was labelled is true in a state; nothing if it was not.
    pub fn is_true_in(&self, branching: &Branching, state: &State) -> Option<bool> {
        Some(self.space.contains(*self.known.get(branching)?, state))
    }

    /// The reachable states that are not in a set.
    fn others(&mut self, set: Set) -> Set {
        self.space.package.without(self.reachable, set)
    }

    /// In which states a branching formula is true.
    fn label(&mut self, branching: &'f Branching) -> Result<Set, Unfit> {
        if let Some(known) = self.known.get(branching) {
            return Ok(*known);
        }
        let assumed = branching.among.as_ref().map(|assumed| (assumed, true));
        let runs = |truth| assumed.into_iter().chain([(&branching.body, truth)]).collect::<Vec<_>>();
        let label = match &branching.operator {
            Operator::All => {
                let fails = self.on_some_run(&runs(false))?;
                self.others(fails)
            }
            Operator::Some => self.on_some_run(&runs(true))?,
            Operator::Known(knowledge, group) => {
                let body = self.of_state(&branching.body)?;
                let possible = match &branching.among {
                    Some(assumed) => self.visited(assumed)?,
                    None => self.reachable,
                };
                let doubted = self.space.package.without(possible, body);
                self.known_by(*knowledge, group, possible, doubted)
            }
            Operator::Strategy(_) => return Err(Unfit::Strategies),
        };
        self.known.insert(branching, label);
        Ok(label)
    }

    /// In which states a state formula is true.
    fn of_state(&mut self, formula: &'f Formula) -> Result<Set, Unfit> {
        if !formula.is_about_state() {
            return Err(Unfit::Runs);
        }
        let set = if let Formula::Branching(branching) = formula {
            self.label(branching)?
        } else {
            let parts = operands(formula).into_iter().map(|part| self.of_state(part));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let Labels { space, steps, .. } = self;
            boolean(space, formula, &parts, |space, expr| steps.truth(space, expr))?
        };
        Ok(self.space.package.and(set, self.reachable))
    }

    /// In which states a state formula has a truth.
    fn where_it_is(&mut self, formula: &'f Formula, truth: bool) -> Result<Set, Unfit> {
        let set = self.of_state(formula)?;
        Ok(if truth { set } else { self.others(set) })
    }

    /// From which states some run gives all these formulas these truths.
    fn on_some_run(&mut self, demands: &[(&'f Formula, bool)]) -> Result<Set, Unfit> {
        if let [(formula, truth)] = demands {
            match self.on_all_runs(formula, !truth) {
                Ok(others) => return Ok(self.others(others)),
                Err(Unfit::Runs) => {}
                Err(why) => return Err(why),
            }
        }
        let mut promises = Promises::default();
        let set = self.demanded(demands, &mut promises)?;
        let set = promises.forgotten(&mut self.space, set);
        Ok(self.space.package.and(set, self.reachable))
    }

    /// The states from which a run keeps all promises, and in which they amount to these formulas with these truths.
    fn demanded(&mut self, demands: &[(&'f Formula, bool)], promises: &mut Promises) -> Result<Set, Unfit> {
        let mut all = self.reachable;
        for (formula, truth) in demands {
            let set = self.promised(formula, promises)?;
            let set = if *truth { set } else { self.space.package.not(set) };
            all = self.space.package.and(all, set);
        }
        let kept = promises.kept_for_ever(&mut self.space, &self.steps, self.reachable, all);
        Ok(self.space.package.and(all, kept))
    }

    /// The states on runs that begin in an initial state and satisfy a formula.
    fn visited(&mut self, formula: &'f Formula) -> Result<Set, Unfit> {
        let mut promises = Promises::default();
        let starts = self.demanded(&[(formula, true)], &mut promises)?;
        let starts = self.space.package.and(starts, self.initial);
        let Labels { space, steps, reachable, .. } = self;
        let all = promises.reachable(space, steps, starts);
        let kept = promises.kept_for_ever(space, steps, *reachable, starts);
        let all = space.package.and(all, kept);
        Ok(promises.forgotten(space, all))
    }

    /// The set where promises amount to a formula.
    fn promised(&mut self, formula: &'f Formula, promises: &mut Promises) -> Result<Set, Unfit> {
        if let Formula::Atom(Expr::Const(value)) = formula {
            return Ok(if value.as_bool() { ALL } else { NONE });
        }
        if formula.is_about_state() {
            return self.of_state(formula);
        }
        if let Some(labels) = formula.labels() {
            let taken = self.steps.taken(&self.space, &labels)?;
            return Ok(promises.watched(&mut self.space, taken));
        }
        let parts = operands(formula).into_iter().map(|part| self.promised(part, promises));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let space = &mut self.space;
        Ok(match formula {
            Formula::Observed(observation) => {
                let seen = self.steps.observed(space, observation)?;
                promises.watched(space, seen)
            }
            Formula::Next(_) => promises.next(space, parts[0]),
            Formula::Until(Strength::Strong, ..) => promises.until(space, parts[0], parts[1]),
            // The right side stays false until both are.
            Formula::Until(Strength::Weak, ..) => {
                let (left, right) = (space.package.not(parts[0]), space.package.not(parts[1]));
                let both = space.package.and(left, right);
                let fails = promises.until(space, right, both);
                space.package.not(fails)
            }
            Formula::Atom(_)
            | Formula::Label(..)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Branching(_) => {
                boolean(space, formula, &parts, |_, _| unreachable!("an atom is about a state"))?
            }
        })
    }

    /// From which states on a formula has this truth on all runs, if it can be taken apart into operators of branching time.
    fn on_all_runs(&mut self, formula: &'f Formula, truth: bool) -> Result<Set, Unfit> {
        tick();
        if formula.is_about_state() {
            return self.where_it_is(formula, truth);
        }
        if let Some(held) = formula.sometime(truth).and_then(|inner| inner.always(truth))
            && held.is_about_state()
        {
            let fails = self.where_it_is(held, !truth)?;
            let fails = self.some_return(fails);
            return Ok(self.others(fails));
        }
        match (formula, truth) {
            (Formula::Not(inner), _) => self.on_all_runs(inner, !truth),
            (Formula::And(list), true) | (Formula::Or(list), false) => {
                let parts: Vec<_> = list.iter().map(|part| (part, truth)).collect();
                self.all_of(&parts)
            }
            (Formula::And(list), false) | (Formula::Or(list), true) => {
                let parts: Vec<_> = list.iter().map(|part| (part, truth)).collect();
                self.some_of(&parts)
            }
            (Formula::Next(inner), _) => {
                let fails = self.fails(inner, truth)?;
                let before = self.steps.before(&mut self.space, fails);
                Ok(self.others(before))
            }
            (Formula::Until(Strength::Strong, left, right), true) => {
                let (hold, goal) = (self.where_it_is(left, true)?, self.where_it_is(right, true)?);
                Ok(self.all_until(hold, goal))
            }
            // Up to and including the first state in which the left side is false, so is the right one.
            (Formula::Until(Strength::Strong, left, right), false) => self.all_released(left, false, (right, false)),
            // The left side is false, for the first time, before or when the right side is true.
            (Formula::Until(Strength::Weak, left, right), true) => {
                let (end, fails) = (self.where_it_is(right, true)?, self.fails(left, true)?);
                let open = self.others(end);
                let fails = self.space.package.and(open, fails);
                let fails = self.some_until(open, fails);
                Ok(self.others(fails))
            }
            (Formula::Until(Strength::Weak, left, right), false) => {
                let (left, right) = (self.where_it_is(left, false)?, self.where_it_is(right, false)?);
                let goal = self.space.package.and(left, right);
                Ok(self.all_until(right, goal))
            }
            (Formula::Label(..) | Formula::Observed(_) | Formula::Iff(..), _) => Err(Unfit::Runs),
            (Formula::Atom(_) | Formula::Branching(_), _) => unreachable!("it is about a state"),
        }
    }

    /// From which states on a formula has the other truth on some run.
    fn fails(&mut self, formula: &'f Formula, truth: bool) -> Result<Set, Unfit> {
        let holds = self.on_all_runs(formula, truth)?;
        Ok(self.others(holds))
    }

    /// From which states on all these formulas have these truths on all runs.
    fn all_of(&mut self, parts: &[(&'f Formula, bool)]) -> Result<Set, Unfit> {
        let mut all = self.reachable;
        for (part, truth) in parts {
            let one = self.on_all_runs(part, *truth)?;
            all = self.space.package.and(all, one);
        }
        Ok(all)
    }

    /// The same for some of them, of which one at most depends on the run.
    fn some_of(&mut self, parts: &[(&'f Formula, bool)]) -> Result<Set, Unfit> {
        if parts.iter().filter(|(part, _)| !part.is_about_state()).count() > 1 {
            return Err(Unfit::Runs);
        }
        let mut some = NONE;
        for (part, truth) in parts {
            let one = self.on_all_runs(part, *truth)?;
            some = self.space.package.or(some, one);
        }
        Ok(some)
    }

    /// From which states on all runs a formula has a truth up to and including the first state in which a state formula has its.
    fn all_released(&mut self, end: &'f Formula, at: bool, (held, truth): (&'f Formula, bool)) -> Result<Set, Unfit> {
        let (end, fails) = (self.where_it_is(end, at)?, self.fails(held, truth)?);
        let open = self.others(end);
        let fails = self.some_until(open, fails);
        Ok(self.others(fails))
    }

    /// From which states some run leads to a goal, through these states.
    fn some_until(&mut self, through: Set, goal: Set) -> Set {
        let Labels { space, steps, .. } = self;
        space.closure(goal, |space, set| {
            let before = steps.before(space, set);
            space.package.and(before, through)
        })
    }

    /// From which states some run stays in a set for ever.
    fn some_stay(&mut self, inside: Set) -> Set {
        let Labels { space, steps, .. } = self;
        let inner = steps.within(space, inside);
        let relations = returning(space, inner);
        let mark = self.space.package.mark();
        let mut all = inside;
        loop {
            tick();
            let before = before(&relations, &mut self.space, all);
            let next = self.space.package.and(all, before);
            if next == all {
                return self.some_until(inside, all);
            }
            all = next;
            self.space.package.forget(mark, &mut [&mut all]);
        }
    }

    /// From which states some run visits a set again and again.
    fn some_return(&mut self, set: Set) -> Set {
        let lead = self.some_until(self.reachable, set);
        let Labels { space, steps, .. } = self;
        let inner = steps.within(space, lead);
        let relations = returning(space, inner);
        let mark = space.package.mark();
        let mut all = set;
        loop {
            tick();
            let lead = self.space.closure(all, |space, set| before(&relations, space, set));
            let before = before(&relations, &mut self.space, lead);
            let next = self.space.package.and(all, before);
            if next == all {
                return self.some_until(self.reachable, all);
            }
            all = next;
            self.space.package.forget(mark, &mut [&mut all]);
        }
    }

    /// From which states all runs lead to a goal, through these states.
    fn all_until(&mut self, through: Set, goal: Set) -> Set {
        let open = self.others(goal);
        let lost = self.space.package.without(open, through);
        let left = self.some_until(open, lost);
        let late = self.some_stay(open);
        let fails = self.space.package.or(left, late);
        self.others(fails)
    }

    /// In which states something is known that is false in these, of those that are possible.
    fn known_by(&mut self, knowledge: Knowledge, group: &[InstanceId], possible: Set, mut doubted: Set) -> Set {
        let views: Vec<&[InstanceId]> = if knowledge.is_joint() { vec![group] } else { group.chunks(1).collect() };
        let hidden: Vec<_> = views.iter().map(|view| self.hidden(view)).collect();
        loop {
            tick();
            let mut alike = NONE;
            for hidden in &hidden {
                let hidden = self.space.levels_of(hidden);
                let like = self.space.package.some(doubted, hidden);
                alike = self.space.package.or(alike, like);
            }
            let alike = self.space.package.and(alike, self.reachable);
            let further = self.space.package.and(alike, possible);
            if knowledge != Knowledge::Common || further == doubted {
                return self.others(alike);
            }
            doubted = further;
        }
    }

    /// The variables that no member sees.
    fn hidden(&self, group: &[InstanceId]) -> Vec<Slot> {
        let model = self.space.model;
        let leaf = |(owner, place): Slot| match place {
            0 => StateLeaf::Automaton(InstanceId(owner)),
            local => StateLeaf::Local(InstanceId(owner), LocalId(local - 1)),
        };
        places(model).into_iter().filter(|place| !model.is_seen_by(group, leaf(*place))).collect()
    }
}
