//! What some run does, beyond branching time: the product of states with an automaton whose states are bits, one for each temporal
//! operator, that say what the rest of the run does (Clarke, Grumberg, Hamaguchi, *Another look at LTL model checking*, Formal Methods
//! in System Design 1997), and the runs of it that are fair (Emerson, Lei, *Efficient model checking in fragments of the
//! propositional mu-calculus*, LICS 1986).

use super::branching::{Judge, about_steps};
use super::search::closure;
use crate::diagrams::{Levels, Set, and, down, exists, not, or, up, without};
use crate::limits::{Reason, tick};
use crate::model::Formula;

/// One bit of the automaton, and what its value says.
struct Obligation {
    /// Its place among the bits.
    bit: usize,
    /// Where the next state has to be, in terms of states and bits there.
    next: Set,
}

/// An automaton of linear formulas.
#[derive(Default)]
struct Automaton {
    obligations: Vec<Obligation>,
    /// Each has to be visited infinitely often.
    fair: Vec<Set>,
}

/// The number of temporal operators: so many bits are enough.
pub fn bits(formula: &Formula) -> usize {
    let mut count = usize::from(matches!(
        formula,
        Formula::Next(_)
            | Formula::Finally(_)
            | Formula::Globally(_)
            | Formula::Until(..)
            | Formula::WeakUntil(..)
            | Formula::Release(..)
    ));
    formula.for_each_child(&mut |child| count += bits(child));
    if let Formula::Branching(branching) = formula {
        count += branching.among.as_ref().map_or(0, bits);
    }
    count
}

