//! The meanings of the variables of a reduction in terms of the model.

use super::ltl::{LtlId, Passed};
use super::{Part, Property, Translation};
use crate::claim::explicit::{Obligation, subformulas};
use crate::claim::reduction::{self, Auxiliary, Eventualities, Reduction};
use crate::model::{Formula, Model};
use crate::ts::system::System;
use rustc_hash::FxHashMap;

/// Of which subformulas of a part, true or false, a translation made which formulas.
pub struct Meanings<'f> {
    numbers: FxHashMap<&'f Formula, u32>,
    found: Said,
}

/// The subformulas of a part that formulas stand for.
type Said = FxHashMap<LtlId, Vec<Obligation>>;

impl Meanings<'_> {
    /// That a formula, if it is one of the subformulas, became this one.
    pub fn note(&mut self, formula: &Formula, truth: bool, id: LtlId) {
        let Some(&subformula) = self.numbers.get(formula) else { return };
        let obligation = Obligation { subformula, truth };
        let known = self.found.entry(id).or_default();
        if !known.contains(&obligation) {
            known.push(obligation);
        }
    }
}

/// The eventualities that a reduction of a part watches, and the meanings of the variables that it adds to those of the
/// system, in their order. The system is the one that the property was made with.
pub fn auxiliaries(
    model: &Model,
    system: &System,
    property: &Property,
    part: &Part,
    reduction: Reduction,
) -> (Eventualities, Vec<Auxiliary>) {
    if reduction == Reduction::Invariance {
        return (Eventualities::default(), Vec::new());
    }
    let said = said(model, system, property, part);
    let obligations = property.ltl.obligations(part.negation);
    let pending = |&passed: &Passed| Auxiliary::Pending(pending(&said, part, passed));
    let mut list: Vec<Auxiliary> = obligations.iter().map(pending).collect();
    let put_off: Vec<&Passed> = obligations.iter().filter(|passed| passed.put_off).collect();
    let watched = put_off.iter().map(|passed| said_by(&said, passed.formula)[0]).collect();
    let at_first = put_off.iter().any(|passed| passed.formula == part.negation);
    // One eventuality needs no memory, and neither does a reduction to finite prefixes.
    if put_off.len() != 1 && reduction != Reduction::Safety {
        list.extend((0..put_off.len() as u32).map(Auxiliary::Met));
    }
    if let Reduction::Counting(counted) | Reduction::Ranking(counted) = reduction {
        list.extend((0..counted as u32).map(Auxiliary::Seen));
    }
    list.extend(matches!(reduction, Reduction::Ranking(_)).then_some(Auxiliary::Broken));
    (Eventualities { watched, at_first }, list)
}

/// A root that is an until counts as put off at first.
fn pending(said: &Said, part: &Part, passed: Passed) -> Vec<reduction::Passed> {
    let both = passed.put_off && passed.formula == part.negation;
    let reasons: &[bool] = if both { &[true, false] } else { std::slice::from_ref(&passed.put_off) };
    let passed_as = |&put_off: &bool| {
        said_by(said, passed.formula).iter().map(move |&obligation| reduction::Passed { obligation, put_off })
    };
    reasons.iter().flat_map(passed_as).collect()
}

fn said_by(said: &Said, id: LtlId) -> &[Obligation] {
    said.get(&id).map_or(&[], Vec::as_slice)
}

/// The part is translated again; all its formulas are known already.
fn said(model: &Model, system: &System, property: &Property, part: &Part) -> Said {
    let numbers = subformulas(&part.formula).into_iter().zip(0..).collect();
    let mut system = system.clone();
    let mut translation = Translation::new(model, &mut system);
    translation.ltl = property.ltl.clone();
    translation.meanings = Some(Meanings { numbers, found: FxHashMap::default() });
    let again = translation.whole(&part.formula, false);
    assert_eq!(again, part.negation, "the property is made with this system");
    translation.meanings.map(|meanings| meanings.found).unwrap_or_default()
}
