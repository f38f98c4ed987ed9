//! Names of units for job schedulers: one word, the same on every machine, from which the unit is found again.
//!
//! `specs/bank.rcp:N=3:spec-2@5f0c2a81d3b4` is the second spec of that file with `--const N=3`; `deadlock`, `overflow-LINE`,
//! `dead-code-LINE` and `file` stand for what is no spec. The digits behind the `@` are those of a hash of the content of
//! the file and of the unit: a file that changed has other units.

use super::{Check, Unit};
use crate::escape::{from_percent, percent};
use crate::model::{Constants, Literal};
use sha2::{Digest, Sha256};

/// The number of bytes of the hash that are in the name.
const HASH_BYTES: usize = 6;

/// The parts of a unit's name that are clear without a look at the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The file.
    pub model: String,
    /// The values that `--const` and its like give.
    pub constants: Constants,
    /// The kind of the check, if it is one.
    pub check: Option<Check>,
}

/// The words for the kinds of checks.
const CHECKS: [(Check, &str); 3] =
    [(Check::Deadlock, "deadlock"), (Check::Overflow, "overflow"), (Check::DeadCode, "dead-code")];

impl Unit {
    /// Its name.
    pub fn id(&self) -> String {
        let what = match (self.spec, self.check) {
            (Some(number), _) => format!("spec-{number}"),
            (None, None) => "file".to_owned(),
            (None, Some(check)) => {
                let (_, word) = CHECKS.into_iter().find(|(kind, _)| *kind == check).expect("all are there");
                self.line.map_or_else(|| word.to_owned(), |line| format!("{word}-{line}"))
            }
        };
        let given = self.constants.iter().map(|(name, value)| format!("{}={value}:", percent(&name.to_string())));
        format!("{}:{}{what}@{}", percent(&self.model), given.collect::<String>(), self.hash())
    }

    fn hash(&self) -> String {
        let unit = serde_json::to_string(self).expect("units are plain data");
        Sha256::digest(unit).iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Named {
    /// Reads a name; nothing if it is none.
    pub fn parse(id: &str) -> Option<Named> {
        let (readable, _hash) = id.rsplit_once('@')?;
        let mut parts = readable.split(':');
        let model = from_percent(parts.next()?)?;
        let mut parts: Vec<&str> = parts.collect();
        let what = parts.pop()?;
        let check = CHECKS.into_iter().find(|(_, word)| what.starts_with(word)).map(|(check, _)| check);
        if check.is_none() && what != "file" && !what.starts_with("spec-") {
            return None;
        }
        let constant = |part: &str| {
            let (name, value) = part.split_once('=')?;
            Some((from_percent(name)?.into(), Literal::read(value)?))
        };
        let constants = parts.into_iter().map(constant).collect::<Option<Constants>>()?;
        Some(Named { model, constants, check })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        let constants = [("N", Literal::int(-3)), ("any: number of X", Literal::Bool(true))];
        let constants = constants.map(|(name, value)| (name.to_owned().into(), value));
        let file = Unit::file("a b/\u{fc}:@.rcp", Some("00".to_owned())).given(&constants.into_iter().collect());
        let spec = Unit { spec: Some(2), ..file.clone() };
        let check = Unit { check: Some(Check::DeadCode), line: Some(7), ..file.clone() };
        let deadlock = Unit { check: Some(Check::Deadlock), ..file.clone() };
        for (unit, what) in
            [(&file, ":file@"), (&spec, ":spec-2@"), (&check, ":dead-code-7@"), (&deadlock, ":deadlock@")]
        {
            let id = unit.id();
            let expected = Named { model: unit.model.clone(), constants: unit.constants.clone(), check: unit.check };
            assert_eq!(Named::parse(&id), Some(expected), "{id}");
            assert!(
                id.starts_with("a%20b/%C3%BC%3A%40.rcp:N=-3:any%3A%20number%20of%20X=true:") && id.contains(what),
                "{id}"
            );
        }
        let other = Unit { sha256: Some("01".to_owned()), ..spec.clone() };
        assert_ne!(other.id(), spec.id());
        for wrong in ["", "a.rcp", "a.rcp:spec-1", "a.rcp:x@00", "a.rcp:N:spec-1@00", "%ff:spec-1@00"] {
            assert_eq!(Named::parse(wrong), None, "{wrong}");
        }
    }
}
