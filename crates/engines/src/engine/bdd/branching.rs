//! Path quantifiers and knowledge on decision diagrams: each formula becomes the set of reachable states in which it is true, those inside
//! of others first.
//!
//! Path quantifiers are those of branching time logic: their sets are least or greatest fixpoints (Burch, Clarke,
//! McMillan, Dill, Hwang, as in [`super`]). An agent knows what is true whatever the values are that it does not see
//! (van der Meyden, Su, *Symbolic model checking the knowledge of the dining cryptographers*, CSFW 2004; Raimondi,
//! Lomuscio, *Automatic verification of multi-agent systems by model checking via ordered binary decision diagrams*,
//! Journal of Applied Logic, 2007).
//!
//! A linear formula under a path quantifier is taken apart, if what it says of the rest of a run, beside its temporal operators,
//! is about states; others, and what is assumed of runs, are automata ([`super::linear`]), and runs that satisfy these are loops of the
//! product ([`super::lasso`]). Deliberately absent: labels of receives, which are about the step before.

use super::cycles::{lasting, views};
use super::linear::bits;
use super::search::{Search, closure, fixpoint};
use crate::claim::branching::{Counts, SymbolicClaim, branchings};
use crate::diagrams::{Compiler, Levels, Set, Space, Step, and, exists, not, or, order, same, without};
use crate::limits::{Reason, tick};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::Semantics;
use crate::model::formula::{StateLeaf, Strength};
use crate::model::{Expr, Formula, InstanceId};
use crate::simplify::simplify;
use crate::ts::atoms::state_predicate;
use crate::ts::lower::lower;
use crate::ts::system::{Origin, System};
use crate::ts::term::{InputId, Leaf, VarId};
use tracing::info;

/// Decides whether a formula is true on all runs.
pub fn run(semantics: &Semantics, formula: &Formula, progress: &dyn Fn(usize)) -> Result<SymbolicClaim, Reason> {
    let model = semantics.model();
    if model.open.is_some() {
        return Err(unfit("there may be agents outside"));
    }
    let list = branchings(formula);
    let parts = formula.conjuncts();
    // No pass takes a variable away, so that states and their numbers are those of the model.
    let (system, _) = simplify(lower(model));
    let space = Space::with_spare(&system, &order(&system), bits(formula))?;
    let search = Search::new(&system, &space)?;
    let reachable = search.reachable(&space.constant(false), progress);
    let compiler = Compiler::new(&space);
    let views = views(&system, &search);
    let mut judge = Judge { semantics, system, search, views, compiler, reachable, list, labels: Vec::new() };
    judge.label()?;
    for part in &parts {
        let fails = judge.satisfied(&[(part, false)])?;
        let fails = and(&judge.search.steps.initial, &fails);
        if !fails.is_false() {
            let witness = judge.violation(part, &fails)?;
            return Ok(SymbolicClaim::Violated(judge.counts(), Box::new(witness)));
        }
    }
    Ok(SymbolicClaim::Holds(judge.counts()))
}

/// The truths that formulas have on a run that shows the truth of the body of a path quantifier.
pub(super) fn demands(branching: &Branching, truth: bool) -> Vec<(&Formula, bool)> {
    let assumed = branching.among.as_ref().map(|assumed| (assumed, true));
    assumed.into_iter().chain([(&branching.body, truth)]).collect()
}

fn unfit(words: &str) -> Reason {
    Reason::Engine(words.to_owned())
}

/// Something is said of what is received.
pub(super) fn about_receives() -> Reason {
    unfit("decision diagrams do not decide what is said of receives in single steps")
}

/// Labels the states of a model.
pub struct Judge<'a> {
    pub(super) semantics: &'a Semantics<'a>,
    pub(super) system: System,
    pub(super) search: Search<'a>,
    /// Variables at which one looks together for steps that are taken again and again.
    views: Vec<Vec<VarId>>,
    pub(super) compiler: Compiler<'a>,
    pub(super) reachable: Set,
    pub(super) list: Vec<&'a Branching>,
    /// Per branching formula in which reachable states it is true.
    pub(super) labels: Vec<Set>,
}

