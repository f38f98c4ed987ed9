//! The systems that we verify, as text that other tools read.
//!
//! | format | what | readers | unit |
//! | --- | --- | --- | --- |
//! | [`smv`] | the system of the model, the specs as LTL | nuXmv; NuSMV if finite | specs of a model |
//! | [`vmt`] | the product with the negation of a part: an invariant, or a live property | VMT-LIB tools | a part |
//! | [`chc`] | the same as Horn clauses over linear integer arithmetic | Spacer, Golem, Eldarica | a spec |
//! | [`json`] | the system of the model, terms and all, the specs as LTL | any program | specs of a model |
//! | [`queries`](mod@queries) | the questions that the check of a verdict asks | SMT-LIB solvers | a spec |
//! | [`quantified`] | a proof for all sizes in first-order logic, without the rule about open instances | SMT-LIB solvers | a spec |
//!
//! The answer of another tool is not a verdict of ours: nothing here or elsewhere turns it into one. Comments in each
//! file say how the answer relates to the spec.

pub mod chc;
pub mod json;
pub mod names;
pub mod quantified;
pub mod queries;
pub mod relations;
pub mod smv;
pub mod strategy;
mod text;
pub mod vmt;

use crate::escape::visible;
use crate::model::Model;
use crate::property::Property;
use crate::simplify::simplify;
use crate::ts::history::base_system;
use crate::ts::system::System;
use relations::without_dead_events;

/// A model, and how it is called in comments.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'m> {
    /// The model.
    pub model: &'m Model,
    /// The name of its file.
    pub file: &'m str,
}

impl<'m> Subject<'m> {
    /// The first lines of every file.
    fn heading(&self) -> Vec<String> {
        let tool = format!("written by rcheck-smt {}", env!("CARGO_PKG_VERSION"));
        let constants = self.model.show_constants();
        let constants = (!constants.is_empty()).then(|| format!("constants: {constants}"));
        [tool, format!("model: {}", one_line(self.file))].into_iter().chain(constants).collect()
    }

    /// A spec in a comment: number, name, formula.
    fn spec(&self, spec: usize) -> String {
        let declared = &self.model.specs[spec];
        let name = declared.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        one_line(&format!("spec {}{name}: {}", spec + 1, self.model.show_spec(spec)))
    }

    /// The simplified system of the model with the properties for the chosen specs.
    fn with_properties(&self, specs: &[usize]) -> (System, Vec<Property>) {
        let mut system = without_dead_events(simplify(base_system(self.model)).0);
        let properties = specs.iter().map(|&spec| Property::new(self.model, &mut system, &self.model.specs[spec]));
        let properties = properties.collect();
        (system, properties)
    }
}

/// Text that cannot end a comment.
fn one_line(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}
