//! The meaning of the variables that a proof adds to those of the model.

use crate::check::certificate::CertifiedPart;
use crate::model::Model;
use crate::product::rounds::Auxiliary;
use crate::product::target::{Reduction, Target};
use crate::ts::smtlib::write::Vocabulary;
use crate::ts::term::Leaf;

/// Name and meaning of each variable that comes after those of the model, in their order.
pub fn legend(model: &Model, CertifiedPart { target, symbols, .. }: &CertifiedPart) -> Vec<(String, String)> {
    let entry = |(id, stands_for)| (symbols.leaf(Leaf::Var(id)), meaning(model, target, stands_for));
    target.added_variables().map(entry).collect()
}

fn meaning(model: &Model, target: &Target, stands_for: Auxiliary) -> String {
    let formula = |obligation| model.show_formula(&target.says(obligation));
    let ranked = matches!(target.reduction, Reduction::Ranking(_));
    let since = if ranked { "since the ranking changed last" } else { "before" };
    match stands_for {
        Auxiliary::Pending(passed) => {
            let how = if passed.is_eventuality { "pending eventuality" } else { "pending" };
            format!("{how}: {}", formula(passed.obligation))
        }
        Auxiliary::Met(place) => format!("eventuality {} was not pending at some moment of this round", place + 1),
        Auxiliary::Seen(0) => format!("a round ended {since}"),
        Auxiliary::Seen(earlier) => format!("{} rounds ended {since}", earlier + 1),
        Auxiliary::Broken => "the ranking grew, or changed below zero".to_owned(),
    }
}