impl Judge<'_> {
    fn label(&mut self) -> Result<(), Reason> {
        for index in 0..self.list.len() {
            let branching = self.list[index];
            let label = match &branching.operator {
                Operator::All => {
                    let fails = self.satisfied(&demands(branching, false))?;
                    self.others(&fails)
                }
                Operator::Some => self.satisfied(&demands(branching, true))?,
                Operator::Known(knowledge, group) => {
                    let body = self.of_state(&branching.body)?;
                    let possible = self.possible_states(branching)?;
                    self.known(*knowledge, group, &possible, without(&possible, &body))
                }
                Operator::Strategy(_) => return Err(unfit("strategies are not supported")),
            };
            info!("label {index}: {} nodes", label.size());
            self.labels.push(label);
        }
        Ok(())
    }

    /// The states that are possible for some agent that knows what a branching formula says.
    pub(super) fn possible_states(&mut self, branching: &Branching) -> Result<Set, Reason> {
        match &branching.among {
            Some(assumed) => self.on_runs(assumed),
            None => Ok(self.reachable.clone()),
        }
    }

    /// The reachable states from which some run gives all of these formulas these truths.
    fn satisfied(&mut self, demands: &[(&Formula, bool)]) -> Result<Set, Reason> {
        match demands {
            [(formula, truth)] if Shape::is_branching(formula, *truth) => self.possible(formula, *truth),
            _ => self.some_run(demands),
        }
    }

    /// The number of a branching formula.
    pub(super) fn number(&self, branching: &Branching) -> Option<usize> {
        self.list.iter().position(|other| *other == branching)
    }

    fn counts(&self) -> Counts {
        let space = self.search.space;
        Counts {
            order: self.places(),
            states: space.count(&self.reachable).to_string(),
            labels: self.labels.iter().map(|label| space.count(label).to_string()).collect(),
        }
    }

    /// The order of variables, as a claim names them. Where all act at once, automaton states do not change, and actions stand in their
    /// place.
    fn places(&self) -> Vec<(u32, u32)> {
        let behaviours = self.semantics.model().joint.iter().flat_map(|joint| (0..).zip(&joint.behaviours));
        // The inputs of actions follow the event, those of agents that have a choice.
        let choosing: Vec<u32> =
            behaviours.filter(|(_, behaviour)| behaviour.actions.len() > 1).map(|(number, _)| number).collect();
        let place = |leaf: Leaf| match leaf {
            Leaf::Var(id) => match self.system.variable(id).origin {
                Origin::Automaton(instance) => Some((instance.0, 0)).filter(|_| !choosing.contains(&instance.0)),
                Origin::Local(instance, local) => Some((instance.0, local.0 + 1)),
                _ => None,
            },
            Leaf::Input(InputId(number)) => choosing.get(number as usize - 1).map(|instance| (*instance, 0)),
        };
        order(&self.system).into_iter().filter_map(place).collect()
    }

    /// The reachable states that are not in a set.
    pub(super) fn others(&self, set: &Set) -> Set {
        without(&self.reachable, set)
    }

    fn atom(&mut self, expr: &Expr<StateLeaf>) -> Result<Set, Reason> {
        let term = state_predicate(self.semantics.model(), &mut self.system, expr);
        self.compiler.truth(self.system.terms(), term)
    }

    /// The reachable states in which a state formula is true.
    pub(super) fn of_state(&mut self, formula: &Formula) -> Result<Set, Reason> {
        tick();
        if !formula.is_about_state() {
            return Err(unfit("what is known is about runs"));
        }
        let set = match formula {
            Formula::Atom(expr) => self.atom(expr)?,
            Formula::Branching(branching) => {
                self.labels[self.number(branching).expect("those inside of others come first")].clone()
            }
            Formula::Not(inner) => not(&self.of_state(inner)?),
            Formula::And(list) => list
                .iter()
                .try_fold(self.reachable.clone(), |all, part| Ok::<_, Reason>(and(&all, &self.of_state(part)?)))?,
            Formula::Or(list) => {
                let none = self.search.space.constant(false);
                list.iter().try_fold(none, |some, part| Ok::<_, Reason>(or(&some, &self.of_state(part)?)))?
            }
            Formula::Iff(left, right) => {
                let (left, right) = (self.of_state(left)?, self.of_state(right)?);
                same(&left, &right)
            }
            other @ (Formula::Label(..) | Formula::Observed(_) | Formula::Next(_) | Formula::Until(..)) => {
                unreachable!("{other:?} is about runs")
            }
        };
        Ok(and(&set, &self.reachable))
    }

    /// The reachable states in which a state formula has a truth.
    pub(super) fn state_where(&mut self, formula: &Formula, truth: bool) -> Result<Set, Reason> {
        let set = self.of_state(formula)?;
        Ok(if truth { set } else { self.others(&set) })
    }

    /// The reachable states from which some run gives a formula this truth, which is the work of operators of branching time.
    pub(super) fn possible(&mut self, formula: &Formula, truth: bool) -> Result<Set, Reason> {
        if formula.is_about_state() {
            return self.state_where(formula, truth);
        }
        Ok(match Shape::of(formula, truth).expect("it can be taken apart") {
            Shape::Same(inner, truth) => self.possible(inner, truth)?,
            Shape::All(parts) => self.all(&parts)?,
            Shape::Some(parts) => {
                let mut some = self.search.space.constant(false);
                for (part, truth) in parts {
                    some = or(&some, &self.possible(part, truth)?);
                }
                some
            }
            Shape::Next(inner, truth) => {
                let goal = self.possible(inner, truth)?;
                and(&self.search.predecessors(&goal), &self.reachable)
            }
            Shape::Reach { through, goal, stays } => {
                let (through, goal) = (self.state_where(through.0, through.1)?, self.all(&goal)?);
                let mut set = self.before(&through, &goal);
                if stays {
                    set = or(&set, &self.staying(&through));
                }
                set
            }
            Shape::Again(goal, truth) => {
                let goal = self.state_where(goal, truth)?;
                let again = self.again(&goal);
                self.before(&self.reachable, &again)
            }
        })
    }

    /// The reachable states from which some run gives formulas truths, of which one at most depends on the run.
    pub(super) fn all(&mut self, parts: &[(&Formula, bool)]) -> Result<Set, Reason> {
        let mut all = self.reachable.clone();
        for (part, truth) in parts {
            all = and(&all, &self.possible(part, *truth)?);
        }
        Ok(all)
    }

    /// From which states some run comes to a goal, through states of a set.
    pub(super) fn before(&self, through: &Set, goal: &Set) -> Set {
        closure(goal.clone(), |set| and(&self.search.predecessors(set), through))
    }

    /// Those of some steps that a run can take again and again if it takes no others.
    pub(super) fn lasting(&self, steps: Vec<Step>) -> Vec<Step> {
        lasting(self.search.space, &self.views, steps)
    }

    /// From which states some run stays in a set for ever.
    pub(super) fn staying(&self, inside: &Set) -> Set {
        let steps = self.lasting(self.search.inside(inside));
        let all = fixpoint(inside.clone(), |all| and(all, &self.search.before(&steps, all)));
        self.before(inside, &all)
    }

    /// The states of a goal from which some run comes back to it again and again.
    pub(super) fn again(&self, goal: &Set) -> Set {
        let steps = self.lasting(self.search.inside(&self.before(&self.reachable, goal)));
        fixpoint(goal.clone(), |all| {
            let leads = closure(all.clone(), |set| and(&self.search.before(&steps, set), &self.reachable));
            and(all, &self.search.before(&steps, &leads))
        })
    }

    /// In which states something is known that is false in these, of those that are possible.
    fn known(&self, knowledge: Knowledge, group: &[InstanceId], possible: &Set, mut doubted: Set) -> Set {
        let views = self.views(knowledge, group);
        if knowledge == Knowledge::Common {
            doubted = fixpoint(doubted, |doubted| and(&self.alike(&views, doubted), possible));
        }
        self.others(&self.alike(&views, &doubted))
    }

    /// The states that look like one of a set to some of these observers.
    pub(super) fn alike(&self, views: &[(Vec<InstanceId>, Levels)], set: &Set) -> Set {
        let none = self.search.space.constant(false);
        views.iter().fold(none, |all, (_, hidden)| or(&all, &exists(set, *hidden)))
    }

    /// The observers that look together, with the levels of what they do not see.
    pub(super) fn views(&self, knowledge: Knowledge, group: &[InstanceId]) -> Vec<(Vec<InstanceId>, Levels)> {
        let views: Vec<&[InstanceId]> = if knowledge.is_joint() { vec![group] } else { group.chunks(1).collect() };
        views.into_iter().map(|view| (view.to_vec(), self.hidden(view))).collect()
    }

    fn hidden(&self, group: &[InstanceId]) -> Levels {
        let model = self.semantics.model();
        let is_seen = |id: &VarId| {
            let leaf = self.system.variable(*id).origin.leaf();
            leaf.is_some_and(|leaf| model.is_seen_by(group, leaf))
        };
        let hidden: Vec<VarId> = self.system.var_ids().filter(|id| !is_seen(id)).collect();
        self.search.space.levels(&hidden)
    }
}

