//! The system itself as JSON, for tools that do not exist yet.
//!
//! Terms and formulas are arrays that point to earlier entries of `terms` and `formulas`, so that what
//! is shared stays shared; `docs/export.md` has the schema.

use super::Subject;
use super::names::{EnumMeaning, ExportNames};
use crate::escape;
use crate::model::spec::Expectation;
use crate::property::Property;
use crate::property::ltl::{Ltl, LtlId, LtlNode};
use crate::ts::smtlib::symbols::command_name;
use crate::ts::system::{Domain, Event, EventKind, Origin, System};
use crate::ts::term::{InputId, Leaf, Sort, Term, TermNode, VarId};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Changes when a reader has to change.
const VERSION: u32 = 1;

/// Writes the system of a model and the chosen specs.
pub fn write(out: &mut dyn Write, subject: Subject, specs: &[usize]) -> io::Result<()> {
    let (system, properties) = subject.with_properties(specs);
    let names = ExportNames::new(subject.model, &system);
    let mut table = Table { system: &system, names: &names, index: FxHashMap::default(), entries: Vec::new() };
    let variables: Vec<Value> = system.var_ids().map(|id| table.variable(subject, id)).collect();
    let inputs: Vec<Value> = (0..system.inputs().len()).map(|index| table.input(InputId(index as u32))).collect();
    let events = system.events().iter().enumerate();
    let events: Vec<Value> = events.map(|(index, event)| table.event(subject, index, event)).collect();
    let init: Vec<usize> = system.init().iter().map(|&term| table.term(term)).collect();
    let mut formulas = Vec::new();
    let chosen = specs.iter().zip(&properties);
    let specs: Vec<Value> =
        chosen.map(|(&spec, property)| table.spec(subject, spec, property, &mut formulas)).collect();
    let document = json!({
        "format": "rcheck-smt system",
        "version": VERSION,
        "tool": concat!("rcheck-smt ", env!("CARGO_PKG_VERSION")),
        "model": subject.file,
        "constants": subject.model.literals(),
        "variables": variables,
        "inputs": inputs,
        "events": events,
        "init": init,
        "specs": specs,
        "formulas": formulas,
        "terms": table.entries,
    });
    let text = serde_json::to_string_pretty(&document)?;
    writeln!(out, "{}", escape::json(&text))
}

struct Table<'a> {
    system: &'a System,
    names: &'a ExportNames,
    index: FxHashMap<Term, usize>,
    entries: Vec<Value>,
}

