//! Confirms what groups can, and cannot, bring about with uniform strategies (`docs/strategies.md`).
//!
//! `can(g, f)` at the beginning of a spec is true because of a strategy and an ordinary proof about its outcome, which is a model like
//! others ([`Model::outcome`]). It is false because of runs ([`refutation`]). In what remains of the spec, they are constants.
//! Branching formulas inside of f are about the model, not about the outcome: of each there is a condition on states, with
//! an ordinary proof that it is true where the formula is.

mod refutation;
mod takes;

use super::{Means, Proof, Refused, Verdict, judge, typed};
use crate::claim::strategies::{CanClaim, NoStrategy, StrategiesClaim};
use crate::model::branching::Branching;
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Beginning, Strategy};
use crate::model::{EdgeId, Expr, Formula, Model, Spec};

/// A spec that holds, given what groups can bring about.
#[derive(Debug)]
pub struct ProofByStrategies {
    pub(super) answers: Answers,
    pub(super) rest: Proof,
}

impl ProofByStrategies {
    /// What they can bring about.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// The proof of what remains of the spec.
    pub fn rest(&self) -> &Proof {
        &self.rest
    }
}

/// What groups can bring about at the beginning of a spec, checked. There is no other way to make one than [`Answers::confirm`].
#[derive(Debug)]
pub struct Answers {
    answers: Vec<Answer>,
    inner: Vec<Inner>,
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
        /// Every run of it satisfies f.
        proof: Proof,
    },
    /// Each strategy has one of these runs in its outcome.
    Cannot(NoStrategy),
}

/// A branching formula in what a group is to bring about, and a condition that is true where it is.
#[derive(Debug)]
pub struct Inner {
    branching: Branching,
    condition: Expr<StateLeaf>,
    proof: Proof,
}

impl Answer {
    /// What is asked.
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
        inner: Vec<(Expr<StateLeaf>, super::Evidence)>,
        claims: Vec<CanClaim>,
        means: Means,
    ) -> Result<Answers, Refused> {
        let formula = &model.specs[spec].formula;
        let beginnings = formula.beginnings();
        if beginnings.is_empty() || beginnings.len() != claims.len() || model.joint.is_some() {
            return Err(Refused::unfit("there is another number of strategies"));
        }
        let inner = confirm_inner(model, &beginnings, inner, means)?;
        let conditions = conditions(&inner);
        let mut answers = Vec::new();
        for (beginning, claim) in beginnings.into_iter().zip(claims) {
            if beginning.can.among.as_ref().is_some_and(|among| !among.is_fairness(model)) {
                return Err(Refused::unfit("strategies under assumptions other than fairness are not supported"));
            }
            let why = match claim {
                CanClaim::Can(strategy, evidence) => {
                    is_one_of(model, &beginning, &strategy)?;
                    let outcome = Box::new(model.outcome(&beginning, &conditions, &strategy));
                    let semantics = Semantics::new(&outcome);
                    let Verdict::Holds(proof) = judge(&semantics, 0, evidence, means)? else {
                        return Err(Refused::unfit("a proof about a strategy is missing"));
                    };
                    drop(semantics);
                    Why::Can { strategy, outcome, proof }
                }
                CanClaim::Cannot(runs) => {
                    refutation::confirm(model, &beginning, &conditions, &runs)?;
                    Why::Cannot(runs)
                }
            };
            answers.push(Answer { beginning, why });
        }
        let truth =
            |beginning: &Beginning| answers.iter().any(|answer| answer.beginning == *beginning && answer.is_true());
        let rest = Box::new(model.with_specs(vec![formula.with_beginnings(&truth).into()]));
        Ok(Answers { answers, inner, rest })
    }

    /// Each `can(g, f)`.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The model with what remains of the spec.
    pub fn rest(&self) -> &Model {
        &self.rest
    }

    /// The conditions on states that are true where these are.
    pub fn conditions(&self) -> Vec<(Branching, Expr<StateLeaf>)> {
        conditions(&self.inner)
    }

    /// The branching formulas inside, and where they are true.
    pub fn inner(&self) -> &[Inner] {
        &self.inner
    }

    /// The same as a claim.
    pub fn claim(&self, rest: super::Evidence) -> StrategiesClaim {
        let answer = |answer: &Answer| match &answer.why {
            Why::Can { strategy, proof, .. } => CanClaim::Can(strategy.clone(), proof.evidence()),
            Why::Cannot(runs) => CanClaim::Cannot(runs.clone()),
        };
        let inner = self.inner.iter().map(|inner| (inner.condition.clone(), inner.proof.evidence()));
        StrategiesClaim { inner: inner.collect(), answers: self.answers.iter().map(answer).collect(), rest }
    }
}

