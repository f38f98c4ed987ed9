//! Confirms what groups can, and cannot, bring about with uniform strategies (`docs/strategies.md`).
//!
//! `can(g, f)` at the beginning of a spec is true because of a strategy and an ordinary proof about its outcome, which is a model like
//! others ([`Model::outcome`]). It is false because of runs ([`refutation`]). In what remains of the spec, they are constants.
//! Branching formulas inside of f are about the model, not about the outcome: of each there is a condition on states that is true in the
//! reachable states in which the formula is ([`pieces`]). The same is done of `can(g, f)` in other places.

mod pieces;
mod refutation;
mod takes;

pub use pieces::{LARGEST, question, reckoned_with};

use super::{Means, Proof, Refused, Verdict, judge, typed};
use crate::claim::Evidence;
use crate::claim::strategies::{CanClaim, NoStrategy, PieceClaim, PieceEvidence, StrategiesClaim};
use crate::model::branching::Branching;
use crate::model::eval::{Choice, SeenMessage, Semantics, State};
use crate::model::formula::StateLeaf;
use crate::model::starting::StateParts;
use crate::model::strategy::{Beginning, Strategy};
use crate::model::{EdgeId, Expr, Formula, InstanceId, Model};

/// A spec that holds, given what groups can bring about.
#[derive(Debug)]
pub struct ProofByStrategies {
    pub(super) answers: Answers,
    pub(super) rest: Proof,
}

impl ProofByStrategies {
    /// The strategies.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// The proof of what remains of the spec.
    pub fn rest(&self) -> &Proof {
        &self.rest
    }
}

/// The strategies that a spec is about, checked. There is no other way to make one than [`Answers::confirm`].
#[derive(Debug)]
pub struct Answers {
    answers: Vec<Answer>,
    pieces: Vec<Piece>,
    /// The model with the truth of the answers in place of them.
    rest: Box<Model>,
}

/// `can(g, f)`, and why it is true or false.
#[derive(Debug)]
pub struct Answer {
    beginning: Beginning,
    why: Why,
}

/// Why `can(g, f)` is true or false.
#[derive(Debug)]
pub enum Why {
    /// A strategy does it: its outcome, and the proof about that.
    Can {
        /// The strategy.
        strategy: Strategy,
        /// Its outcome.
        outcome: Box<Model>,
        /// Every run of it satisfies f, and the strategy counts under the assumptions.
        proofs: Vec<Proof>,
    },
    /// Each strategy has one of some runs in its outcome.
    Cannot {
        /// The runs.
        runs: NoStrategy,
        /// Of each that is the beginning of one, why no continuation satisfies what is assumed.
        stuck: Vec<Option<Stuck>>,
    },
}

/// A model with the spec that no continuation of the beginning of a run satisfies what is assumed, and its proof.
#[derive(Debug)]
pub struct Stuck {
    /// The model.
    pub model: Box<Model>,
    /// The proof.
    pub proof: Proof,
}

/// A branching formula, and a condition that is true in the reachable states in which it is.
#[derive(Debug)]
pub struct Piece {
    branching: Branching,
    condition: Expr<StateLeaf>,
    by: PieceBy,
}

/// Why a condition is true in the reachable states in which a branching formula is.
#[derive(Debug)]
pub enum PieceBy {
    /// A proof that both are always equivalent.
    Equivalent(Proof),
    /// Of `can(g, f)`, its truth for sets of states that the group has to reckon with.
    Views(Vec<View>),
}

/// The truth of `can(g, f)` for some states that the group has to reckon with.
#[derive(Debug)]
pub struct View {
    /// The states.
    pub states: Vec<StateParts>,
    /// The model that starts in them.
    pub model: Box<Model>,
    /// The truth.
    pub answer: Answer,
}

