//! Specs of finite models by decision diagrams: each branching formula becomes the set of reachable states in which it is true,
//! those inside of others first.
//!
//! Path quantifiers and conjuncts are decided on products of states with obligations ([`super::product`]). An agent knows
//! what is true whatever the values are that it does not see (van der Meyden, Su, *Symbolic model checking the knowledge of
//! the dining cryptographers*, CSFW 2004; Raimondi, Lomuscio, *Automatic verification of multi-agent systems by model
//! checking via ordered binary decision diagrams*, Journal of Applied Logic, 2007).
//!
//! Deliberately absent under path quantifiers and in knowledge: labels of receives, which are about the step before.

use super::cycles::views;
use super::evidence::evidence;
use super::games::Ranks;
use super::product::{Layers, Solution, negations};
use super::race::Found;
use super::search::{Search, fixpoint};
use crate::claim::branching::branchings;
use crate::claim::diagrams::SymbolicClaim;
use crate::diagrams::{BitSet, Compiler, Set, Space, and, exists, not, or, same, without};
use crate::limits::{Reason, tick};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, InstanceId};
use crate::product::negation::Negation;
use crate::simplify::simplify;
use crate::ts::atoms::state_predicate;
use crate::ts::history::{receive_labels, remember_receives};
use crate::ts::lower::lower;
use crate::ts::system::System;
use crate::ts::term::{Leaf, VarId};
use tracing::info;

/// Decides whether a formula is true on all runs.
pub fn run(
    semantics: &Semantics,
    formula: &Formula,
    found: &Found,
    progress: &dyn Fn(usize),
) -> Result<SymbolicClaim, Reason> {
    let model = semantics.model();
    if model.open.is_some() {
        return Err(unfit("there may be agents outside"));
    }
    let receives = receive_labels(model, [formula]);
    if formula.is_branching() && !receives.is_empty() {
        return Err(unfit(
            "decision diagrams do not decide what is known, or true on other runs, of receives in single steps",
        ));
    }
    let (list, parts) = (branchings(formula), formula.conjuncts());
    let questions: Vec<Option<Formula>> = list.iter().map(|branching| branching.question()).collect();
    let base = remember_receives(lower(model), model, &receives);
    let (of_formulas, some) = negations(model, &base, questions.iter().flatten());
    let (of_parts, others) = negations(model, &base, &parts);
    // No pass takes a variable away, so that states and their numbers are those of the model.
    let (system, _) = simplify(base.clone());
    let spare = some.max(others);
    let start = found.start(&system, &receives, spare)?;
    let space = Space::with_spare(&system, &start.order, spare)?;
    // Before the bits change their places.
    let known = start.states(&space);
    space.sift_from(start.patience);
    let search = Search::new(&system, &space)?;
    let knows = list.iter().any(|branching| matches!(branching.operator, Operator::Known(..)));
    let order = start.order;
    let reachable = known.unwrap_or_else(|| {
        let reachable = search.reachable(progress);
        found.set(&order, &receives, &space, &reachable);
        reachable
    });
    let compiler = Compiler::new(&space);
    let views = views(&system, &search);
    let mut judge = Judge {
        semantics,
        base,
        system,
        order,
        search,
        views,
        compiler,
        reachable,
        reached: Layers::new(),
        list,
        solutions: Vec::new(),
        possible: Vec::new(),
        ranks: Vec::new(),
        labels: Vec::new(),
    };
    if knows {
        let initial = judge.search.steps.initial.clone();
        judge.reached = judge.layers(&judge.forwards(), &initial, &judge.reachable, |(_, step), set| step.image(set)).1;
    }
    judge.label(&questions, of_formulas)?;
    let claim = judge.claim(&parts, &of_parts)?;
    // Bits may have changed their places.
    found.set(&judge.order, &receives, &space, &judge.reachable);
    Ok(claim)
}

pub(super) fn unfit(words: &str) -> Reason {
    Reason::Engine(words.to_owned())
}

/// Labels the states of a model.
pub struct Judge<'a> {
    pub(super) semantics: &'a Semantics<'a>,
    /// The system of the model, and the same simplified.
    pub(super) base: System,
    pub(super) system: System,
    /// The order of its variables and inputs.
    pub(super) order: Vec<Leaf>,
    pub(super) search: Search<'a>,
    /// Variables at which one looks together for steps that are taken again and again.
    pub(super) views: Vec<Vec<VarId>>,
    compiler: Compiler<'a>,
    pub(super) reachable: Set,
    /// How they are reached, if the formula is about knowledge.
    pub(super) reached: Layers,
    pub(super) list: Vec<&'a Branching>,
    /// Per branching formula the runs that it is about, if it is about runs.
    pub(super) solutions: Vec<Option<Solution>>,
    /// Per branching formula the states that are possible for some agent that knows what it says.
    pub(super) possible: Vec<Set>,
    /// Per branching formula the states with the same rank, if it is about what a group can bring about.
    pub(super) ranks: Vec<Ranks>,
    /// Per branching formula in which reachable states it is true.
    pub(super) labels: Vec<Set>,
}

