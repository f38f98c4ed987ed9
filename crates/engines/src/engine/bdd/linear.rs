//! Linear formulas under path quantifiers, beyond branching time: the product of states with an automaton whose states
//! are bits, one for each temporal operator, that say what the rest of the run does (Clarke, Grumberg, Hamaguchi,
//! *Another look at LTL model checking*, Formal Methods in System Design 1997), and the runs of it that are fair
//! (Emerson, Lei, *Efficient model checking in fragments of the propositional mu-calculus*, LICS 1986).

use super::branching::{Judge, about_receives};
use super::search::closure;
use crate::diagrams::{Levels, Set, Space, Step, and, down, exists, not, or, same, up};
use crate::limits::Reason;
use crate::model::formula::Strength;
use crate::model::{Expr, Formula};
use crate::ts::atoms::{Atoms, Read};
use crate::ts::system::EVENT;
use crate::ts::term::{Leaf, Terms};
use rustc_hash::FxHashMap;

/// One bit of the automaton, and what its value says.
pub(super) struct Obligation {
    /// Its place among the bits.
    pub(super) bit: usize,
    /// The set in which the next state has to be, in terms of states and bits there, exactly if the bit is set.
    pub(super) next: Set,
}

/// A bit that says whether the step from a state is one of some.
struct Watched {
    /// A label, one of some, or an observation.
    what: Formula,
    /// Its place among the bits.
    bit: usize,
    /// Per relation from which states its steps are.
    steps: Vec<Set>,
}

/// An automaton of linear formulas.
#[derive(Default)]
pub(super) struct Automaton {
    pub(super) obligations: Vec<Obligation>,
    watched: Vec<Watched>,
    /// Per relation from which states with bits its steps may be taken; all may if there are none.
    taken: Vec<Set>,
    /// The steps of the product, without what becomes of bits.
    pub(super) steps: Vec<Step>,
    /// Each has to be visited infinitely often.
    fair: Vec<Set>,
}

impl Automaton {
    /// The places of its bits.
    pub(super) fn bits(&self) -> impl Iterator<Item = usize> {
        self.obligations.iter().map(|it| it.bit).chain(self.watched.iter().map(|it| it.bit))
    }

    /// True if a step of a relation may be taken from a state of the product, given as the set of it alone.
    pub(super) fn may_take(&self, from: &Set, relation: usize) -> bool {
        self.taken.get(relation).is_none_or(|taken| !and(from, taken).is_false())
    }

    /// The sets that have to be visited infinitely often, of which there is one at least.
    pub(super) fn fair_sets(&self, space: &Space) -> Vec<Set> {
        if self.fair.is_empty() { vec![space.constant(true)] } else { self.fair.clone() }
    }
}

/// The number of temporal operators, and of what is said of steps: so many bits are enough.
pub fn bits(formula: &Formula) -> usize {
    let mut count = match formula {
        Formula::Next(_) | Formula::Until(..) | Formula::Label(..) | Formula::Observed(_) => 1,
        Formula::Atom(_)
        | Formula::Not(_)
        | Formula::And(_)
        | Formula::Or(_)
        | Formula::Iff(..)
        | Formula::Branching(_) => 0,
    };
    formula.for_each_child(&mut |child| count += bits(child));
    if let Formula::Branching(branching) = formula {
        count += branching.among.as_ref().map_or(0, bits);
    }
    count
}

