//! Specs: a formula with what a file says about it.
//!
//! Elaboration keeps the body of each quantifier per instance ([`Spec::expanded`]), so that explanations can tell which
//! instances the quantified variables stand for in a part of the formula.

use super::checks::Question;
use super::fairness::{Assumption, Under};
use super::{Formula, InstanceId, Model};
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// The verdict that is expected of a spec, according to a comment at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// `// expect: holds`
    Holds,
    /// `// expect: violated`
    Violated,
    /// `// expect: unknown`
    Unknown,
}

impl Expectation {
    const ALL: [Expectation; 3] = [Expectation::Holds, Expectation::Violated, Expectation::Unknown];

    /// The one that a comment writes so.
    pub fn named(word: &str) -> Option<Expectation> {
        Expectation::ALL.into_iter().find(|expectation| expectation.word() == word)
    }

    /// As a comment writes it.
    pub fn word(self) -> &'static str {
        match self {
            Expectation::Holds => "holds",
            Expectation::Violated => "violated",
            Expectation::Unknown => "unknown",
        }
    }
}

/// One specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// From a comment `// name: N` at the spec.
    pub name: Option<String>,
    /// From a comment `// expect: ..` at the spec.
    pub expect: Option<Expectation>,
    /// The formula that must hold on every run.
    pub formula: Formula,
    /// Its assumptions and its claim, if the spec stands under assumptions.
    pub under: Option<Box<Under>>,
    /// How the file writes it, on one line, if there is a file.
    pub text: Option<String>,
    /// Its place; of a check, the place of the command that it is about.
    pub span: Span,
    /// The question that it answers, if it is no spec of the file but a check.
    pub question: Option<Question>,
    /// The outcome of its quantifiers.
    pub expanded: Vec<Expanded>,
}

impl From<Formula> for Spec {
    /// A spec that no file has.
    fn from(formula: Formula) -> Spec {
        Spec {
            name: None,
            expect: None,
            formula,
            under: None,
            text: None,
            span: Span::default(),
            question: None,
            expanded: Vec::new(),
        }
    }
}

impl Spec {
    /// The same under further assumptions.
    pub fn under(self, model: &Model, assumed: &[Assumption]) -> Spec {
        if assumed.is_empty() {
            return self;
        }
        let new = || Box::new(Under { assumptions: Vec::new(), claimed: self.formula.clone() });
        let mut under = self.under.unwrap_or_else(new);
        under.assumptions.extend_from_slice(assumed);
        Spec { formula: under.formula(model), under: Some(under), ..self }
    }

    /// All that is assumed, if the spec depends on it.
    pub fn assumed(&self) -> Option<Formula> {
        self.under.as_ref().filter(|under| under.claimed != self.formula).map(|under| under.assumed())
    }

    /// The formula that it says of the runs that satisfy the assumptions.
    pub fn claimed(&self) -> &Formula {
        self.under.as_ref().map_or(&self.formula, |under| &under.claimed)
    }

    /// `under 2 assumptions`, if the spec depends on them.
    pub fn show_assumptions(&self) -> Option<String> {
        let count = self.under.as_ref().filter(|_| self.assumed().is_some())?.assumptions.len();
        Some(format!("under {}", crate::words::count(count, "assumption")))
    }

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

/// The body of a quantifier for one instance of its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The quantified variables in scope and the instances that they stand for, outermost first.
    pub variables: Vec<(String, InstanceId)>,
    /// The body, a subformula of the spec's formula.
    pub formula: Formula,
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
