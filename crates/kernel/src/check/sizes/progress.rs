//! The ranking argument for a response, in instances of all sizes.
//!
//! As long as the goal is pending, no step increases the ranks, compared lexicographically, and at any time some
//! fairly treated agent is able to decrease them, and stays able until they change. So they would decrease for ever,
//! which they cannot. `docs/any-number.md` has the proof; here is what has
//! to be true of states and of single steps of open instances.

use super::OpenInstance;
use super::clause::Clause;
use super::deadlock;
use super::renaming::{Renaming, for_each_assignment, renamed};
use super::response::Response;
use super::step::around_step;
use super::witness::Witness;
use crate::check::Refused;
use crate::claim::sizes::{Helper, ProgressClaim};
use crate::model::fairness::Actor;
use crate::model::formula::StateLeaf;
use crate::model::scheme::Obstacle;
use crate::model::{EdgeId, Expr, InstanceId, Model, Sizes};
use crate::ts::atoms::state_predicate;
use crate::ts::system::{EventKind, System};
use crate::ts::term::{Sort, Term, Terms};
use std::collections::BTreeSet;

/// The evidence for a response.
#[derive(Clone, Debug)]
pub struct Progress {
    /// It, over the reference instance.
    pub response: Response,
    /// The members that it is about.
    pub members: Vec<InstanceId>,
    /// The conditions that are true as long as the goal is pending.
    pub pending: Vec<Expr<StateLeaf>>,
    /// The ranks that steps lower: integers, or truth values that count one where they are true.
    pub ranks: Vec<Expr<StateLeaf>>,
    /// The agent that helps, and when.
    pub cases: Vec<Case>,
}

/// The agent that helps, and when.
#[derive(Clone, Debug)]
pub struct Case {
    /// The condition on states.
    pub condition: Expr<StateLeaf>,
    /// The agent that helps.
    pub helper: Helper,
}

/// A condition that must be false of all states, or of all steps, of an open instance.
#[derive(Clone, Copy, Debug)]
pub struct Premise {
    /// A word for it.
    pub name: &'static str,
    /// The meaning of a counterexample.
    pub meaning: &'static str,
    /// The states, or steps.
    pub bad: Term,
}

impl Premise {
    /// The name of what is said of the state in which the goal begins to be waited for,
    pub const START: &'static str = "start";
    /// and of the states after that.
    pub const KEPT: &'static str = "kept";
}

/// The names of premises, with what a counterexample shows.
const START: (&str, &str) =
    (Premise::START, "what is said to be true while the goal is waited for is false when that begins");
const KEPT: (&str, &str) = (Premise::KEPT, "a step makes false what is said to be true while the goal is waited for");
const RANKED: (&str, &str) = ("ranked", "a step makes the ranks greater");
const HELPED: (&str, &str) = ("helped", "a step leaves the ranks as they are, and is the helper's or ends the case");
const ENABLED: (&str, &str) = ("enabled", "the helper cannot act");
const COVERED: (&str, &str) = ("covered", "no agent helps");

impl Case {
    /// The agent that helps, if it is one in particular, and not one whom the response is about or whom every instance
    /// has.
    pub fn other(&self, model: &Model, members: &[InstanceId]) -> Option<InstanceId> {
        let Helper::Agent { instance, .. } = self.helper else { return None };
        (model.place_of_member(instance).is_some() && !members.contains(&instance)).then_some(instance)
    }
}