impl Judge<'_> {
    /// The reachable states from which some run gives all of these formulas these truths.
    pub(super) fn some_run(&mut self, demands: &[(&Formula, bool)]) -> Result<Set, Reason> {
        let (automaton, _, set) = self.product(demands)?;
        Ok(self.projected(&automaton, &set))
    }

    /// The states on runs from the initial states that satisfy a formula.
    pub(super) fn on_runs(&mut self, formula: &Formula) -> Result<Set, Reason> {
        let (automaton, fair, set) = self.product(&[(formula, true)])?;
        let starts = and(&set, &self.search.steps.initial);
        let all = closure(starts, |set| and(&self.successors_of(&automaton, set), &fair));
        Ok(self.projected(&automaton, &all))
    }

    fn projected(&self, automaton: &Automaton, set: &Set) -> Set {
        and(&exists(set, self.levels(automaton)), &self.reachable)
    }

    /// The automaton of formulas, the fair states of the product, and those in which they have these truths.
    pub(super) fn product(&mut self, demands: &[(&Formula, bool)]) -> Result<(Automaton, Set, Set), Reason> {
        let mut automaton = Automaton::default();
        let mut set = self.reachable.clone();
        for (formula, truth) in demands {
            let one = self.automaton_of(formula, *truth, &mut automaton)?;
            set = and(&set, &one);
        }
        automaton.taken = self.taken(&automaton);
        let steps = self.search.steps.list.iter().enumerate();
        let taken = steps
            .map(|(number, step)| automaton.taken.get(number).map_or_else(|| step.clone(), |from| step.only(from)));
        automaton.steps = taken.collect();
        let fair = self.fair(&automaton, &set);
        let set = and(&set, &fair);
        Ok((automaton, fair, set))
    }

    /// The set of the product where a formula has a truth.
    fn automaton_of(&mut self, formula: &Formula, truth: bool, automaton: &mut Automaton) -> Result<Set, Reason> {
        if let Formula::Atom(Expr::Const(value)) = formula {
            return Ok(self.search.space.constant(value.as_bool() == truth));
        }
        if formula.is_about_state() {
            return self.state_where(formula, truth);
        }
        let negated = |set: Set| if truth { set } else { not(&set) };
        if formula.labels().is_some() {
            return Ok(negated(self.watched(automaton, formula)?));
        }
        let mut of = |inner: &Formula, truth: bool| self.automaton_of(inner, truth, automaton);
        Ok(match formula {
            Formula::Not(inner) => of(inner, !truth)?,
            Formula::And(list) | Formula::Or(list) => {
                let is_joint = matches!(formula, Formula::And(_)) == truth;
                let parts = list.iter().map(|part| of(part, truth)).collect::<Result<Vec<_>, _>>()?;
                let join = if is_joint { and } else { or };
                parts.into_iter().reduce(|all, part| join(&all, &part)).unwrap_or(self.search.space.constant(is_joint))
            }
            Formula::Iff(left, right) => {
                let (left, right) = (of(left, true)?, of(right, true)?);
                negated(same(&left, &right))
            }
            Formula::Next(inner) => {
                let next = of(inner, truth)?;
                self.bit_of(automaton, |_| next)
            }
            Formula::Until(Strength::Strong, left, right) => {
                let (hold, goal) = (of(left, true)?, of(right, true)?);
                negated(self.until(automaton, hold, goal))
            }
            Formula::Until(Strength::Weak, left, right) => {
                let (left, right) = (of(left, false)?, of(right, false)?);
                let both = and(&left, &right);
                not(&negated(self.until(automaton, right, both)))
            }
            Formula::Observed(_) => negated(self.watched(automaton, formula)?),
            Formula::Label(..) => unreachable!("it is one of some labels"),
            Formula::Atom(_) | Formula::Branching(_) => unreachable!("it is about a state"),
        })
    }

    /// A new bit: what it says of the next state follows from where it is set.
    fn bit_of(&self, automaton: &mut Automaton, next: impl FnOnce(&Set) -> Set) -> Set {
        let bit = automaton.bits().count();
        let set = self.search.space.spare_bit(bit);
        automaton.obligations.push(Obligation { bit, next: next(&set) });
        set
    }

    /// The set where a goal comes, and until then something holds.
    fn until(&self, automaton: &mut Automaton, hold: Set, goal: Set) -> Set {
        let comes = |bit: &Set| or(&goal, &and(&hold, bit));
        let bit = self.bit_of(automaton, comes);
        let until = comes(&bit);
        automaton.fair.push(or(&not(&until), &goal));
        until
    }

    /// The set where the bit is set that says a label or an observation of the step.
    fn watched(&mut self, automaton: &mut Automaton, what: &Formula) -> Result<Set, Reason> {
        if let Some(known) = automaton.watched.iter().find(|known| known.what == *what) {
            return Ok(self.search.space.spare_bit(known.bit));
        }
        let steps = self.steps_where(what)?;
        let bit = automaton.bits().count();
        automaton.watched.push(Watched { what: what.clone(), bit, steps });
        Ok(self.search.space.spare_bit(bit))
    }

    /// Per relation from which states a label or an observation is true of its steps: neither depends on what else they choose.
    fn steps_where(&mut self, what: &Formula) -> Result<Vec<Set>, Reason> {
        let model = self.semantics.model();
        let atoms = Atoms::new(model);
        let term = match (what, what.labels()) {
            (_, Some(list)) => {
                let mut terms = Vec::new();
                for (instance, edge) in list {
                    match atoms.label(&mut self.system, instance, edge) {
                        Read::Step(term) if !model.is_receive(instance, edge) => terms.push(term),
                        _ => return Err(about_receives()),
                    }
                }
                self.system.terms_mut().or(terms)
            }
            (Formula::Observed(observation), _) => atoms.observed(&mut self.system, observation),
            (other, _) => unreachable!("{other:?} is not about a step"),
        };
        let count = self.system.events().len() as u32;
        let events: Vec<u32> = self.search.steps.list.iter().map(|step| step.event as u32).collect();
        let of = |event: u32| {
            let mut fixed = |terms: &mut Terms, leaf: Leaf| {
                (leaf == Leaf::Input(EVENT)).then(|| terms.constant_of_enum(event, count))
            };
            let term = self.system.terms_mut().substitute(term, &mut fixed, &mut FxHashMap::default());
            self.compiler.truth(self.system.terms(), term)
        };
        events.into_iter().map(of).collect()
    }

    fn taken(&self, automaton: &Automaton) -> Vec<Set> {
        let count = automaton.watched.first().map_or(0, |it| it.steps.len());
        let agrees = |all: Set, it: &Watched, relation: usize| {
            let (bit, steps) = (self.search.space.spare_bit(it.bit), &it.steps[relation]);
            and(&all, &same(&bit, steps))
        };
        let all = |relation: usize| {
            let always = self.search.space.constant(true);
            automaton.watched.iter().fold(always, |all, it| agrees(all, it, relation))
        };
        (0..count).map(all).collect()
    }

    /// The levels of all bits.
    pub(super) fn levels(&self, automaton: &Automaton) -> Levels {
        self.search.space.spare_levels(automaton.bits())
    }

    /// The levels of all next bits.
    fn next_levels(&self, automaton: &Automaton) -> Levels {
        self.search.space.next_spare_levels(automaton.bits())
    }

    /// A set with what the bits of its states say of the states before, in terms of the next bits.
    fn connected(&self, automaton: &Automaton, set: Set) -> Set {
        let space = self.search.space;
        automaton.obligations.iter().fold(set, |set, it| {
            let (bit, next) = (space.spare_bit(it.bit), self.with_next_bits(automaton, &it.next));
            and(&set, &same(&bit, &next))
        })
    }

    fn with_next_bits(&self, automaton: &Automaton, set: &Set) -> Set {
        down(set, self.levels(automaton))
    }

    /// The states of the product from which one of some of its steps leads into a set.
    pub(super) fn predecessors_of(&self, automaton: &Automaton, steps: &[Step], set: &Set) -> Set {
        let connected = self.connected(automaton, self.with_next_bits(automaton, set));
        self.search.before(steps, &exists(&connected, self.next_levels(automaton)))
    }

    pub(super) fn successors_of(&self, automaton: &Automaton, set: &Set) -> Set {
        let connected = self.connected(automaton, self.search.after(&automaton.steps, set));
        let after = exists(&connected, self.levels(automaton));
        up(&after, self.levels(automaton))
    }
}
