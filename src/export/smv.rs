//! SMV for nuXmv and, where all variables are finite, NuSMV.
//!
//! The event and the receivers' choices are variables that each state chooses freely among those that
//! are possible in it: so `LTLSPEC` may speak about steps (observations, labels), which neither reader
//! allows about input variables. Some event is possible in every state, if only the stutter, so every
//! state has a successor and a reader that assumes infinite paths loses none.
//!
//! Assumptions `G F p` that all specs have are `JUSTICE`; other ones are parts of the formulas.
//!
//! Updates are `TRANS` and not `ASSIGN`: outside of the guards they may leave the range of a variable,
//! which the readers refuse in an assignment even where no step does it.

use super::Subject;
use super::names::{EnumMeaning, ExportNames};
use crate::model::written::Written;
use crate::model::{Formula, Model, Spec};
use crate::property::ltl::{Ltl, LtlId, LtlNode};
use crate::property::{Part, Property};
use crate::ts::relevant::relevant;
use crate::ts::shared::Shared;
use crate::ts::system::{Domain, EVENT, System};
use crate::ts::term::{InputId, Leaf, Sort, Term, TermNode, VarId};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};

/// The most operators of a conjunct.
const LARGEST: u64 = 1 << 20;

/// Writes the system of a model and the chosen specs. Fails for specs that are too large without sharing.
pub fn write(out: &mut dyn Write, subject: Subject, specs: &[usize]) -> io::Result<()> {
    let (mut system, properties) = subject.with_properties(specs);
    let assumed = common(subject.model, specs).filter(|assumed| {
        // Others are safety properties, which do not depend on assumptions that are nothing but fairness.
        let depends = |part: &Part| matches!(part.formula.written(), Written::Implies(left, _) if left == assumed);
        properties.iter().flat_map(|property| &property.parts).any(depends)
    });
    let assumed = assumed.map(|assumed| {
        let never = assumed.implies(Formula::FALSE);
        Property::new(subject.model, &mut system, &Spec { formula: never, ..subject.model.specs[specs[0]].clone() })
    });
    for (spec, property) in specs.iter().zip(&properties) {
        let size = |part: &Part| size(&property.ltl, part.negation, &mut FxHashMap::default());
        if let Some(size) = property.parts.iter().map(size).find(|&size| size > LARGEST) {
            let words = format!("spec {} has {size} operators, and SMV has no names for temporal formulas", spec + 1);
            return Err(io::Error::other(words));
        }
    }
    let names = ExportNames::new(subject.model, &system);
    let atoms: Vec<Term> = properties.iter().flat_map(atoms).collect();
    let (variables, init) = relevant(&system, atoms.iter().copied());
    let mut roots = init.clone();
    roots.extend(system.events().iter().map(|event| event.guard));
    roots.extend(variables.iter().flat_map(|&id| system.update(id)).flat_map(|case| [case.condition, case.value]));
    let shared = Shared::new(system.terms(), &roots, &atoms, "term-");
    let text = SmvText { system: &system, names: &names, shared: &shared };
    for line in subject.heading() {
        writeln!(out, "-- {line}")?;
    }
    let unbounded = variables.iter().any(|&id| system.variable(id).domain == Domain::Unbounded);
    let readers = if unbounded { "nuXmv (there are unbounded integers)" } else { "nuXmv, NuSMV" };
    writeln!(out, "-- readers: {readers}")?;
    writeln!(out, "-- a spec holds iff all of its LTLSPECs are true\nMODULE main")?;
    text.variables(out, &variables, &[roots, atoms].concat())?;
    text.definitions(out)?;
    for &term in &init {
        writeln!(out, "INIT {};", text.term(term))?;
    }
    text.events(out)?;
    for &id in &variables {
        text.update(out, id)?;
    }
    let justice = assumed.map_or(Vec::new(), |assumed| text.justice(&assumed));
    if !justice.is_empty() {
        writeln!(out, "\n-- what all specs below assume: each of these is true again and again")?;
    }
    justice.iter().try_for_each(|condition| writeln!(out, "JUSTICE {condition};"))?;
    for (&spec, property) in specs.iter().zip(&properties) {
        writeln!(out, "\n-- {}", subject.spec(spec))?;
        for part in &property.parts {
            writeln!(out, "LTLSPEC {};", text.claim(&property.ltl, part.negation, &justice))?;
        }
    }
    Ok(())
}

