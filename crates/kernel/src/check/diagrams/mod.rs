//! Confirms specs about finite models by sets of states, however many states they have.
//!
//! The evidence ([`Diagrams`]) consists of decision diagrams. The check makes initial states and steps of the model's
//! system ([`crate::ts::lower`]) by itself ([`space`], [`steps`]); their order, and the values that variables have, are those of
//! the evidence, and it checks that no step gives another value. Of the set of reachable states it checks that it has all initial
//! states, and that no step leaves it; if the spec is about knowledge, also that each state is reached, layer by
//! layer. Path quantifiers and conjuncts are decided by sets of positions ([`runs`]), knowledge by forgetting what is not
//! seen.
//!
//! A violation is shown by runs as where states are explored ([`super::branching::shown`]): replayed on the concrete
//! semantics, and evaluated given the labels of their states.

mod games;
mod package;
mod runs;
mod space;
mod steps;

use super::branching::ShownRun;
use super::branching::shown::{Showing, States};
use crate::check::Refused;
use crate::claim::branching::{Witness, branchings};
use crate::claim::diagrams::{Diagrams, Root, RunSets};
use crate::limits::tick;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Semantics, State, Truth};
use crate::model::{Formula, InstanceId, Model, Value};
use crate::ts::atoms::state_predicate;
use crate::ts::history::{receive_labels, remember_receives};
use crate::ts::lower::lower;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Leaf, VarId};
use package::{ALL, NONE, Package, Set};
use runs::{Answers, Runs, grown};
use rustc_hash::FxHashMap;
use space::{Compiler, MOST_LEVELS, Space};
use std::sync::Arc;
use steps::{Relation, Steps};

/// About how many bytes diagrams may take by default.
pub const MEMORY: usize = 2 << 30;

/// Why diagrams cannot decide a spec: a value is none of those that are listed, or there are too many;
const VALUES: &str = "a variable or an expression has other values, or too many for decision diagrams";
/// there are too many bits;
const LEVELS: &str = "there are too many variables for decision diagrams";
/// it is about what is received in steps.
const STEPS: &str = "decision diagrams do not decide what is known, or true on other runs, of receives in single steps";

/// A spec that holds, as sets of states show. There is no other way to make one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByDiagrams {
    evidence: Arc<Diagrams>,
    states: String,
    is_exact: bool,
    labels: Vec<String>,
}

impl ProofByDiagrams {
    /// The number of states in the set, in decimal digits.
    pub fn states(&self) -> &str {
        &self.states
    }

    /// True if all of them are reachable; if not, others may be in the set.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Per branching formula, in the order of [`branchings`], in how many of them it is true, in decimal digits.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The evidence that was checked.
    pub fn evidence(&self) -> &Arc<Diagrams> {
        &self.evidence
    }
}

/// Checks that sets of states prove that every run satisfies the formula, with about so many bytes.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    evidence: Arc<Diagrams>,
    memory: usize,
) -> Result<ProofByDiagrams, Refused> {
    let mut labelled = Labelled::new(semantics.model(), formula, &evidence, memory)?;
    let parts = formula.conjuncts();
    if parts.len() != evidence.conjuncts.len() {
        return Err(Refused::malformed("another number of conjuncts"));
    }
    for (part, runs) in parts.iter().zip(&evidence.conjuncts) {
        let mark = labelled.space.package.mark();
        let none = labelled.runs(part)?.check(&mut labelled.space, &labelled.sets, runs)?.none;
        if labelled.space.package.without(labelled.steps.initial, none) != NONE {
            return Err(Refused::wrong("the spec is false in an initial state"));
        }
        labelled.space.package.forget(mark, &mut []);
    }
    let levels = labelled.space.all_levels();
    let count = |set: &Set| labelled.space.package.count(*set, &levels).to_string();
    let labels = branchings(formula).iter().map(|branching| count(&labelled.known[branching])).collect();
    Ok(ProofByDiagrams { states: count(&labelled.states), is_exact: labelled.is_exact, labels, evidence })
}

/// Checks that sets of states and runs show that a formula is violated.
pub fn refute<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    evidence: &Diagrams,
    witness: &Witness,
    memory: usize,
) -> Result<ShownRun<'s>, Refused> {
    let list = branchings(formula);
    let mut labelled = Labelled::new(semantics.model(), formula, evidence, memory)?;
    if labelled.steps.initial == NONE {
        return Err(Refused::not_false(Truth::True));
    }
    // The states of a run do not say what was received.
    if witness.from != 0 || !receive_labels(semantics.model(), [formula]).is_empty() {
        return Err(Refused::other_spec());
    }
    let influence = Influence::of(semantics.model(), formula);
    let states = &mut labelled;
    Showing { semantics, states, list: &list, influence: &influence }.shown(formula, false, witness)
}

/// The sets of the evidence.
pub struct Sets(Vec<Set>);

