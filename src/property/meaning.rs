//! What the formulas of a tableau say in the words of the model.

use super::Translation;
use super::ltl::LtlId;
use crate::model::{Formula, Model, Spec};
use crate::ts::system::System;
use rustc_hash::FxHashMap;

/// For each formula that [`Property::new`] makes of a part of the spec, that part or its negation. The system
/// is the one that the property is made with, so that the formulas are the same ones.
pub fn meanings(model: &Model, system: &mut System, spec: &Spec) -> FxHashMap<LtlId, Formula> {
    let mut translation = Translation::new(model, system);
    translation.meanings = Some(FxHashMap::default());
    translation.property(spec);
    translation.meanings.unwrap_or_default()
}