impl Judge<'_> {
    /// The reachable states from which some run gives all of these formulas these truths.
    pub(super) fn some_run(&mut self, demands: &[(&Formula, bool)]) -> Result<Set, Reason> {
        let (automaton, set) = self.product(demands)?;
        Ok(self.projected(&automaton, &set))
    }

    /// The states on runs from the initial states that satisfy a formula.
    pub(super) fn on_runs(&mut self, formula: &Formula) -> Result<Set, Reason> {
        let (automaton, set) = self.product(&[(formula, true)])?;
        let fair = self.fair(&automaton);
        let starts = and(&set, &self.search.steps.initial);
        let all = closure(starts, |set| and(&self.successors_of(&automaton, set), &fair));
        Ok(self.projected(&automaton, &all))
    }

    fn projected(&self, automaton: &Automaton, set: &Set) -> Set {
        and(&exists(set, self.levels(automaton)), &self.reachable)
    }

    /// The automaton of formulas, and the fair states of the product in which they have these truths.
    fn product(&mut self, demands: &[(&Formula, bool)]) -> Result<(Automaton, Set), Reason> {
        let mut automaton = Automaton::default();
        let mut set = self.reachable.clone();
        for (formula, truth) in demands {
            let one = self.automaton_of(formula, *truth, &mut automaton)?;
            set = and(&set, &one);
        }
        let fair = self.fair(&automaton);
        Ok((automaton, and(&set, &fair)))
    }

    /// Where a formula has a truth in the product.
    fn automaton_of(&mut self, formula: &Formula, truth: bool, automaton: &mut Automaton) -> Result<Set, Reason> {
        if formula.is_about_state() {
            return self.state_where(formula, truth);
        }
        let mut of = |inner: &Formula, truth: bool| self.automaton_of(inner, truth, automaton);
        let negated = |set: Set| if truth { set } else { not(&set) };
        Ok(match formula {
            Formula::Not(inner) => of(inner, !truth)?,
            Formula::And(list) | Formula::Or(list) => {
                let is_joint = matches!(formula, Formula::And(_)) == truth;
                let parts = list.iter().map(|part| of(part, truth)).collect::<Result<Vec<_>, _>>()?;
                let join = if is_joint { and } else { or };
                parts.into_iter().reduce(|all, part| join(&all, &part)).unwrap_or(self.search.space.constant(is_joint))
            }
            Formula::Implies(left, right) => {
                let join = if truth { or } else { and };
                join(&of(left, !truth)?, &of(right, truth)?)
            }
            Formula::Iff(left, right) => {
                let (left, right) = (of(left, true)?, of(right, true)?);
                let same = or(&and(&left, &right), &not(&or(&left, &right)));
                negated(same)
            }
            Formula::Next(inner) => {
                let next = of(inner, truth)?;
                self.bit_of(automaton, |_| next)
            }
            Formula::Finally(inner) => {
                let goal = of(inner, true)?;
                negated(self.until(automaton, None, goal))
            }
            Formula::Globally(inner) => {
                let fails = of(inner, false)?;
                not(&negated(self.until(automaton, None, fails)))
            }
            Formula::Until(left, right) => {
                let (hold, goal) = (of(left, true)?, of(right, true)?);
                negated(self.until(automaton, Some(hold), goal))
            }
            Formula::WeakUntil(left, right) => {
                let (left, right) = (of(left, false)?, of(right, false)?);
                let both = and(&left, &right);
                not(&negated(self.until(automaton, Some(right), both)))
            }
            Formula::Release(left, right) => {
                let (hold, goal) = (of(left, false)?, of(right, false)?);
                not(&negated(self.until(automaton, Some(hold), goal)))
            }
            Formula::Label(..) | Formula::Possible(..) | Formula::Necessary(..) => {
                return Err(about_steps());
            }
            Formula::Atom(_) | Formula::Branching(_) => unreachable!("it is about a state"),
        })
    }

    /// A new bit: what it says of the next state follows from where it is set.
    fn bit_of(&self, automaton: &mut Automaton, next: impl FnOnce(&Set) -> Set) -> Set {
        let bit = automaton.obligations.len();
        let set = self.search.space.spare_bit(bit);
        automaton.obligations.push(Obligation { bit, next: next(&set) });
        set
    }

    /// Where a goal comes, and until then something holds.
    fn until(&self, automaton: &mut Automaton, hold: Option<Set>, goal: Set) -> Set {
        let comes = |bit: &Set| or(&goal, &hold.as_ref().map_or_else(|| bit.clone(), |hold| and(hold, bit)));
        let bit = self.bit_of(automaton, comes);
        let until = comes(&bit);
        automaton.fair.push(or(&not(&until), &goal));
        until
    }

    /// The levels of all bits.
    fn levels(&self, automaton: &Automaton) -> Levels {
        self.search.space.spare_levels(automaton.obligations.len())
    }

    /// The levels of all next bits.
    fn next_levels(&self, automaton: &Automaton) -> Levels {
        self.search.space.next_spare_levels(automaton.obligations.len())
    }

    /// A set with what the bits of its states say of the states before, in terms of the next bits.
    fn connected(&self, automaton: &Automaton, set: Set) -> Set {
        let space = self.search.space;
        automaton.obligations.iter().fold(set, |set, it| {
            let (bit, next) = (space.spare_bit(it.bit), self.with_next_bits(automaton, &it.next));
            or(&and(&set, &and(&bit, &next)), &without(&without(&set, &bit), &next))
        })
    }

    fn with_next_bits(&self, automaton: &Automaton, set: &Set) -> Set {
        down(set, self.levels(automaton))
    }

    fn predecessors_of(&self, automaton: &Automaton, set: &Set) -> Set {
        let connected = self.connected(automaton, self.with_next_bits(automaton, set));
        self.search.predecessors(&exists(&connected, self.next_levels(automaton)))
    }

    fn successors_of(&self, automaton: &Automaton, set: &Set) -> Set {
        let connected = self.connected(automaton, self.search.successors(set));
        let after = exists(&connected, self.levels(automaton));
        up(&after, self.levels(automaton))
    }

    /// The states of the product from which a run visits each fair set infinitely often.
    fn fair(&self, automaton: &Automaton) -> Set {
        let always = vec![self.search.space.constant(true)];
        let sets = if automaton.fair.is_empty() { &always } else { &automaton.fair };
        let mut all = self.reachable.clone();
        loop {
            let before = all.clone();
            for set in sets {
                tick();
                let leads = closure(and(&all, set), |set| and(&self.predecessors_of(automaton, set), &all));
                all = and(&all, &self.predecessors_of(automaton, &leads));
            }
            if all == before {
                return all;
            }
        }
    }
}