impl Sets {
    /// Refuses nodes that are none, or are not about states.
    fn new(space: &mut Space, nodes: &[[u32; 3]]) -> Result<Sets, Refused> {
        let first = space.obligation(0);
        let own = space.all_levels();
        let mut sets = Sets(vec![NONE, ALL]);
        for &[level, low, high] in nodes {
            let of_obligation = (first..first + MOST_LEVELS).contains(&level) && (level - first).is_multiple_of(2);
            let of_state = own.binary_search(&level).is_ok() || of_obligation;
            let node = space.package.split(level, sets.get(low)?, sets.get(high)?).filter(|_| of_state);
            sets.0.push(node.ok_or_else(|| Refused::malformed("a node that is none"))?);
        }
        Ok(sets)
    }

    /// One of them.
    pub fn get(&self, root: Root) -> Result<Set, Refused> {
        self.0.get(root as usize).copied().ok_or_else(|| Refused::malformed("a set is missing"))
    }
}

/// The states with the labels that evidence shows.
struct Labelled<'f> {
    model: &'f Model,
    system: System,
    space: Space,
    steps: Steps,
    sets: Sets,
    states: Set,
    /// True if all of them are reachable.
    is_exact: bool,
    /// Per branching formula where it is true.
    known: FxHashMap<&'f Branching, Set>,
}

