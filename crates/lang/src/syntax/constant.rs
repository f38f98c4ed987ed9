//! The values that a model is read with: those of constants and of sizes, and the choices of options.

use super::integer;
use dashu_int::IBig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The value of a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged, expecting = "the value of a constant is an integer, `true` or `false`")]
pub enum Literal {
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Int(#[serde(with = "integer")] IBig),
}

impl Literal {
    /// An integer.
    pub fn int(value: impl Into<IBig>) -> Literal {
        Literal::Int(value.into())
    }

    /// Reads a truth value, or digits with or without a sign.
    pub fn read(text: &str) -> Option<Literal> {
        match text {
            "true" | "false" => Some(Literal::Bool(text == "true")),
            _ => integer::read(text).map(Literal::Int),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Literal::Bool(value) => value.fmt(f),
            Literal::Int(value) => value.fmt(f),
        }
    }
}

/// The name of a value; files and units write it as a text. Values are given in the order of these cases: families that stand
/// for any number of agents have sizes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ConstantName {
    /// Any number of agents of a type, which is true: `any number of Client`.
    AnyNumber(String),
    /// A constant of the file: `N`.
    Declared(String),
    /// The number of members of a family: `client[*]`.
    Size(String),
    /// Fairness of all instances, which is assumed if it is true: `weak fairness`.
    Fairness(Fairness),
    /// The reading that an option chooses, which is true: `point-to-point paper`.
    PointToPoint(PointToPoint),
    /// That the agents of a group, or without one all agents, have uniform strategies, which is true: `uniform strategies of g`.
    Uniform(Option<String>),
}

const ANY_NUMBER: &str = "any number of ";
const UNIFORM: &str = "uniform strategies";
const UNIFORM_OF: &str = "uniform strategies of ";

impl ConstantName {
    /// True of what is chosen or not: its value is `true`.
    pub fn is_choice(&self) -> bool {
        match self {
            ConstantName::Declared(_) | ConstantName::Size(_) => false,
            ConstantName::AnyNumber(_)
            | ConstantName::Fairness(_)
            | ConstantName::PointToPoint(_)
            | ConstantName::Uniform(_) => true,
        }
    }

    /// With its value, as lists show it: `N = 3`; of a choice, its name.
    pub fn with(&self, value: &Literal) -> String {
        if self.is_choice() { self.to_string() } else { format!("{self} = {value}") }
    }
}

impl fmt::Display for ConstantName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ConstantName::Declared(name) => f.write_str(name),
            ConstantName::Size(family) => write!(f, "{family}[*]"),
            ConstantName::AnyNumber(agent) => write!(f, "{ANY_NUMBER}{agent}"),
            ConstantName::Fairness(fairness) => write!(f, "{} fairness", fairness.word()),
            ConstantName::PointToPoint(reading) => write!(f, "point-to-point {}", reading.word()),
            ConstantName::Uniform(None) => f.write_str(UNIFORM),
            ConstantName::Uniform(Some(group)) => write!(f, "{UNIFORM_OF}{group}"),
        }
    }
}

impl From<ConstantName> for String {
    fn from(name: ConstantName) -> String {
        name.to_string()
    }
}

impl From<String> for ConstantName {
    fn from(text: String) -> ConstantName {
        let fairness = Fairness::ALL.map(ConstantName::Fairness);
        let readings = PointToPoint::ALL.map(ConstantName::PointToPoint);
        if let Some(word) = fairness.into_iter().chain(readings).find(|word| word.to_string() == text) {
            return word;
        }
        if text == UNIFORM {
            return ConstantName::Uniform(None);
        }
        if let Some(group) = text.strip_prefix(UNIFORM_OF) {
            return ConstantName::Uniform(Some(group.to_owned()));
        }
        match (text.strip_prefix(ANY_NUMBER), text.strip_suffix("[*]")) {
            (Some(agent), _) => ConstantName::AnyNumber(agent.to_owned()),
            (None, Some(family)) => ConstantName::Size(family.to_owned()),
            (None, None) => ConstantName::Declared(text),
        }
    }
}

/// Values for constants, by their names.
pub type Constants = BTreeMap<ConstantName, Literal>;

/// `N = 3, fast = true`
pub fn show_constants<'c>(constants: impl IntoIterator<Item = (&'c ConstantName, &'c Literal)>) -> String {
    constants.into_iter().map(|(name, value)| name.with(value)).collect::<Vec<_>>().join(", ")
}

/// An assumption about an agent that can act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fairness {
    /// Agents that can act all the time do so again and again.
    Weak,
    /// Agents that can act again and again do so again and again.
    Strong,
}

impl Fairness {
    /// Both.
    pub const ALL: [Fairness; 2] = [Fairness::Weak, Fairness::Strong];

    /// Its name in formulas and options.
    pub fn word(self) -> &'static str {
        match self {
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }
}

/// Which gets meet which supplies (`docs/readings.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointToPoint {
    /// As the running tool has it: `SUPPLY@(any)` serves all gets, `SUPPLY@(x)` those by x.
    #[default]
    Tool,
    /// As the paper has it: a get by name meets a supply under the supplier's own name, a get by predicate `SUPPLY@(any)`.
    Paper,
}

impl PointToPoint {
    /// Both.
    pub const ALL: [PointToPoint; 2] = [PointToPoint::Tool, PointToPoint::Paper];

    /// Its name in files and options.
    pub fn word(self) -> &'static str {
        match self {
            PointToPoint::Tool => "tool",
            PointToPoint::Paper => "paper",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let text = str::to_owned;
        let names = [
            ConstantName::Declared(text("N")),
            ConstantName::Size(text("client")),
            ConstantName::AnyNumber(text("Client")),
            ConstantName::Fairness(Fairness::Weak),
            ConstantName::Fairness(Fairness::Strong),
            ConstantName::PointToPoint(PointToPoint::Tool),
            ConstantName::PointToPoint(PointToPoint::Paper),
            ConstantName::Uniform(None),
            ConstantName::Uniform(Some(text("g"))),
        ];
        let written = names.clone().map(String::from);
        let expected = ["N", "client[*]", "any number of Client", "weak fairness", "strong fairness"];
        assert_eq!(written[..5], expected.map(text));
        assert_eq!(written.map(ConstantName::from), names);
    }
}