/// The assumption of all of these specs, if it is the same.
fn common(model: &Model, specs: &[usize]) -> Option<Formula> {
    let mut assumed = specs.iter().map(|spec| model.specs[*spec].under.as_ref().map(|under| under.assumed()));
    let first = assumed.next()??;
    assumed.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The conjuncts of a formula.
fn conjuncts(ltl: &Ltl, id: LtlId) -> Vec<LtlId> {
    let LtlNode::And(list) = ltl.node(id) else { return vec![id] };
    list.iter().flat_map(|&part| conjuncts(ltl, part)).collect()
}

/// The number of operators of a formula as a tree: LTL in SMV has no names for what occurs more than once.
fn size(ltl: &Ltl, id: LtlId, known: &mut FxHashMap<LtlId, u64>) -> u64 {
    if let Some(&size) = known.get(&id) {
        return size;
    }
    let mut sum = 1u64;
    ltl.for_each_child(id, |child| sum = sum.saturating_add(size(ltl, child, known)));
    known.insert(id, sum);
    sum
}

/// The predicates of all parts.
fn atoms(property: &Property) -> Vec<Term> {
    let mut terms = Vec::new();
    for part in &property.parts {
        for id in property.ltl.subformulas(part.negation) {
            if let LtlNode::Atom(term) | LtlNode::StepAtom(term) = property.ltl.node(id) {
                terms.push(*term);
            }
        }
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}

#[derive(Clone, Copy)]
struct SmvText<'a> {
    system: &'a System,
    names: &'a ExportNames,
    shared: &'a Shared,
}

impl SmvText<'_> {
    fn variables(&self, out: &mut dyn Write, variables: &[VarId], roots: &[Term]) -> io::Result<()> {
        writeln!(out, "VAR")?;
        for &id in variables {
            writeln!(out, "  {} : {};", self.names.variable(id), self.ty(id))?;
        }
        let possible = self.system.events().iter().enumerate();
        let possible = possible.filter(|(_, event)| !self.system.terms().is_false(event.guard));
        let events: Vec<&str> = possible.map(|(index, _)| self.names.event(index)).collect();
        writeln!(out, "  -- the event of the step from here")?;
        writeln!(out, "  {} : {{{}}};", self.names.leaf(Leaf::Input(EVENT)), events.join(", "))?;
        for id in self.choices(roots) {
            let last = self.system.inputs()[id.0 as usize].count - 1;
            writeln!(out, "  {} : 0..{last};", self.names.leaf(Leaf::Input(id)))?;
        }
        Ok(())
    }

    /// The inputs besides the event that the terms read.
    fn choices(&self, roots: &[Term]) -> Vec<InputId> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        for &root in roots {
            self.system.terms().collect_leaves(root, &mut seen, &mut |leaf| match leaf {
                Leaf::Input(id) if id != EVENT => found.push(id),
                _ => {}
            });
        }
        found.sort_unstable();
        found
    }

    fn ty(&self, id: VarId) -> String {
        let kind = self.names.kind(Leaf::Var(id));
        if let Some(values) = listed(self.system, id) {
            let consecutive = values[values.len() - 1].abs_diff(values[0]) == values.len() as u64 - 1;
            if kind == EnumMeaning::Numbers && consecutive && values.len() > 1 {
                return format!("{}..{}", values[0], values[values.len() - 1]);
            }
            let enumerated = self.system.variable(id).sort != Sort::Int;
            let name = |&value: &i64| {
                if enumerated { self.names.value(kind, value as u32) } else { value.to_string() }
            };
            return format!("{{{}}}", values.iter().map(name).collect::<Vec<_>>().join(", "));
        }
        match &self.system.variable(id).domain {
            Domain::Range(low, high) => format!("{low}..{high}"),
            Domain::Unbounded => "integer".to_owned(),
            Domain::Bool | Domain::Finite(_) => "boolean".to_owned(),
        }
    }

    fn definitions(&self, out: &mut dyn Write) -> io::Result<()> {
        let named: Vec<(Term, &str)> =
            self.shared.order().iter().filter_map(|&term| Some((term, self.name(term)?))).collect();
        if !named.is_empty() {
            writeln!(out, "DEFINE")?;
        }
        for (term, name) in named {
            writeln!(out, "  {name} := {};", self.in_full(term, EnumMeaning::Numbers))?;
        }
        Ok(())
    }

    /// That the chosen event is possible.
    fn events(&self, out: &mut dyn Write) -> io::Result<()> {
        let event = self.names.leaf(Leaf::Input(EVENT));
        for (index, step) in self.system.events().iter().enumerate() {
            if !self.system.terms().is_false(step.guard) && !self.system.terms().is_true(step.guard) {
                writeln!(out, "INVAR {event} = {} -> {};", self.names.event(index), self.term(step.guard))?;
            }
        }
        Ok(())
    }

    fn update(&self, out: &mut dyn Write, id: VarId) -> io::Result<()> {
        let (name, cases) = (self.names.variable(id), self.system.update(id));
        let equals = if self.system.variable(id).sort == Sort::Bool { "<->" } else { "=" };
        if cases.is_empty() {
            return writeln!(out, "TRANS next({name}) {equals} {name};");
        }
        writeln!(out, "TRANS next({name}) {equals}\n  case")?;
        let kind = self.names.kind(Leaf::Var(id));
        for case in cases {
            writeln!(out, "    {} : {};", self.term(case.condition), self.of_kind(case.value, kind))?;
        }
        writeln!(out, "    TRUE : {name};\n  esac;")
    }

    /// A term, by its name if it has one.
    fn term(&self, term: Term) -> String {
        self.of_kind(term, EnumMeaning::Numbers)
    }

    /// A term whose constants, if they are of an `Enum` sort, are of this kind.
    fn of_kind(&self, term: Term, kind: EnumMeaning) -> String {
        match self.system.terms().node(term) {
            TermNode::Enum(value, _) => self.names.value(kind, *value),
            _ => self.name(term).map_or_else(|| self.in_full(term, kind), str::to_owned),
        }
    }

    /// The name of a term. One of an `Enum` sort has none: what its constants are depends on where it stands.
    fn name(&self, term: Term) -> Option<&str> {
        let is_enum = matches!(self.system.terms().sort(term), Sort::Enum(_));
        self.shared.name(term).filter(|_| !is_enum)
    }

    fn in_full(&self, term: Term, kind: EnumMeaning) -> String {
        let list = |list: &[Term], operator: &str| {
            format!("({})", list.iter().map(|&x| self.term(x)).collect::<Vec<_>>().join(operator))
        };
        match self.system.terms().node(term) {
            TermNode::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
            TermNode::Int(value) => integer(value),
            TermNode::Enum(value, _) => self.names.value(kind, *value),
            TermNode::Leaf(leaf) => self.names.leaf(*leaf).to_owned(),
            TermNode::Not(a) => format!("!{}", self.term(*a)),
            TermNode::And(members) => list(members, " & "),
            TermNode::Or(members) => list(members, " | "),
            TermNode::Eq(a, b) => self.equality(*a, *b),
            TermNode::Le(a, b) => list(&[*a, *b], " <= "),
            TermNode::Sum(constant, summands) => self.sum(constant, summands),
            TermNode::Product(a, b) => list(&[*a, *b], " * "),
            TermNode::Quotient(a, divisor) => self.quotient(*a, divisor),
            TermNode::Ite(c, a, b) => {
                format!("({} ? {} : {})", self.term(*c), self.of_kind(*a, kind), self.of_kind(*b, kind))
            }
        }
    }

    fn equality(&self, a: Term, b: Term) -> String {
        let terms = self.system.terms();
        let operator = if terms.sort(a) == Sort::Bool { "<->" } else { "=" };
        let kind = self.names.kind_of_term(terms, a).or_else(|| self.names.kind_of_term(terms, b));
        let kind = kind.unwrap_or(EnumMeaning::Numbers);
        format!("({} {operator} {})", self.of_kind(a, kind), self.of_kind(b, kind))
    }

    fn sum(&self, constant: &IBig, summands: &[(IBig, Term)]) -> String {
        let mut list: Vec<String> = summands
            .iter()
            .map(|(factor, x)| match self.term(*x) {
                x if *factor == IBig::ONE => x,
                x => format!("{} * {x}", integer(factor)),
            })
            .collect();
        if *constant != IBig::ZERO {
            list.push(integer(constant));
        }
        format!("({})", list.join(" + "))
    }

    /// Rounded towards zero, whatever the reader does for negative numbers.
    fn quotient(&self, a: Term, divisor: &IBig) -> String {
        let a = self.term(a);
        let negative = *divisor < IBig::ZERO;
        let size = if negative { -divisor } else { divisor.clone() };
        let (up, down) = (format!("({a} / {size})"), format!("(-{a} / {size})"));
        if negative { format!("({a} >= 0 ? -{up} : {down})") } else { format!("({a} >= 0 ? {up} : -{down})") }
    }

    /// The conditions that an assumption says to be true again and again, as text; the property is that no run
    /// satisfies it.
    fn justice(self, assumed: &Property) -> Vec<String> {
        let parts = assumed.parts.iter().flat_map(|part| conjuncts(&assumed.ltl, part.negation));
        parts.filter_map(|id| self.again_and_again(&assumed.ltl, id)).collect()
    }

    /// p, if the formula is `G F p` and p is about the position alone.
    fn again_and_again(self, ltl: &Ltl, id: LtlId) -> Option<String> {
        let LtlNode::Release(never, again) = ltl.node(id) else { return None };
        let LtlNode::Until(always, body) = ltl.node(*again) else { return None };
        let is_constant = self.constant(ltl, *never) == Some(false) && self.constant(ltl, *always) == Some(true);
        if is_constant { self.plain(ltl, *body) } else { None }
    }

    /// A formula without temporal operators.
    fn plain(self, ltl: &Ltl, id: LtlId) -> Option<String> {
        let join = |list: &[LtlId], operator: &str| {
            let parts = list.iter().map(|&part| self.plain(ltl, part)).collect::<Option<Vec<_>>>()?;
            Some(format!("({})", parts.join(operator)))
        };
        match ltl.node(id) {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => Some(self.term(*term)),
            LtlNode::And(list) => join(list, " & "),
            LtlNode::Or(list) => join(list, " | "),
            LtlNode::Next(_) | LtlNode::Until(..) | LtlNode::Release(..) => None,
        }
    }

    fn constant(self, ltl: &Ltl, id: LtlId) -> Option<bool> {
        let LtlNode::Atom(term) = ltl.node(id) else { return None };
        self.system.terms().as_constant(*term).map(|value| value.as_bool())
    }

    /// The negation of a formula, of which some conjuncts are assumed anyway.
    fn claim(self, ltl: &Ltl, id: LtlId, justice: &[String]) -> String {
        let is_assumed = |id: &LtlId| self.again_and_again(ltl, *id).is_some_and(|it| justice.contains(&it));
        let (assumed, rest): (Vec<LtlId>, Vec<LtlId>) = conjuncts(ltl, id).into_iter().partition(is_assumed);
        if assumed.is_empty() {
            return self.negated(ltl, id);
        }
        match &rest[..] {
            [] => "FALSE".to_owned(),
            [only] => self.negated(ltl, *only),
            _ => format!("({})", rest.iter().map(|&it| self.negated(ltl, it)).collect::<Vec<_>>().join(" | ")),
        }
    }

    /// The negation of a formula.
    fn negated(&self, ltl: &Ltl, id: LtlId) -> String {
        let join = |list: &[LtlId], operator: &str| {
            format!("({})", list.iter().map(|&x| self.negated(ltl, x)).collect::<Vec<_>>().join(operator))
        };
        let constant = |id: LtlId| self.constant(ltl, id);
        match ltl.node(id) {
            LtlNode::Atom(term) | LtlNode::StepAtom(term) => self.negated_atom(*term),
            LtlNode::And(list) => join(list, " | "),
            LtlNode::Or(list) => join(list, " & "),
            LtlNode::Next(a) => format!("X {}", self.negated(ltl, *a)),
            LtlNode::Until(a, b) if constant(*a) == Some(true) => format!("G {}", self.negated(ltl, *b)),
            LtlNode::Release(a, b) if constant(*a) == Some(false) => format!("F {}", self.negated(ltl, *b)),
            LtlNode::Until(a, b) => format!("({} V {})", self.negated(ltl, *a), self.negated(ltl, *b)),
            LtlNode::Release(a, b) => format!("({} U {})", self.negated(ltl, *a), self.negated(ltl, *b)),
        }
    }

    fn negated_atom(&self, term: Term) -> String {
        match *self.system.terms().node(term) {
            TermNode::Bool(value) => if value { "FALSE" } else { "TRUE" }.to_owned(),
            TermNode::Not(inner) => self.term(inner),
            _ => format!("!{}", self.term(term)),
        }
    }
}

fn integer(value: &IBig) -> String {
    if *value < IBig::ZERO { format!("({value})") } else { value.to_string() }
}

/// The values of a variable of sort `Int` or `Enum`, where they are limited.
fn listed(system: &System, id: VarId) -> Option<&[i64]> {
    let variable = system.variable(id);
    match &variable.domain {
        Domain::Finite(values) if variable.sort != Sort::Bool => Some(values),
        _ => None,
    }
}