impl Answer {
    /// Checks the evidence for the truth of `can(g, f)` at the beginning.
    fn confirm(
        model: &Model,
        beginning: Beginning,
        known: &[(Branching, Expr<StateLeaf>)],
        claim: CanClaim,
        means: Means,
    ) -> Result<Answer, Refused> {
        if beginning.given.iter().any(Formula::asks_what_is_possible) {
            return Err(Refused::unfit("the initial states that count depend on which steps are possible"));
        }
        let why = match claim {
            CanClaim::Can(strategy, evidence) => {
                is_one_of(model, &beginning, &strategy)?;
                let outcome = Box::new(model.outcome(&beginning, known, &strategy));
                let counts = model.restricting(&beginning.can).is_none() || outcome.specs.len() > 1;
                if !counts || evidence.len() != outcome.specs.len() {
                    return Err(Refused::unfit("nothing says that the strategy counts under the assumptions"));
                }
                let semantics = Semantics::new(&outcome);
                takes_are_chosen(&semantics, &beginning)?;
                if beginning.can.is_about_protocols() {
                    deterministic(&Semantics::new(model), &semantics, beginning.group())?;
                }
                let proof = |(spec, evidence)| match judge(&semantics, spec, evidence, means)? {
                    Verdict::Holds(proof) => Ok(proof),
                    _ => Err(Refused::unfit("a proof about a strategy is missing")),
                };
                let proofs = evidence.into_iter().enumerate().map(proof).collect::<Result<_, Refused>>()?;
                drop(semantics);
                Why::Can { strategy, outcome, proofs }
            }
            CanClaim::Cannot(runs) => {
                let stuck = refutation::confirm(model, &beginning, known, &runs, means)?;
                Why::Cannot { runs, stuck }
            }
        };
        Ok(Answer { beginning, why })
    }

    /// The same as a claim.
    fn claim(&self) -> CanClaim {
        match &self.why {
            Why::Can { strategy, proofs, .. } => {
                CanClaim::Can(strategy.clone(), proofs.iter().map(Proof::evidence).collect())
            }
            Why::Cannot { runs, .. } => CanClaim::Cannot(runs.clone()),
        }
    }

    /// The question.
    pub fn beginning(&self) -> &Beginning {
        &self.beginning
    }

    /// The reason.
    pub fn why(&self) -> &Why {
        &self.why
    }

    /// True if the group can.
    pub fn is_true(&self) -> bool {
        matches!(self.why, Why::Can { .. })
    }
}

impl Answers {
    /// Checks the evidence for the truth of each `can(g, f)` at the beginning of a spec.
    pub(in crate::check) fn confirm(
        model: &Model,
        spec: usize,
        pieces: Vec<PieceClaim>,
        claims: Vec<CanClaim>,
        means: Means,
    ) -> Result<Answers, Refused> {
        let formula = &model.specs[spec].formula;
        let beginnings = formula.beginnings();
        let are_joint = |beginning: &Beginning| beginning.can.is_about_protocols() == model.joint.is_some();
        if beginnings.len() != claims.len() || !beginnings.iter().all(are_joint) {
            return Err(Refused::unfit("there is another number of strategies"));
        }
        let pieces = pieces::confirm(model, formula, pieces, means)?;
        let known: Vec<_> = pieces.iter().map(Piece::known).collect();
        let mut answers = Vec::new();
        for (beginning, claim) in beginnings.into_iter().zip(claims) {
            answers.push(Answer::confirm(model, beginning, &known, claim, means)?);
        }
        let truths: Vec<bool> = answers.iter().map(Answer::is_true).collect();
        let rest = formula.with_beginnings(&truths).with_known(&known);
        let rest = Box::new(model.with_specs(vec![rest.into()]));
        Ok(Answers { answers, pieces, rest })
    }

    /// Each `can(g, f)`.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The model with what remains of the spec.
    pub fn rest(&self) -> &Model {
        &self.rest
    }

    /// The formulas that are known before, and where they are true.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The same as a claim.
    pub fn claim(&self, rest: Evidence) -> StrategiesClaim {
        let piece = |piece: &Piece| {
            let evidence = match &piece.by {
                PieceBy::Equivalent(proof) => PieceEvidence::Equivalent(proof.evidence()),
                PieceBy::Views(views) => {
                    let views = views.iter().map(|view| (view.states.clone(), view.answer.claim()));
                    PieceEvidence::Views(views.collect())
                }
            };
            PieceClaim { condition: piece.condition.clone(), evidence }
        };
        StrategiesClaim {
            pieces: self.pieces.iter().map(piece).collect(),
            answers: self.answers.iter().map(Answer::claim).collect(),
            rest,
        }
    }
}

