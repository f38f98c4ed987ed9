//! From a model to verdicts: the pipeline that the commands run.

use crate::check::{Refuted, Verdict, judge};
use crate::engine::bmc::{self, Times};
use crate::model::eval::{Influence, Semantics};
use crate::model::{Formula, Model};
use crate::property::{Property, receive_labels};
use crate::smt::{Budget, with_context};
use crate::ts::history::remember_receives;
use crate::ts::lower::lower;
use crate::ts::simplify::simplify;
use crate::ts::system::{Origin, System};
use crate::ts::term::VarId;

/// A model with everything that its specs share.
#[derive(Debug)]
pub struct Subject<'m> {
    semantics: Semantics<'m>,
    system: System,
}

/// How far and how long to search.
pub struct Limits<'a> {
    /// The largest number of steps.
    pub bound: usize,
    /// How long it may take.
    pub budget: Budget,
    /// Told the depth whenever it is clear.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// A verdict and what it took.
#[derive(Debug)]
pub struct Outcome<'s> {
    /// The verdict.
    pub verdict: Verdict<'s>,
    /// Where the time went.
    pub times: Times,
}

impl<'m> Subject<'m> {
    /// Lowers and simplifies the model.
    pub fn new(model: &'m Model) -> Subject<'m> {
        let system = remember_receives(lower(model), model, &receive_labels(model));
        let (system, _) = simplify(system);
        Subject { semantics: Semantics::new(model), system }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.semantics.model()
    }

    /// Its transition system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Its concrete semantics.
    pub fn semantics(&self) -> &Semantics<'m> {
        &self.semantics
    }
}

impl<'m> Subject<'m> {
    /// Bounded model checking of a spec of the model.
    pub fn bmc<'s>(&'s self, spec: usize, limits: &Limits) -> Result<Outcome<'s>, Refuted> {
        let (model, mut system) = (self.model(), self.system.clone());
        let spec = &model.specs[spec];
        let property = Property::new(model, &mut system, spec);
        let also_close = influential(&self.semantics, &system, &spec.formula);
        let config = bmc::Config {
            bound: limits.bound,
            budget: limits.budget,
            also_close: &also_close,
            progress: limits.progress,
        };
        let (claim, times) = with_context(|| bmc::run(&system, &property, config));
        let verdict = judge(&self.semantics, &spec.formula, claim)?;
        Ok(Outcome { verdict, times })
    }
}

/// The variables that a replayed loop has to close on: a superset of the cone of the property where
/// simplification found that something read cannot matter.
fn influential(semantics: &Semantics, system: &System, formula: &Formula) -> Vec<VarId> {
    let influence = Influence::of(semantics.model(), formula);
    let matters = |id: &VarId| match system.variable(*id).origin {
        Origin::Local(instance, local) => influence.contains(instance, local),
        Origin::Automaton(_) => true,
        Origin::Received(..) => false,
    };
    system.var_ids().filter(matters).collect()
}