impl Judge<'_> {
    /// The claim about conjuncts, once all branching formulas are labelled.
    fn claim(&mut self, parts: &[Formula], negations: &[Negation]) -> Result<SymbolicClaim, Reason> {
        let mut conjuncts = Vec::new();
        for (part, negation) in parts.iter().zip(negations) {
            let solution = self.solve(part, negation)?;
            let fails = and(&self.search.steps.initial, &self.at_start(&solution));
            if !fails.is_false() {
                let witness = self.violation(part, &solution, &fails)?;
                return Ok(SymbolicClaim::Violated(evidence(self, &[]), Box::new(witness)));
            }
            conjuncts.push(Solution { some: self.search.space.constant(false), ..solution });
        }
        Ok(SymbolicClaim::Holds(evidence(self, &conjuncts)))
    }

    fn label(&mut self, questions: &[Option<Formula>], negations: Vec<Negation>) -> Result<(), Reason> {
        let mut negations = negations.into_iter();
        for (index, question) in questions.iter().enumerate() {
            let branching = self.list[index];
            let mut solution = match question {
                Some(question) => {
                    let negation = negations.next().expect("there is one per question");
                    Some(self.solve(question, &negation)?)
                }
                None => None,
            };
            solution.iter_mut().for_each(|solution| self.approach(solution));
            let mut possible = self.reachable.clone();
            let mut ranks = Ranks::new();
            let label = match (&branching.operator, &mut solution) {
                (Operator::Known(knowledge, group), solution) => {
                    if let Some(solution) = solution {
                        possible = self.visit(solution);
                    }
                    let body = self.of_state(&branching.body)?;
                    self.known(*knowledge, group, &possible, without(&possible, &body))
                }
                (Operator::All, Some(solution)) => self.others(&self.at_start(solution)),
                (Operator::Some, Some(solution)) => self.at_start(solution),
                (Operator::Strategy(..), _) => {
                    let (label, of_label) = self.strategic(branching)?;
                    ranks = of_label;
                    label
                }
                (Operator::All | Operator::Some, None) => unreachable!("a path quantifier is about runs"),
            };
            info!("label {index}: {} nodes", label.size());
            self.labels.push(label);
            self.solutions.push(solution);
            self.possible.push(possible);
            self.ranks.push(ranks);
        }
        Ok(())
    }

    /// The reachable states from which some run violates a formula.
    pub(super) fn at_start(&self, solution: &Solution) -> Set {
        let starts = and(&solution.some, &solution.product.start);
        and(&solution.product.states(&starts), &self.reachable)
    }

    /// The number of a branching formula.
    pub(super) fn number(&self, branching: &Branching) -> Option<usize> {
        self.list.iter().position(|other| *other == branching)
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

    /// In which states something is known that is false in these, of those that are possible.
    fn known(&self, knowledge: Knowledge, group: &[InstanceId], possible: &Set, mut doubted: Set) -> Set {
        let views = self.views(knowledge, group);
        if knowledge == Knowledge::Common {
            doubted = fixpoint(doubted, |doubted| and(&self.alike(&views, doubted), possible));
        }
        self.others(&self.alike(&views, &doubted))
    }

    /// The states that look like one of a set to some of these observers.
    pub(super) fn alike(&self, views: &[(Vec<InstanceId>, BitSet)], set: &Set) -> Set {
        let none = self.search.space.constant(false);
        views.iter().fold(none, |all, (_, hidden)| or(&all, &exists(set, *hidden)))
    }

    /// The observers that look together, with the levels of what they do not see.
    pub(super) fn views(&self, knowledge: Knowledge, group: &[InstanceId]) -> Vec<(Vec<InstanceId>, BitSet)> {
        let views: Vec<&[InstanceId]> = if knowledge.is_joint() { vec![group] } else { group.chunks(1).collect() };
        views.into_iter().map(|view| (view.to_vec(), self.hidden(view))).collect()
    }

    fn hidden(&self, group: &[InstanceId]) -> BitSet {
        let model = self.semantics.model();
        let is_seen = |id: &VarId| {
            let leaf = self.system.variable(*id).origin.leaf();
            leaf.is_some_and(|leaf| model.is_seen_by(group, leaf))
        };
        let hidden: Vec<VarId> = self.system.var_ids().filter(|id| !is_seen(id)).collect();
        self.search.space.levels(&hidden)
    }
}
