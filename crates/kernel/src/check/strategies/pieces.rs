//! Where branching formulas are true that have to be known before.
//!
//! Of path quantifiers and knowledge an ordinary proof says where. `can(g, f)` in other places than the beginning is true in a state if
//! one strategy does it from all states that the group has to reckon with there: that state, and each reachable one that looks like it
//! to some member (ATL_ir of Schobbens, Alternating-time logic with imperfect recall, 2004). So a strategy for more states makes
//! it true, and that there is none for fewer states makes it false; both are about models that start in such states
//! ([`Model::starting`]). The reachable states are listed here.

use super::{Answer, Piece, PieceBy, View};
use crate::check::{Means, Refused, Verdict, judge, typed};
use crate::claim::strategies::{CanClaim, PieceClaim, PieceEvidence};
use crate::limits::tick;
use crate::model::branching::{Branching, Information, Operator};
use crate::model::eval::{Limits, Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::starting::StateParts;
use crate::model::{Expr, Formula, InstanceId, Model, Spec};
use rustc_hash::FxHashSet;

/// The most states that are listed to see which look alike.
pub const LARGEST: usize = 20_000;

/// The model with the spec that a condition is true where a branching formula is.
pub fn question(model: &Model, branching: &Branching, condition: &Expr<StateLeaf>) -> Model {
    let formula = Formula::Branching(Box::new(branching.clone()));
    model.with_specs(vec![Spec::from(Formula::Atom(condition.clone()).iff(formula).globally())])
}

/// The states with which a group has to reckon in a state: this one, and each that looks like it to some member.
pub fn reckoned_with(model: &Model, group: &[InstanceId], states: &[State], state: usize) -> Vec<usize> {
    let here = &states[state];
    let is_alike = |other: &usize| {
        *other == state || group.iter().any(|member| model.look_alike(here, &states[*other], &[*member]))
    };
    (0..states.len()).filter(is_alike).collect()
}

/// Checks where each piece of a formula is true.
pub(super) fn confirm(
    model: &Model,
    formula: &Formula,
    claims: Vec<PieceClaim>,
    means: Means,
) -> Result<Vec<Piece>, Refused> {
    let list = formula.pieces(model);
    if list.len() != claims.len() {
        return Err(Refused::unfit("there is another number of conditions"));
    }
    typed::check(model, claims.iter().map(|claim| &claim.condition))?;
    let is_of_outcome = |leaf: &StateLeaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..));
    let semantics = Semantics::new(model);
    let (mut pieces, mut known, mut reachable) = (Vec::new(), Vec::new(), None);
    for (branching, PieceClaim { condition, evidence }) in list.into_iter().zip(claims) {
        if condition.any_leaf(is_of_outcome) {
            return Err(Refused::unfit("a condition reads which steps are possible"));
        }
        let asked = branching.with_known(&known);
        let by = match evidence {
            PieceEvidence::Equivalent(evidence) => {
                let question = question(model, &asked, &condition);
                match judge(&Semantics::new(&question), 0, evidence, means)? {
                    Verdict::Holds(proof) => PieceBy::Equivalent(proof),
                    _ => return Err(Refused::unfit("a proof about a condition is missing")),
                }
            }
            PieceEvidence::Views(views) if matches!(branching.operator, Operator::Strategy(Information::Own, _)) => {
                if reachable.is_none() {
                    reachable = Some(reachable_states(&semantics)?);
                }
                let reachable = reachable.as_deref().expect("they were listed");
                PieceBy::Views(confirm_views(&semantics, &asked, &condition, reachable, views, means)?)
            }
            PieceEvidence::Views(_) => return Err(Refused::unfit("a condition is about something else")),
        };
        known.push((branching.clone(), condition.clone()));
        pieces.push(Piece { branching, condition, by });
    }
    Ok(pieces)
}

/// All reachable states, if they are not too many.
pub(super) fn reachable_states(semantics: &Semantics) -> Result<Vec<State>, Refused> {
    let explored = semantics.explore(Limits { depth: usize::MAX, states: LARGEST });
    let explored = explored.map_err(Refused::not_enumerable)?;
    if explored.complete() { Ok(explored.states().to_vec()) } else { Err(Refused::wrong("there are too many states")) }
}

fn confirm_views(
    semantics: &Semantics,
    can: &Branching,
    condition: &Expr<StateLeaf>,
    reachable: &[State],
    views: Vec<(Vec<StateParts>, CanClaim)>,
    means: Means,
) -> Result<Vec<View>, Refused> {
    let model = semantics.model();
    let mut confirmed: Vec<View> = Vec::new();
    let mut sets: Vec<FxHashSet<State>> = Vec::new();
    for (states, claim) in views {
        let set: Result<FxHashSet<State>, _> = states.iter().map(|parts| semantics.state_from(parts)).collect();
        sets.push(set.map_err(|error| Refused::wrong(format_args!("a state is none: {error}")))?);
        let starting = Box::new(model.starting(&states));
        let answer = Answer::confirm(&starting, model.from_here(can), &[], claim, means)?;
        confirmed.push(View { states, model: starting, answer });
    }
    for state in 0..reachable.len() {
        tick();
        let reckoned = reckoned_with(model, can.operator.group(), reachable, state);
        let truth = semantics.holds_in(&reachable[state], &Formula::Atom(condition.clone()));
        let shows = |(view, set): (&View, &FxHashSet<State>)| match truth {
            Some(true) => view.answer.is_true() && reckoned.iter().all(|other| set.contains(&reachable[*other])),
            _ => {
                let among = || reckoned.iter().filter(|other| set.contains(&reachable[**other])).count();
                !view.answer.is_true() && among() == set.len()
            }
        };
        if !confirmed.iter().zip(&sets).any(shows) {
            return Err(Refused::wrong("nothing says what a group can bring about in a state"));
        }
    }
    Ok(confirmed)
}
