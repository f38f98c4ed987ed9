//! Certificates of verdicts, offered for specs of the same model that have the opposite verdict: none may be
//! accepted. For their own spec they are accepted.

use crate::common::random::Random;
use crate::common::{patiently, with_work};
use rcheck_smt::certificate_file::{CertificateError, Document};
use rcheck_smt::check::Verdict;
use rcheck_smt::verify::{self, Subject};
use serde_json::{Value, json};

/// How much work a check may be.
const WORK: u64 = 10_000_000;
/// One certificate in so many is offered for its own spec.
const OWN: usize = 4;

/// The certificates of a model.
pub struct Offers {
    random: Random,
    /// Which spec each is about, and whether it says that it holds.
    certificates: Vec<(usize, bool, Value)>,
    pub certified: u64,
    pub refused: u64,
}

impl Offers {
    /// None yet.
    pub fn new(seed: u64) -> Offers {
        Offers { random: Random::new(seed), certificates: Vec::new(), certified: 0, refused: 0 }
    }

    /// Remembers the certificate of a verdict.
    pub fn note(&mut self, subject: &Subject, spec: usize, verdict: &Verdict) -> Result<(), String> {
        let Some(document) = Document::new(subject.model(), "generated.rcp", spec, verdict) else { return Ok(()) };
        let certificate: Value = serde_json::from_str(&document.write()).expect("JSON");
        if self.random.below(OWN) == 0 {
            match accepts(subject, &certificate)? {
                Some(Ok(())) => self.certified += 1,
                Some(Err(CertificateError::Unknown(_))) | None => {}
                Some(Err(why)) => return Err(format!("its own certificate is refused: {why}\n{certificate:#}")),
            }
        }
        self.certificates.push((spec, matches!(verdict, Verdict::Holds(_)), certificate));
        Ok(())
    }

    /// Offers each certificate for one spec with the opposite verdict, if there are any; `truths` says of each spec
    /// whether it holds, where that is known.
    pub fn make(&mut self, subject: &Subject, truths: &[Option<bool>]) -> Result<(), String> {
        for (spec, holds, certificate) in &self.certificates {
            let opposite: Vec<usize> = (0..truths.len()).filter(|&other| truths[other] == Some(!holds)).collect();
            if opposite.is_empty() {
                continue;
            }
            let other = *self.random.pick(&opposite);
            let offered = about(subject, certificate, other);
            if accepts(subject, &offered)?.is_some_and(|checked| checked.is_ok()) {
                let claim = if *holds { "holds" } else { "is violated" };
                return Err(format!(
                    "spec {}: certify accepts that it {claim}, as spec {}\n{offered:#}",
                    other + 1,
                    spec + 1
                ));
            }
            self.refused += 1;
        }
        Ok(())
    }
}

/// The same evidence for another spec.
fn about(subject: &Subject, certificate: &Value, spec: usize) -> Value {
    let (model, mut offered) = (subject.model(), certificate.clone());
    let formula = &model.specs[spec].formula;
    offered["spec"] = json!({"number": spec + 1, "name": null, "formula": model.show_formula(formula)});
    let parts = offered["evidence"].get_mut("invariants").and_then(Value::as_array_mut);
    let conjuncts = formula.conjuncts();
    if let Some(parts) = parts
        && let Some(last) = parts.last().cloned()
    {
        // As many as the other spec has conjuncts, so that it is refused for what it says.
        parts.resize(conjuncts.len(), last);
        for (part, conjunct) in parts.iter_mut().zip(conjuncts) {
            part["formula"] = json!(model.show_formula(&conjunct));
        }
    }
    offered
}

/// Nothing, if that is too much work.
fn accepts(subject: &Subject, certificate: &Value) -> Result<Option<Result<(), CertificateError>>, String> {
    let document = Document::read(&certificate.to_string()).map_err(|error| error.to_string())?;
    Ok(with_work(WORK, || verify::certify(&document, subject.semantics(), patiently()).map(|_| ())))
}
