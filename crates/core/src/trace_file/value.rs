//! Values of the model as JSON, and back.

use super::problem::{JsonNode, Problems};
use crate::limits::bits;
use crate::model::eval::value::belongs;
use crate::model::{Model, Type, Value, integer};
use dashu_int::IBig;
use serde_json::Value as Json;
use serde_json::json;

/// How integers are written. All ways are read everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// As numbers; as strings of digits where other readers of JSON would round.
    Plain,
    /// As ITF wants them.
    Tagged,
}

/// The number of alternatives that are listed when a name is unknown.
const LISTED: usize = 12;

pub(super) fn to_json(model: &Model, value: &Value, ty: Type, integers: Integers) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => integer_to_json(value, integers),
        Value::Enum(_) => json!(model.show(value, ty)),
    }
}

pub(super) fn integer_to_json(value: &IBig, integers: Integers) -> Json {
    match (integers, integer::exact(value)) {
        (Integers::Tagged, _) => json!({ "#bigint": value.to_string() }),
        (Integers::Plain, Some(small)) => json!(small),
        (Integers::Plain, None) => json!(value.to_string()),
    }
}

impl Problems {
    /// A value of the type.
    pub(super) fn value(&mut self, model: &Model, node: &JsonNode, ty: Type) -> Option<Value> {
        match ty {
            Type::Bool => match node.value {
                Json::Bool(value) => Some(Value::Bool(*value)),
                _ => self.report(node, "this has to be true or false"),
            },
            Type::Int | Type::Range(..) => {
                let value = Value::Int(self.integer(node)?);
                match ty {
                    Type::Range(low, high) if !belongs(model, &value, ty) => {
                        self.report(node, format!("{} is not in {low}..{high}", model.show(&value, ty)))
                    }
                    _ => Some(value),
                }
            }
            Type::Enum(_) | Type::Channel | Type::Location => self.constant(model, node, ty),
        }
    }

    pub(super) fn integer(&mut self, node: &JsonNode) -> Option<IBig> {
        let digits = match node.value {
            Json::Number(number) => number.to_string(),
            Json::String(digits) => digits.clone(),
            other => match other.get("#bigint") {
                Some(Json::String(digits)) => digits.clone(),
                _ => return self.report(node, "this has to be an integer"),
            },
        };
        bits(digits.len());
        digits.parse().ok().or_else(|| self.report(node, format!("`{digits}` is no integer")))
    }

    /// A number of something, from 0.
    pub(super) fn count(&mut self, node: &JsonNode) -> Option<usize> {
        let integer = self.integer(node)?;
        usize::try_from(&integer).ok().or_else(|| self.report(node, format!("{integer} is out of range")))
    }

    fn constant(&mut self, model: &Model, node: &JsonNode, ty: Type) -> Option<Value> {
        let text = self.string(node)?;
        let mut values = model.values_of(ty).expect("finite types have domains");
        if let Some(value) = values.find(|value| model.show(value, ty) == text) {
            return Some(value);
        }
        let names = model.values_of(ty).expect("finite types have domains").map(|value| model.show(&value, ty));
        let what = match ty {
            Type::Channel => "channel",
            Type::Location => "instance",
            _ => "constant of this type",
        };
        self.report(node, format!("`{text}` is no {what} of the model: {}", alternatives(names)))
    }
}

/// `there are a, b, c`
pub(super) fn alternatives(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let dots = if names.len() > LISTED { ", .." } else { "" };
    if names.is_empty() {
        return "there is none".to_owned();
    }
    format!("there are {}{dots}", names[..names.len().min(LISTED)].join(", "))
}
