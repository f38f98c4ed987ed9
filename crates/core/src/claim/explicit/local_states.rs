//! Local states as text: an automaton state and values. A number is a constant of an enum, a channel or an instance;
//! integers are strings of digits.

use crate::model::Value;
use crate::model::eval::tables::LocalState;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// The most digits of an integer.
const DIGITS: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Code {
    Bool(bool),
    Enum(u32),
    Int(String),
}

type Coded = (u32, Vec<Code>);

/// Writes them.
pub fn serialize<S: Serializer>(lists: &[Vec<Arc<LocalState>>], serializer: S) -> Result<S::Ok, S::Error> {
    let code = |value: &Value| match value {
        Value::Bool(value) => Code::Bool(*value),
        Value::Enum(index) => Code::Enum(*index),
        Value::Int(value) => Code::Int(value.to_string()),
    };
    let coded = |state: &Arc<LocalState>| (state.automaton, state.values.iter().map(code).collect());
    let lists: Vec<Vec<Coded>> = lists.iter().map(|list| list.iter().map(coded).collect()).collect();
    lists.serialize(serializer)
}

/// Reads them.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<Arc<LocalState>>>, D::Error> {
    let value = |code: Code| match code {
        Code::Bool(value) => Ok(Value::Bool(value)),
        Code::Enum(index) => Ok(Value::Enum(index)),
        Code::Int(digits) if digits.len() > DIGITS => Err(D::Error::custom("an integer has too many digits")),
        Code::Int(digits) => digits.parse().map(Value::Int).map_err(|_| D::Error::custom("something is no integer")),
    };
    let state = |(automaton, codes): Coded| {
        let values = codes.into_iter().map(value).collect::<Result<_, _>>()?;
        Ok(Arc::new(LocalState { automaton, values }))
    };
    let lists = Vec::<Vec<Coded>>::deserialize(deserializer)?.into_iter();
    lists.map(|list| list.into_iter().map(state).collect()).collect()
}
