//! Knowledge by conditions: proofs for models of any size, integers included.
//!
//! Let P be a condition that reads nothing but the local state of i. If f is true in all reachable states in which P is, then
//! P implies `K(i, f)`: states that look like a reachable one to i agree with it on P, so that f is true in those of them that are
//! reachable. So a spec in which knowledge occurs *positively* only (not under a negation, nor to the left of `->`) follows from
//!
//! 1. the spec with P in place of each `K(i, f)`, and
//! 2. `G (P -> f)` for each of them; where knowledge occurs in f, positively, f with conditions in place of it.
//!
//! For distributed knowledge P may read the local states of all members; `GK(g, f)` is the conjunction of `K(i, f)`. Under
//! assumptions fewer states count, so that more is known. All of these are specs about single runs, with proofs of their own.

use crate::check::{Means, Proof, Refused, Verdict, judge, typed};
use crate::claim::Evidence;
use crate::claim::branching::branchings;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::Semantics;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, Model, Spec};

/// Knowledge is not positive.
const NEGATED: &str = "it says that some agent does not know something, which needs a witness for each reachable state";

/// A spec that holds because of what its knowers see. There is no other way to make one than [`ProofByConditions::confirm`].
#[derive(Debug)]
pub struct ProofByConditions {
    model: Box<Model>,
    known: Vec<Branching>,
    conditions: Vec<Expr<StateLeaf>>,
    proofs: Vec<Proof>,
}

impl ProofByConditions {
    /// Checks the evidence for all specs of [`questions`], in their order.
    pub(in crate::check) fn confirm(
        model: &Model,
        spec: usize,
        conditions: Vec<Expr<StateLeaf>>,
        parts: Vec<Evidence>,
        means: Means,
    ) -> Result<ProofByConditions, Refused> {
        let known = knowledge(&model.specs[spec].formula)?;
        let model = Box::new(questions(model, spec, &conditions)?);
        if parts.len() != model.specs.len() {
            return Err(Refused::unfit("a proof is missing"));
        }
        let semantics = Semantics::new(&model);
        let proof = |(spec, part)| match judge(&semantics, spec, part, means)? {
            Verdict::Holds(proof) => Ok(proof),
            _ => Err(Refused::unfit("a proof is missing")),
        };
        let proofs = parts.into_iter().enumerate().map(proof).collect::<Result<_, Refused>>()?;
        Ok(ProofByConditions { model, known, conditions, proofs })
    }

    /// The model with what was proved as specs.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Each piece of knowledge, with the condition that implies it.
    pub fn conditions(&self) -> impl Iterator<Item = (&Branching, &Expr<StateLeaf>)> {
        self.known.iter().zip(&self.conditions)
    }

    /// The proofs, in the order of the specs.
    pub fn proofs(&self) -> &[Proof] {
        &self.proofs
    }
}

/// The knowledge in a formula, those inside of others before these, if conditions may prove it.
pub fn knowledge(formula: &Formula) -> Result<Vec<Branching>, Refused> {
    let expanded = expanded(formula);
    is_positive(&expanded, true)?;
    let list: Vec<Branching> = branchings(&expanded).into_iter().cloned().collect();
    for branching in &list {
        match branching.operator {
            Operator::All | Operator::Some => {
                return Err(Refused::unfit("it has path quantifiers, which need all reachable states"));
            }
            Operator::Strategy(..) => {
                return Err(Refused::unfit("it is about strategies, which need all reachable states"));
            }
            Operator::Known(Knowledge::Common, _) => {
                return Err(Refused::unfit("it is about common knowledge, which needs all reachable states"));
            }
            Operator::Known(..) => {}
        }
        if matches!(&branching.body, Formula::Branching(inner) if inner.operator == Operator::All) {
            return Err(Refused::unfit("what is known is about runs, which needs all reachable states"));
        }
    }
    Ok(list)
}

/// The specs that have to hold: the spec with conditions in place of knowledge, then what each condition implies.
pub fn questions(model: &Model, spec: usize, conditions: &[Expr<StateLeaf>]) -> Result<Model, Refused> {
    let declared = &model.specs[spec];
    let known = knowledge(&declared.formula)?;
    if known.len() != conditions.len() {
        return Err(Refused::unfit("there is another number of conditions"));
    }
    typed::check(model, conditions)?;
    let sees = |(known, condition): (&Branching, &Expr<StateLeaf>)| {
        let group = known.operator.group();
        !condition.any_leaf(|leaf| !model.is_seen_by(group, *leaf))
    };
    if !known.iter().zip(conditions).all(sees) {
        return Err(Refused::unfit("a condition reads what its knower does not see"));
    }
    let plain =
        |formula| Spec { name: None, text: None, under: None, expanded: Vec::new(), formula, ..declared.clone() };
    let mut specs = vec![plain(replaced(&expanded(&declared.formula), &known, conditions))];
    for (one, condition) in known.iter().zip(conditions) {
        let body = replaced(&one.body, &known, conditions);
        specs.push(plain(Formula::Atom(condition.clone()).implies(body).globally()));
    }
    Ok(model.with_specs(specs))
}

/// With the knowledge of groups as that of their members.
fn expanded(formula: &Formula) -> Formula {
    formula.with_branching(&|branching| {
        let body = expanded(&branching.body);
        let one = |operator| {
            Formula::Branching(Box::new(Branching { operator, body: body.clone(), among: branching.among.clone() }))
        };
        match &branching.operator {
            Operator::Known(Knowledge::Everybody, group) => {
                let each = group.iter().map(|member| one(Operator::Known(Knowledge::Own, vec![*member])));
                Formula::And(each.collect())
            }
            other => one(other.clone()),
        }
    })
}

/// With conditions in place of knowledge, the outermost first.
fn replaced(formula: &Formula, known: &[Branching], conditions: &[Expr<StateLeaf>]) -> Formula {
    formula.with_branching(&|branching| {
        let place = known.iter().position(|other| other == branching).expect("all knowledge is listed");
        Formula::Atom(conditions[place].clone())
    })
}

/// That knowledge makes a formula true rather than false, wherever it occurs.
fn is_positive(formula: &Formula, truth: bool) -> Result<(), Refused> {
    match formula {
        Formula::Branching(branching) if truth => is_positive(&branching.body, true),
        Formula::Branching(_) => Err(Refused::unfit(NEGATED)),
        Formula::Not(inner) => is_positive(inner, !truth),
        Formula::Iff(left, right) if left.is_branching() || right.is_branching() => Err(Refused::unfit(NEGATED)),
        other @ (Formula::Atom(_)
        | Formula::Label(..)
        | Formula::Observed(_)
        | Formula::And(_)
        | Formula::Or(_)
        | Formula::Iff(..)
        | Formula::Next(_)
        | Formula::Until(..)) => {
            let mut all = Ok(());
            other.for_each_child(&mut |part| {
                if all.is_ok() {
                    all = is_positive(part, truth);
                }
            });
            all
        }
    }
}