impl Progress {
    /// The evidence that is claimed for a response, over the system of the reference instance. Nothing if it is about
    /// other members than that, or more than one helper at a time.
    pub fn new(
        model: &Model,
        system: &System,
        terms: &Terms,
        response: Response,
        claim: &ProgressClaim,
    ) -> Option<Progress> {
        let members = response.members(model)?;
        let about = |term: Term, also: Option<InstanceId>| {
            let Clause { expr, members: mentioned } = Clause::of_term(model, system, terms, term)?;
            mentioned.iter().all(|it| members.contains(it) || also == Some(*it)).then_some(expr)
        };
        let is_truth = |term: &&Term| terms.sort(**term) == Sort::Bool;
        let is_rank = |term: &&Term| matches!(terms.sort(**term), Sort::Bool | Sort::Int);
        let pending = claim.pending.iter().map(|term| about(Some(term).filter(is_truth).copied()?, None));
        let ranks = claim.ranks.iter().map(|term| about(Some(term).filter(is_rank).copied()?, None));
        let case = |case: &crate::claim::sizes::CaseClaim| {
            let helper = exists(model, case.helper).then_some(case.helper)?;
            let mut found = Case { condition: Expr::TRUE, helper };
            let other = found.other(model, &members);
            found.condition = about(Some(&case.condition).filter(is_truth).copied()?, other)?;
            Some(found)
        };
        let (pending, ranks) = (pending.collect::<Option<_>>()?, ranks.collect::<Option<_>>()?);
        let cases = claim.cases.iter().map(case).collect::<Option<_>>()?;
        Some(Progress { response, members, pending, ranks, cases })
    }

    /// For each family, whether some helper is any member of it.
    pub fn helpers(&self, model: &Model) -> BTreeSet<Sizes> {
        let of_case = |case: &Case| {
            let mut sizes = vec![0; model.families().len()];
            if let Some((family, _)) = case.other(model, &self.members).and_then(|it| model.place_of_member(it)) {
                sizes[family] = 1;
            }
            sizes
        };
        self.cases.iter().map(of_case).chain([vec![0; model.families().len()]]).collect()
    }

    /// The response, of each list of members of another instance.
    pub fn responses(&self, from: &Model, to: &Model) -> Vec<Response> {
        let mut responses = Vec::new();
        for_each_assignment(from, to, &self.members, &mut |chosen| {
            responses.push(self.response.renamed(&Renaming::new(from, to, &self.members, chosen)));
        });
        responses
    }

    /// The lists of members of an open instance that it is about.
    pub fn lists(&self, from: &Model, open: &Model) -> Vec<Vec<InstanceId>> {
        let mut lists = Vec::new();
        for_each_assignment(from, open, &self.members, &mut |chosen| lists.push(chosen.to_vec()));
        lists
    }

    /// The conditions that have to be false in an open instance, for one list of its members.
    pub fn premises(
        &self,
        from: &Model,
        open: &mut OpenInstance,
        chosen: &[InstanceId],
        witnesses: &[Witness],
    ) -> Result<Vec<Premise>, Refused> {
        Around { evidence: self, from, open, chosen }.premises(witnesses)
    }
}

/// True if the model has the helper and such commands.
fn exists(model: &Model, helper: Helper) -> bool {
    let Helper::Agent { instance, command, by } = helper else { return true };
    let is_command = |edge: EdgeId| {
        instance.index() < model.instances.len()
            && edge.index() < model.agent_of(instance).edges.len()
            && !model.is_receive(instance, edge)
    };
    instance.index() < model.instances.len() && command.into_iter().chain(by).all(is_command)
}

/// The evidence about some members of an open instance.
struct Around<'a> {
    evidence: &'a Progress,
    from: &'a Model,
    open: &'a mut OpenInstance,
    chosen: &'a [InstanceId],
}

/// The conditions of a step while the goal is pending.
struct Waiting {
    /// Of the state before it.
    state: Term,
    /// Of the step.
    step: Term,
    /// That the ranks stay the same.
    same: Term,
}

