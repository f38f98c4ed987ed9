//! Which instances the quantified variables of a spec stand for in a part of it.
//!
//! Elaboration keeps the body of each quantifier per instance ([`Spec::expanded`]); explanations look these bodies up.

use super::{Formula, InstanceId, Model, Spec};

/// The body of a quantifier for one instance of its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The quantified variables in scope and the instances that they stand for, outermost first.
    pub variables: Vec<(String, InstanceId)>,
    /// The body, a subformula of the spec's formula.
    pub formula: Formula,
}

impl Spec {
    /// The instances that the quantified variables stand for at the end of a way through the formula, which is a list
    /// of subformulas, each inside of the one before it. Where several instances have the same body, one of them.
    pub fn instances(&self, way: &[Formula]) -> &[(String, InstanceId)] {
        way.iter().fold(&[], |known: &[_], formula| {
            let fits = |one: &&Expanded| one.formula == *formula && one.variables.starts_with(known);
            let innermost = self.expanded.iter().filter(fits).rev().max_by_key(|one| one.variables.len());
            innermost.map_or(known, |one| &one.variables)
        })
    }
}

impl Model {
    /// A conjunct of a spec by its number and its instances: `conjunct 2 of 9, for k = client2`. Nothing for
    /// the only conjunct of a spec without quantifiers.
    pub fn show_conjunct(&self, spec: &Spec, index: usize) -> Option<String> {
        let mut way = Vec::new();
        spec.formula.way_to_conjunct(index, &mut way);
        self.show_part(spec, (index, spec.formula.conjuncts().len()), &way)
    }

    /// The same where the way goes on into the conjunct; also given the number of conjuncts.
    pub fn show_part(&self, spec: &Spec, (index, count): (usize, usize), way: &[Formula]) -> Option<String> {
        let number = (count > 1).then(|| format!("conjunct {} of {count}", index + 1));
        let show = |(variable, instance): &(String, InstanceId)| {
            format!("{variable} = {}", self.instances[instance.index()].name)
        };
        let instances: Vec<String> = spec.instances(way).iter().map(show).collect();
        let instances = (!instances.is_empty()).then(|| format!("for {}", instances.join(", ")));
        let parts: Vec<String> = number.into_iter().chain(instances).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
