//! JSON in which every name stands once in its object: readers that keep the first or the last of two values differ in what they
//! read.

use crate::escape::visible;
use rustc_hash::FxHashSet;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// That no object of a text has a name twice, at any depth.
pub fn names_are_unique(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str(text).map(|Unique| ())
}

/// A value of any kind, of which nothing is kept.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(Unique)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "JSON")
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        while items.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Unique, A::Error> {
        let mut names = FxHashSet::default();
        while let Some(name) = fields.next_key::<String>()? {
            if names.contains(&name) {
                return Err(A::Error::custom(format!("duplicate field `{}`", visible(&name))));
            }
            names.insert(name);
            fields.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}

#[cfg(test)]
mod tests {
    use super::names_are_unique;

    #[test]
    fn a_name_stands_once_in_its_object() {
        for text in [r#"{"a": {"b": [1, -1, 0.5, null, true, "a"]}, "b": {"b": 0}}"#, "[]", r#"[{"a": 0}, {"a": 0}]"#] {
            assert!(names_are_unique(text).is_ok(), "{text}");
        }
        let twice = [r#"{"a": 0, "a": 0}"#, r#"[[{"x": {"a": 0, "b": 1, "a": 2}}]]"#, r#"{"a": 0, "\u0061": 1}"#];
        for text in twice {
            let error = names_are_unique(text).expect_err(text).to_string();
            assert!(error.starts_with("duplicate field `a` at line 1 column "), "{error}");
        }
    }
}