impl Piece {
    /// The formula.
    pub fn branching(&self) -> &Branching {
        &self.branching
    }

    /// The condition.
    pub fn condition(&self) -> &Expr<StateLeaf> {
        &self.condition
    }

    /// The reason.
    pub fn by(&self) -> &PieceBy {
        &self.by
    }

    /// The formula and the condition.
    pub fn known(&self) -> (Branching, Expr<StateLeaf>) {
        (self.branching.clone(), self.condition.clone())
    }
}

/// Checks that members have chosen one way to take each message, where it matters: for formulas and assumptions that ask which steps are
/// possible, and where strategies may not count. Elsewhere, if all ways do what is asked for, each one does.
pub fn takes_are_chosen(outcome: &Semantics, beginning: &Beginning) -> Result<(), Refused> {
    let model = outcome.model();
    let matters = model.restricting(&beginning.can).is_some()
        || model.specs.iter().any(|spec| spec.formula.asks_what_is_possible());
    let has_choice = beginning.group().iter().any(|member| model.agent_of(*member).chooses_takes());
    if !matters || model.joint.is_some() || !has_choice {
        return Ok(());
    }
    for state in pieces::reachable_states(outcome)? {
        for step in outcome.steps(&state) {
            let decisions = outcome.decided(beginning.group(), &state, &step.choice).into_iter();
            let mut takes = decisions.filter(|decision| decision.message.is_some());
            if takes.any(|take| outcome.alternatives(&state, &step.choice, take.member).len() > 1) {
                return Err(Refused::wrong("a strategy does not say how a message is taken"));
            }
        }
    }
    Ok(())
}

/// Checks that it is a strategy of the group: members decide by what they see, and refuse no message.
pub fn is_one_of(model: &Model, beginning: &Beginning, strategy: &Strategy) -> Result<(), Refused> {
    let no_such = || Refused::wrong("the strategy is about no command of the group");
    let is_command = |member, edge| beginning.group().contains(&member) && model.is_command(member, edge);
    for refusal in &strategy.refusals {
        if !is_command(refusal.member, refusal.edge) || !model.begins(refusal.member, refusal.edge) {
            return Err(no_such());
        }
        if !model.is_decided_by(refusal.member, &refusal.when) {
            return Err(Refused::wrong("a member decides by what it does not see"));
        }
    }
    typed::check(model, strategy.refusals.iter().map(|refusal| &refusal.when))?;
    for take in &strategy.takes {
        if !is_command(take.member, take.edge) || model.begins(take.member, take.edge) {
            return Err(no_such());
        }
        // The states show later that protocols are deterministic.
        if model.joint.is_none() {
            takes::check(model, &strategy.takes, take)?;
        } else if take.locals.len() != model.seen_by(take.member).count()
            || take.message != Some(SeenMessage::default())
            || !takes::are_seen(model, take)
        {
            return Err(Refused::wrong("a protocol decides by what its agent does not see"));
        }
    }
    Ok(())
}

/// Per reachable state of a model with other protocols the action of each agent of a group, if there is one where the model has any.
fn deterministic(
    model: &Semantics,
    outcome: &Semantics,
    group: &[InstanceId],
) -> Result<Vec<(State, InstanceId, EdgeId)>, Refused> {
    let mut actions = Vec::new();
    for state in pieces::reachable_states(outcome)? {
        for member in group {
            let list = |semantics: &Semantics| semantics.alternatives(&state, &Choice::Stutter, *member);
            match list(outcome)[..] {
                [only] => actions.push((state.clone(), *member, only)),
                [] if list(model).is_empty() => {}
                _ => return Err(Refused::wrong("protocols are not deterministic")),
            }
        }
    }
    Ok(actions)
}
