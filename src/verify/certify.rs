//! Verdicts from certificates. An exploration that is too large for a file is done again, in the reverse order, so that
//! other states stand for their orbits.

use crate::certificate_file::{CertificateError, Certified, Document, Tools};
use crate::engine::explicit::{self, Order};
use crate::limits::{Budget, Stop};
use crate::model::eval::Semantics;
use crate::smt::Scripts;

/// Checks a certificate against the model with Z3, and, where it comes without its evidence, with an exploration in the
/// reverse order.
pub fn certify<'s>(
    document: &Document,
    semantics: &'s Semantics<'s>,
    budget: Budget,
) -> Result<Certified<'s>, CertificateError> {
    let stop = Stop::new();
    let explore = |semantics: &Semantics, formula: &_| {
        let config = explicit::Config { budget, order: Order::Backward, ..explicit::Config::default() };
        explicit::run(semantics, formula, config)
    };
    let tools = Tools { solver: &Scripts { budget, stop: &stop }, explore: &explore };
    document.check(semantics, tools)
}