impl Around<'_> {
    fn premises(&mut self, witnesses: &[Witness]) -> Result<Vec<Premise>, Refused> {
        let renaming = Renaming::new(self.from, &self.open.model, &self.evidence.members, self.chosen);
        let response = self.evidence.response.renamed(&renaming);
        let (start, _) = self.around(&response.start)?;
        let (goal, reached) = self.around(&response.goal)?;
        let pending: Vec<Term> = self.evidence.pending.iter().map(|expr| self.written(expr, &[])).collect();
        let (less, same) = self.ranks();
        let open = &mut *self.open;
        let pending = open.system.terms_mut().and(pending);
        let kept = open.system.after(pending);
        let is_of_state = reached.is_some();
        let reached = reached.unwrap_or_else(|| open.system.terms_mut().bool(false));
        let terms = open.system.terms_mut();
        let (no_goal, unreached) = (terms.not(goal), terms.not(reached));
        let state = if is_of_state { terms.and([pending, no_goal]) } else { pending };
        let step = terms.and([pending, no_goal, unreached]);
        let (lost, not_pending, moved) = (terms.not(kept), terms.not(pending), terms.or([less, same]));
        let grown = terms.not(moved);
        let mut premises = Vec::new();
        let mut add =
            |(name, meaning): (&'static str, &'static str), bad| premises.push(Premise { name, meaning, bad });
        add(START, terms.and([start, no_goal, not_pending]));
        add(KEPT, terms.and([step, lost]));
        add(RANKED, terms.and([step, grown]));
        let waiting = Waiting { state, step, same };
        self.cases(&waiting, witnesses, &mut premises);
        Ok(premises)
    }

    /// A part of the response in a state and on the step from there; and after it, if it is about states.
    fn around(&mut self, formula: &crate::model::Formula) -> Result<(Term, Option<Term>), Obstacle> {
        around_step(&self.open.model, &mut self.open.system, formula)
    }

    /// An expression over the reference instance as a term of this one, with others in place of further members.
    fn written(&mut self, expr: &Expr<StateLeaf>, also: &[(InstanceId, InstanceId)]) -> Term {
        let members: Vec<InstanceId> =
            self.evidence.members.iter().copied().chain(also.iter().map(|it| it.0)).collect();
        let chosen: Vec<InstanceId> = self.chosen.iter().copied().chain(also.iter().map(|it| it.1)).collect();
        let expr = renamed(&Renaming::new(self.from, &self.open.model, &members, &chosen), expr);
        state_predicate(&self.open.model, &mut self.open.system, &expr)
    }

    /// That the ranks become less, and that they stay the same.
    fn ranks(&mut self) -> (Term, Term) {
        let mut less = Vec::new();
        let mut same = vec![self.open.system.terms_mut().bool(true)];
        for rank in &self.evidence.ranks {
            let now = self.written(rank, &[]);
            let then = self.open.system.after(now);
            let terms = self.open.system.terms_mut();
            let falls = if terms.sort(now) == Sort::Bool {
                let not_then = terms.not(then);
                terms.and([now, not_then])
            } else {
                let (zero, falls) = (terms.int(0), terms.lt(then, now));
                let bounded = terms.le(zero, now);
                terms.and([bounded, falls])
            };
            let before = terms.and(same.clone());
            less.push(terms.and([before, falls]));
            same.push(terms.eq(now, then));
        }
        let terms = self.open.system.terms_mut();
        (terms.or(less), terms.and(same))
    }

    /// The agent that helps, how, and whether some agent does.
    fn cases(&mut self, waiting: &Waiting, witnesses: &[Witness], premises: &mut Vec<Premise>) {
        let mut facts: Vec<Term> = Vec::new();
        for witness in witnesses {
            facts.push(witness.exists(self.from, self.open, None));
        }
        let facts = self.open.system.terms_mut().and(facts);
        let mut some = Vec::new();
        for case in &self.evidence.cases {
            let other = case.other(self.from, &self.evidence.members);
            let choices: Vec<Vec<(InstanceId, InstanceId)>> = match other {
                None => vec![Vec::new()],
                Some(other) => {
                    let (family, _) = self.from.place_of_member(other).expect("it is a member");
                    let members = self.open.model.families()[family].members();
                    members.filter(|it| !self.chosen.contains(it)).map(|it| vec![(other, it)]).collect()
                }
            };
            for choice in choices {
                some.push(self.case(case, &choice, waiting, facts, premises));
            }
        }
        let terms = self.open.system.terms_mut();
        let helped = terms.or(some);
        let unhelped = terms.not(helped);
        let bad = terms.and([waiting.state, unhelped, facts]);
        premises.push(Premise { name: COVERED.0, meaning: COVERED.1, bad });
    }

    /// That a case helps; it as a condition.
    fn case(
        &mut self,
        case: &Case,
        choice: &[(InstanceId, InstanceId)],
        waiting: &Waiting,
        facts: Term,
        premises: &mut Vec<Premise>,
    ) -> Term {
        let condition = self.written(&case.condition, choice);
        let helper = match case.helper {
            Helper::Any => Helper::Any,
            Helper::Agent { instance, command, by } => {
                let members = &self.evidence.members;
                let place = members.iter().position(|member| *member == instance);
                let chosen = choice.first().map(|(_, chosen)| *chosen).or(place.map(|place| self.chosen[place]));
                let by_name = Renaming::new(self.from, &self.open.model, &[], &[]);
                Helper::Agent { instance: chosen.unwrap_or_else(|| by_name.of(instance)), command, by }
            }
        };
        let (enabled, acts) = (self.open.enabled(helper), self.open.acts(helper));
        let then = self.open.system.after(condition);
        let terms = self.open.system.terms_mut();
        let over = terms.not(then);
        let harm = terms.or([over, acts]);
        let helped = terms.and([waiting.step, waiting.same, condition, harm]);
        let unable = terms.not(enabled);
        let unable = terms.and([waiting.state, condition, facts, unable]);
        premises.push(Premise { name: HELPED.0, meaning: HELPED.1, bad: helped });
        premises.push(Premise { name: ENABLED.0, meaning: ENABLED.1, bad: unable });
        condition
    }
}