impl<'f> Labelled<'f> {
    fn new(
        model: &'f Model,
        formula: &'f Formula,
        evidence: &Diagrams,
        memory: usize,
    ) -> Result<Labelled<'f>, Refused> {
        if model.open.is_some() {
            return Err(Refused::unfit("there may be agents outside"));
        }
        let receives = receive_labels(model, [formula]);
        if formula.is_branching() && !receives.is_empty() {
            return Err(Refused::unfit(STEPS));
        }
        let system = remember_receives(lower(model), model, &receives);
        let mut space = Space::new(&system, evidence, memory)?;
        let steps = Steps::new(&system, &mut space)?;
        let sets = Sets::new(&mut space, &evidence.nodes)?;
        let states = sets.get(evidence.states)?;
        let list = branchings(formula);
        let is_exact = list.iter().any(|branching| matches!(branching.operator, Operator::Known(..)));
        let mut labelled =
            Labelled { model, system, space, steps, sets, states, is_exact, known: FxHashMap::default() };
        labelled.check_states(evidence)?;
        if list.len() != evidence.formulas.len() {
            return Err(Refused::malformed("another number of branching formulas"));
        }
        for (number, (branching, runs)) in list.into_iter().zip(&evidence.formulas).enumerate() {
            let mark = labelled.space.package.mark();
            let ranks = evidence.games.get(number).map_or(&[][..], Vec::as_slice);
            let mut label = labelled.label_of(branching, runs.as_ref(), ranks)?;
            labelled.space.package.forget(mark, &mut [&mut label]);
            labelled.known.insert(branching, label);
        }
        Ok(labelled)
    }

    /// That no step leaves the states, and that all of them are reached if that is needed.
    fn check_states(&mut self, evidence: &Diagrams) -> Result<(), Refused> {
        let first = self.space.obligation(0);
        let package = &mut self.space.package;
        if package.read(self.states).into_iter().any(|level| level >= first) {
            return Err(Refused::malformed("states with obligations"));
        }
        let mark = package.mark();
        let mut all_inside = package.without(self.steps.initial, self.states) == NONE;
        for relation in &self.steps.relations {
            let after = relation.after(package, self.states);
            all_inside &= package.without(after, self.states) == NONE;
            package.forget(mark, &mut []);
        }
        if !all_inside || !self.steps.keep_values(&mut self.space, self.states) {
            return Err(Refused::state_missing());
        }
        if self.is_exact {
            let package = &mut self.space.package;
            let step = |relation: &Relation, package: &mut Package, set: Set| relation.after(package, set);
            let initial = self.steps.initial;
            let reached = grown(package, &self.steps.relations, &self.sets, initial, &evidence.reached, step)?;
            if reached != self.states {
                return Err(Refused::unreachable());
            }
            package.forget(mark, &mut []);
        }
        Ok(())
    }

    /// The runs that violate a formula.
    fn runs(&mut self, formula: &Formula) -> Result<Runs, Refused> {
        let Labelled { model, system, space, steps, known, .. } = self;
        Runs::new(model, system, formula, space, steps, |branching| known[branching])
    }

    /// Where a branching formula is true.
    fn label_of(&mut self, branching: &Branching, evidence: Option<&RunSets>, ranks: &[Root]) -> Result<Set, Refused> {
        let asked = match (branching.question(), evidence) {
            (Some(asked), Some(evidence)) => Some((asked, evidence)),
            (None, None) => None,
            _ => return Err(Refused::malformed("evidence about the runs of another formula")),
        };
        let (knowledge, group) = match &branching.operator {
            Operator::Known(knowledge, group) => (knowledge, group),
            Operator::Strategy(..) => return self.strategic(branching, ranks),
            Operator::All | Operator::Some => {
                let (asked, evidence) = asked.expect("a path quantifier is about runs");
                let Answers { some, none } = self.runs(&asked)?.check(&mut self.space, &self.sets, evidence)?;
                let package = &mut self.space.package;
                let decided = package.or(some, none);
                if package.without(self.states, decided) != NONE {
                    return Err(Refused::wrong("nothing is said of some state"));
                }
                let label = if branching.operator == Operator::Some { some } else { none };
                return Ok(package.and(label, self.states));
            }
        };
        let possible = match asked {
            Some((impossible, evidence)) => {
                let runs = self.runs(&impossible)?;
                runs.check(&mut self.space, &self.sets, evidence)?;
                runs.visited(&mut self.space, &self.sets, self.steps.initial, evidence)?
            }
            None => self.states,
        };
        let body = self.of_state(&branching.body)?;
        Ok(self.known_by(*knowledge, group, possible, body))
    }

    /// In which states it is known that a set was not left, if some states are possible.
    fn known_by(&mut self, knowledge: Knowledge, group: &[InstanceId], possible: Set, body: Set) -> Set {
        let views: Vec<&[InstanceId]> = if knowledge.is_joint() { vec![group] } else { group.chunks(1).collect() };
        let hidden: Vec<Vec<u32>> = views.iter().map(|view| self.hidden(view)).collect();
        let package = &mut self.space.package;
        let mut doubted = package.without(possible, body);
        loop {
            tick();
            let alike = hidden.iter().fold(NONE, |alike, hidden| {
                let hidden = package.levels(hidden);
                let like = package.some(doubted, hidden);
                package.or(alike, like)
            });
            let further = package.and(alike, possible);
            if knowledge != Knowledge::Common || further == doubted {
                return package.without(self.states, alike);
            }
            doubted = further;
        }
    }

    /// The levels of the variables that no member sees.
    fn hidden(&self, group: &[InstanceId]) -> Vec<u32> {
        let is_seen = |id: &VarId| {
            let leaf = self.system.variable(*id).origin.leaf();
            leaf.is_some_and(|leaf| self.model.is_seen_by(group, leaf))
        };
        self.space.levels_of(self.system.var_ids().filter(|id| !is_seen(id)))
    }

    /// Where a formula about the state is true.
    fn of_state(&mut self, formula: &Formula) -> Result<Set, Refused> {
        let mut parts = |list: &[Formula]| list.iter().map(|part| self.of_state(part)).collect::<Result<Vec<Set>, _>>();
        Ok(match formula {
            Formula::Atom(expr) => {
                let term = state_predicate(self.model, &mut self.system, expr);
                Compiler::new(self.system.terms()).truth(&mut self.space, term)?
            }
            Formula::Branching(branching) => self.known[&**branching],
            Formula::Not(inner) => {
                let inner = self.of_state(inner)?;
                self.space.package.not(inner)
            }
            Formula::And(list) => {
                let parts = parts(list)?;
                self.space.all(parts)
            }
            Formula::Or(list) => {
                let parts = parts(list)?;
                parts.into_iter().fold(NONE, |some, part| self.space.package.or(some, part))
            }
            Formula::Iff(left, right) => {
                let (left, right) = (self.of_state(left)?, self.of_state(right)?);
                self.space.package.same(left, right)
            }
            Formula::Label(..) | Formula::Observed(_) | Formula::Next(_) | Formula::Until(..) => {
                return Err(Refused::unfit(STEPS));
            }
        })
    }

    fn contains(&self, set: Set, state: &State) -> bool {
        let mut high = Vec::new();
        for id in self.system.var_ids() {
            let value = match self.system.variable(id).origin {
                Origin::Automaton(instance) => Value::Enum(state.automaton(instance)),
                Origin::Local(instance, local) => state.local(instance, local).clone(),
                _ => unreachable!("a variable of the model"),
            };
            let field = self.space.field(Leaf::Var(id));
            let Some(place) = value.number().and_then(|number| field.values.binary_search(&number).ok()) else {
                return false;
            };
            let bits = field.levels.iter().rev().enumerate();
            high.extend(bits.filter(|(bit, _)| place >> bit & 1 == 1).map(|(_, level)| *level));
        }
        self.space.package.contains(set, |level| high.contains(&level))
    }
}

impl States for Labelled<'_> {
    type Reached = State;

    fn find(&mut self, state: &State) -> Option<State> {
        self.contains(self.states, state).then(|| state.clone())
    }

    fn label(&self, branching: &Branching, state: &State) -> Option<bool> {
        Some(self.contains(*self.known.get(branching)?, state))
    }

    fn are_alike(&self, one: &State, other: &State, observers: &[InstanceId]) -> bool {
        self.model.look_alike(one, other, observers)
    }
}