impl Table<'_> {
    /// The place of a term in the table.
    fn term(&mut self, term: Term) -> usize {
        if let Some(&known) = self.index.get(&term) {
            return known;
        }
        let mut children = Vec::new();
        self.system.terms().for_each_child(term, |child| children.push(child));
        let children: Vec<usize> = children.into_iter().map(|child| self.term(child)).collect();
        let entry = self.entry(term, children);
        self.entries.push(entry);
        self.index.insert(term, self.entries.len() - 1);
        self.entries.len() - 1
    }

    fn entry(&self, term: Term, children: Vec<usize>) -> Value {
        match self.system.terms().node(term) {
            TermNode::Bool(value) => json!(["bool", value]),
            TermNode::Int(value) => json!(["int", integer(value)]),
            TermNode::Enum(value, count) => json!(["value", value, count]),
            TermNode::Leaf(Leaf::Var(id)) => json!(["variable", id.0]),
            TermNode::Leaf(Leaf::Input(id)) => json!(["input", id.0]),
            TermNode::Sum(constant, summands) => {
                let factors: Vec<Value> = summands.iter().map(|(factor, _)| integer(factor)).collect();
                json!(["sum", integer(constant), factors, children])
            }
            TermNode::Quotient(_, divisor) => json!(["quotient", children[0], integer(divisor)]),
            TermNode::Not(_) => operation("not", children),
            TermNode::And(_) => operation("and", children),
            TermNode::Or(_) => operation("or", children),
            TermNode::Eq(..) => operation("=", children),
            TermNode::Le(..) => operation("<=", children),
            TermNode::Product(..) => operation("product", children),
            TermNode::Ite(..) => operation("ite", children),
        }
    }

    fn variable(&mut self, subject: Subject, id: VarId) -> Value {
        let system = self.system;
        let variable = system.variable(id);
        let (what, instance) = match variable.origin {
            Origin::Automaton(instance) => ("automaton", Some(instance)),
            Origin::Local(instance, _) => ("local", Some(instance)),
            Origin::Received(instance, _) => ("received", Some(instance)),
            Origin::Total(_)
            | Origin::Obligation(_)
            | Origin::Counter(_)
            | Origin::Number
            | Origin::Argument(_)
            | Origin::Free(_) => ("auxiliary", None),
        };
        let updates = system.update(id).iter().map(|case| [self.term(case.condition), self.term(case.value)]);
        let updates: Vec<[usize; 2]> = updates.collect();
        let mut entry = json!({
            "name": self.names.variable(id),
            "what": what,
            "instance": instance.map(|instance| &subject.model.instances[instance.index()].name),
            "sort": sort(variable.sort),
            "domain": domain(&variable.domain),
            "updates": updates,
        });
        self.add_values(&mut entry, Leaf::Var(id));
        entry
    }

    fn input(&self, id: InputId) -> Value {
        let mut entry = json!({
            "name": self.names.leaf(Leaf::Input(id)),
            "options": self.system.inputs()[id.0 as usize].count,
        });
        self.add_values(&mut entry, Leaf::Input(id));
        entry
    }

    /// The names of the values, where they have names.
    fn add_values(&self, entry: &mut Value, leaf: Leaf) {
        let kind = self.names.kind(leaf);
        if kind != EnumMeaning::Numbers {
            entry["values"] = json!(self.names.values(kind));
        }
    }

    fn event(&mut self, subject: Subject, index: usize, event: &Event) -> Value {
        let command = |instance, edge| command_name(subject.model, instance, edge);
        let what = match event.kind {
            EventKind::Send { sender, edge } => json!({ "send": command(sender, edge) }),
            EventKind::GetSupply { getter, get, supplier, supply } => {
                json!({ "get": command(getter, get), "supply": command(supplier, supply) })
            }
            EventKind::Joint { .. } => json!("joint"),
            EventKind::Clause(number) => json!({ "clause": number }),
            EventKind::Stutter => json!("stutter"),
        };
        let receptions = event.receptions.iter();
        let receptions: Vec<Value> = receptions
            .map(|r| json!({ "receive": command(r.receiver, r.edge), "taken": self.term(r.taken) }))
            .collect();
        json!({
            "name": self.names.event(index),
            "what": what,
            "guard": self.term(event.guard),
            "receptions": receptions,
        })
    }

    fn spec(&mut self, subject: Subject, spec: usize, property: &Property, formulas: &mut Vec<Value>) -> Value {
        let mut index = FxHashMap::default();
        let parts: Vec<Value> = property
            .parts
            .iter()
            .map(|part| {
                let negation = self.formula(&property.ltl, part.negation, &mut index, formulas);
                json!({ "formula": subject.model.show_formula(&part.formula), "negation": negation })
            })
            .collect();
        let declared = &subject.model.specs[spec];
        json!({
            "number": spec + 1,
            "name": declared.name,
            "expect": declared.expect.map(Expectation::word),
            "formula": subject.model.show_formula(&declared.formula),
            "parts": parts,
        })
    }

    /// The place of a formula in the list of formulas, after those that it needs.
    fn formula(
        &mut self,
        ltl: &Ltl,
        root: LtlId,
        index: &mut FxHashMap<LtlId, usize>,
        formulas: &mut Vec<Value>,
    ) -> usize {
        for id in ltl.subformulas(root) {
            if index.contains_key(&id) {
                continue;
            }
            let mut children = Vec::new();
            ltl.for_each_child(id, |child| children.push(index[&child]));
            let entry = match ltl.node(id) {
                LtlNode::Atom(term) => json!(["state", self.term(*term)]),
                LtlNode::StepAtom(term) => json!(["step", self.term(*term)]),
                LtlNode::And(_) => operation("and", children),
                LtlNode::Or(_) => operation("or", children),
                LtlNode::Next(_) => operation("X", children),
                LtlNode::Until(..) => operation("U", children),
                LtlNode::Release(..) => operation("R", children),
            };
            formulas.push(entry);
            index.insert(id, formulas.len() - 1);
        }
        index[&root]
    }
}

/// `[operator, operand, ..]`
fn operation(operator: &str, operands: Vec<usize>) -> Value {
    std::iter::once(json!(operator)).chain(operands.into_iter().map(|operand| json!(operand))).collect()
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "bool",
        Sort::Int => "int",
        Sort::Enum(_) => "enum",
    }
}

fn domain(domain: &Domain) -> Value {
    match domain {
        Domain::Bool => json!([0, 1]),
        Domain::Finite(values) => json!(values),
        Domain::Range(low, high) => json!({ "from": low, "to": high }),
        Domain::Unbounded => Value::Null,
    }
}

/// A number, or its digits as a string where 64 bits are too few.
fn integer(value: &IBig) -> Value {
    i64::try_from(value).map_or_else(|_| json!(value.to_string()), |value| json!(value))
}