impl OpenInstance {
    /// True if a helper is treated fairly.
    fn is_fair(&self, instance: InstanceId, command: Option<EdgeId>) -> bool {
        self.fair.contains(&match command {
            None => Actor::Instance(instance),
            Some(edge) => Actor::Command(instance, edge),
        })
    }

    /// That a helper can act whatever agents outside do: these might only block the send by which it can, and whether
    /// some agent does is looked at for each by itself. False if no agent treats it fairly.
    fn enabled(&mut self, helper: Helper) -> Term {
        match helper {
            Helper::Any => {
                let stuck = deadlock::possible(&self.model, &mut self.system);
                self.system.terms_mut().not(stuck)
            }
            Helper::Agent { instance, command, .. } if !self.is_fair(instance, command) => {
                self.system.terms_mut().bool(false)
            }
            Helper::Agent { instance, command, by } => {
                let may = |edge: EdgeId| command.is_none_or(|command| command == edge);
                let counts = |kind: EventKind| match kind {
                    EventKind::Send { sender, edge } => sender == instance && by == Some(edge) && may(edge),
                    EventKind::GetSupply { getter, get, supplier, supply } => {
                        getter == instance && may(get) || supplier == instance && may(supply)
                    }
                    EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter => false,
                };
                let events = self.system.events().iter().filter(|event| counts(event.kind));
                let enabled: Vec<Term> = events.map(|event| event.enabled).collect();
                self.system.terms_mut().or(enabled)
            }
        }
    }

    /// That the step is one of a helper.
    fn acts(&mut self, helper: Helper) -> Term {
        let is_its = |kind: EventKind| match (helper, kind) {
            (_, EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter) => false,
            (Helper::Any, _) => true,
            (Helper::Agent { instance, command, .. }, EventKind::Send { sender, edge }) => {
                sender == instance && command.is_none_or(|command| command == edge)
            }
            (Helper::Agent { instance, command, .. }, EventKind::GetSupply { getter, get, supplier, supply }) => {
                let is_it = |who: InstanceId, edge: EdgeId| who == instance && command.is_none_or(|it| it == edge);
                is_it(getter, get) || is_it(supplier, supply)
            }
        };
        let events: Vec<usize> =
            (0..self.system.events().len()).filter(|&index| is_its(self.system.events()[index].kind)).collect();
        let events: Vec<Term> = events.into_iter().map(|index| self.system.event_is(index)).collect();
        self.system.terms_mut().or(events)
    }
}