/// A formula with a truth value, as an operator of branching time over its operands with theirs.
pub enum Shape<'f> {
    /// As this one has that truth.
    Same(&'f Formula, bool),
    /// All of these do.
    All(Vec<(&'f Formula, bool)>),
    /// One of these does.
    Some(Vec<(&'f Formula, bool)>),
    /// From the next state on.
    Next(&'f Formula, bool),
    /// From a later state on all of the goal do; before it, this state formula does; for ever, if it may stay there.
    Reach {
        /// Before it.
        through: (&'f Formula, bool),
        /// Of these one at most is about runs.
        goal: Vec<(&'f Formula, bool)>,
        /// True if it may never come.
        stays: bool,
    },
    /// As this state formula has that truth again and again.
    Again(&'f Formula, bool),
}

impl<'f> Shape<'f> {
    /// True if what some run does to give a formula a truth is the work of operators of branching time.
    pub fn is_branching(formula: &'f Formula, truth: bool) -> bool {
        let any = |parts: &[(&'f Formula, bool)]| parts.iter().all(|(part, truth)| Shape::is_branching(part, *truth));
        let one = |parts: &[(&'f Formula, bool)]| {
            any(parts) && parts.iter().filter(|(part, _)| !part.is_about_state()).count() <= 1
        };
        formula.is_about_state()
            || match Shape::of(formula, truth) {
                Some(Shape::Same(inner, truth) | Shape::Next(inner, truth)) => Shape::is_branching(inner, truth),
                Some(Shape::All(parts)) => one(&parts),
                Some(Shape::Some(parts)) => any(&parts),
                Some(Shape::Reach { through, goal, .. }) => through.0.is_about_state() && one(&goal),
                Some(Shape::Again(..)) => true,
                None => false,
            }
    }

    /// Of a formula that is about runs; nothing if it has none.
    pub fn of(formula: &'f Formula, truth: bool) -> Option<Shape<'f>> {
        let parts = |list: &'f [Formula]| list.iter().map(|part| (part, truth)).collect();
        if let Some((goal, truth)) = formula.always(truth).and_then(|inner| eventual(inner, truth)) {
            return Some(Shape::Again(goal, truth));
        }
        Some(match (formula, truth) {
            (Formula::Not(inner), _) => Shape::Same(inner, !truth),
            (Formula::And(list), true) | (Formula::Or(list), false) => Shape::All(parts(list)),
            (Formula::And(list), false) | (Formula::Or(list), true) => Shape::Some(parts(list)),
            (Formula::Next(inner), _) => Shape::Next(inner, truth),
            (Formula::Until(strength, left, right), true) => {
                Shape::Reach { through: (left, true), goal: vec![(right, true)], stays: *strength == Strength::Weak }
            }
            (Formula::Until(strength, left, right), false) => Shape::Reach {
                through: (right, false),
                goal: vec![(left, false), (right, false)],
                stays: *strength == Strength::Strong,
            },
            (Formula::Label(..) | Formula::Observed(_) | Formula::Iff(..), _) => return None,
            (Formula::Atom(_) | Formula::Branching(_), _) => unreachable!("it is about a state"),
        })
    }
}

/// The state formula and its truth, if a formula has a truth where that comes sometime.
fn eventual(formula: &Formula, truth: bool) -> Option<(&Formula, bool)> {
    if let Formula::Not(inner) = formula {
        return eventual(inner, !truth);
    }
    formula.sometime(truth).filter(|inner| inner.is_about_state()).map(|inner| (inner, truth))
}