impl Inner {
    /// The formula.
    pub fn branching(&self) -> &Branching {
        &self.branching
    }

    /// The condition.
    pub fn condition(&self) -> &Expr<StateLeaf> {
        &self.condition
    }

    /// The proof that both are true in the same reachable states.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }
}

/// The conditions of some branching formulas.
fn conditions(inner: &[Inner]) -> Vec<(Branching, Expr<StateLeaf>)> {
    inner.iter().map(|inner| (inner.branching.clone(), inner.condition.clone())).collect()
}

/// The outermost branching formulas in what groups are to bring about, each once.
pub fn inner_formulas(beginnings: &[Beginning]) -> Vec<Branching> {
    let mut list: Vec<Branching> = Vec::new();
    for beginning in beginnings {
        beginning.can.body.for_each_part(&mut |part| {
            let Formula::Branching(branching) = part else { return true };
            if !list.contains(branching) {
                list.push((**branching).clone());
            }
            false
        });
    }
    list
}

/// The model with the spec that a condition is true where a branching formula is.
pub fn inner_question(model: &Model, branching: &Branching, condition: &Expr<StateLeaf>) -> Model {
    let formula = Formula::Branching(Box::new(branching.clone()));
    model.with_specs(vec![Spec::from(Formula::Atom(condition.clone()).iff(formula).globally())])
}

fn confirm_inner(
    model: &Model,
    beginnings: &[Beginning],
    claims: Vec<(Expr<StateLeaf>, super::Evidence)>,
    means: Means,
) -> Result<Vec<Inner>, Refused> {
    let list = inner_formulas(beginnings);
    if list.len() != claims.len() {
        return Err(Refused::unfit("there is another number of conditions"));
    }
    typed::check(model, claims.iter().map(|(condition, _)| condition))?;
    let is_of_outcome = |leaf: &StateLeaf| matches!(leaf, StateLeaf::Deadlock | StateLeaf::Enabled(..));
    let confirmed = |(branching, (condition, evidence)): (Branching, (Expr<StateLeaf>, super::Evidence))| {
        if condition.any_leaf(is_of_outcome) {
            return Err(Refused::unfit("a condition reads which steps are possible"));
        }
        let question = inner_question(model, &branching, &condition);
        match judge(&Semantics::new(&question), 0, evidence, means)? {
            Verdict::Holds(proof) => Ok(Inner { branching, condition, proof }),
            _ => Err(Refused::unfit("a proof about a condition is missing")),
        }
    };
    list.into_iter().zip(claims).map(confirmed).collect()
}

/// Checks that it is a strategy of the group: members decide by what they see, and refuse no message.
pub fn is_one_of(model: &Model, beginning: &Beginning, strategy: &Strategy) -> Result<(), Refused> {
    let no_such = || Refused::wrong("the strategy is about no command of the group");
    let is_command =
        |member, edge: EdgeId| beginning.group().contains(&member) && edge.index() < model.agent_of(member).edges.len();
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
        takes::check(model, &strategy.takes, take)?;
    }
    Ok(())
}
