//! Integers in texts: digits, and values of constants in JSON.

use crate::limits::MOST_DIGITS;
use dashu_int::IBig;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;

/// Integers up to here are exact in every reader of JSON.
const EXACT: i64 = (1 << 53) - 1;

/// The integer as a number that every reader of JSON keeps; others are strings of digits there.
pub fn exact(value: &IBig) -> Option<i64> {
    i64::try_from(value).ok().filter(|small| (-EXACT..=EXACT).contains(small))
}

/// Reads digits with or without a sign.
pub fn read(text: &str) -> Option<IBig> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = (1..=MOST_DIGITS).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// Writes a number, or a string of digits.
pub fn serialize<S: Serializer>(value: &IBig, serializer: S) -> Result<S::Ok, S::Error> {
    match exact(value) {
        Some(small) => serializer.serialize_i64(small),
        None => serializer.serialize_str(&value.to_string()),
    }
}

/// Reads either.
pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<IBig, D::Error> {
    deserializer.deserialize_any(IntegerVisitor)
}

struct IntegerVisitor;

impl Visitor<'_> for IntegerVisitor {
    type Value = IBig;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an integer, or a string of digits")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<IBig, E> {
        Ok(IBig::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<IBig, E> {
        Ok(IBig::from(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<IBig, E> {
        read(text).ok_or_else(|| E::custom("no integer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ast::Literal;

    #[test]
    fn integers_of_any_size_pass_through_json() {
        for (digits, json) in [
            ("0", "0"),
            ("-9007199254740991", "-9007199254740991"),
            ("9007199254740992", "\"9007199254740992\""),
            ("-18446744073709551616", "\"-18446744073709551616\""),
        ] {
            let literal: Literal = Literal::read(digits).unwrap();
            assert_eq!(serde_json::to_string(&literal).unwrap(), json);
            assert_eq!(serde_json::from_str::<Literal>(json).unwrap(), literal);
        }
        assert_eq!(serde_json::from_str::<Literal>("18446744073709551615").unwrap(), Literal::int(u64::MAX));
        assert!(serde_json::from_str::<Literal>("\"three\"").is_err());
        assert!(serde_json::from_str::<Literal>("1.5").is_err());
    }

    #[test]
    fn digits_are_read_up_to_the_limit_and_nothing_else() {
        assert_eq!((read("-007"), read("+7")), (Some(IBig::from(-7)), Some(IBig::from(7))));
        assert!(read(&"7".repeat(MOST_DIGITS)).is_some());
        for text in ["", "-", "--1", "-+1", "1_000", "0x10", " 1", &"7".repeat(MOST_DIGITS + 1)] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
