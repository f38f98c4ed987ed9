//! The meaning of the variables that a proof adds to those of the model.

use crate::check::target::Target;
use crate::claim::reduction::{Auxiliary, Passed, Reduction};
use crate::model::Model;
use crate::ts::smtlib::write::closed;

/// Name and meaning of each variable that comes after those of the model, in their order.
pub fn legend(model: &Model, target: &Target) -> Vec<(String, String)> {
    let added = target.vocabulary.added().iter();
    let name = |term| closed(target.system.terms(), &target.symbols, term);
    added.map(|added| (name(added.variable), meaning(model, target, &added.stands_for))).collect()
}

fn meaning(model: &Model, target: &Target, stands_for: &Auxiliary) -> String {
    let formula = |obligation| model.show_formula(&target.says(obligation));
    let ranked = matches!(target.reduction, Reduction::Ranking(_));
    let since = if ranked { "since the ranking changed last" } else { "before" };
    match stands_for {
        Auxiliary::Pending(list) => {
            let each = |passed: &Passed| {
                let how = if passed.put_off { "put off" } else { "pending" };
                format!("{how}: {}", formula(passed.obligation))
            };
            list.iter().map(each).collect::<Vec<_>>().join(", or ")
        }
        Auxiliary::Met(place) => format!("eventuality {} was not put off at some moment of this round", place + 1),
        Auxiliary::Seen(0) => format!("a round ended {since}"),
        Auxiliary::Seen(earlier) => format!("{} rounds ended {since}", earlier + 1),
        Auxiliary::Broken => "the ranking grew, or changed below zero".to_owned(),
    }
}
