//! Verdicts from certificates.

use crate::certificate_file::{CertificateError, Certified, Document};
use crate::limits::{Budget, Stop};
use crate::model::eval::Semantics;
use crate::smt::Scripts;

/// Checks a certificate against the model with Z3.
pub fn certify<'s>(
    document: &Document,
    semantics: &'s Semantics<'s>,
    budget: Budget,
) -> Result<Certified<'s>, CertificateError> {
    document.check(semantics, &Scripts { budget, stop: &Stop::new() })
}
