//! Linear Horn clauses in SMT-LIB, as CHC-COMP has them: `(assert (forall (..) (=> (and (P ..) ..) (P ..))))`, with one
//! predicate over truth values and integers.

use super::reader::Reader;
use super::{Argument, Clause, Clauses, Condition, Fault, Sort, Symbol, quoted};
use crate::source::Span;
use crate::ts::smtlib::expression::Id;

/// Reads a file.
pub fn read(text: &str) -> Result<Clauses<'_>, Vec<Fault>> {
    let mut reader = Reader::new(text)?;
    let mut predicate: Option<Predicate> = None;
    let (mut clauses, mut status) = (Vec::new(), None);
    // The command after which no clause counts.
    let mut last = None;
    for root in reader.expressions.roots().to_vec() {
        match reader.application(root) {
            Some(("assert" | "declare-fun", _)) if let Some(last) = last => {
                reader.fault(root, format!("this comes after `({last})`, which asks about what stands before it"));
            }
            Some(("declare-fun", operands)) => declare(&mut reader, root, &operands, &mut predicate),
            Some(("assert", operands)) => match (&operands[..], &predicate) {
                (&[formula], Some(predicate)) => clauses.extend(clause(&mut reader, formula, predicate)),
                (_, None) => reader.fault(root, "the predicate has to be declared first"),
                _ => reader.fault(root, "`assert` has one formula"),
            },
            Some(("set-logic", operands)) => match operands.first().and_then(|&logic| reader.atom(logic)) {
                Some("HORN") => {}
                _ => reader.fault(root, "this is no file of Horn clauses: they begin with `(set-logic HORN)`"),
            },
            Some(("set-info", operands)) => reader.status(&operands, &mut status),
            Some((command @ ("check-sat" | "exit"), _)) => last = Some(command),
            Some(("set-option" | "get-model", _)) => {}
            Some((command, _)) => reader.fault(root, format!("the command `{command}` is not supported")),
            None => reader.fault(root, "a command is expected here"),
        }
    }
    let Some(Predicate { name, sorts }) = predicate else {
        reader.missing("no predicate is declared");
        return Err(reader.faults);
    };
    let Some(sorts) = sorts.filter(|_| reader.faults.is_empty()) else { return Err(reader.faults) };
    let arguments = (1..).zip(sorts).map(|(position, sort)| Argument { name: format!("x{position}"), sort }).collect();
    Ok(Clauses { expressions: reader.expressions, relation: name, arguments, definitions: Vec::new(), clauses, status })
}

struct Predicate<'t> {
    name: &'t str,
    /// Of its arguments, if all of them are supported.
    sorts: Option<Vec<Sort>>,
}

fn declare<'t>(reader: &mut Reader<'t>, root: Id, operands: &[Id], predicate: &mut Option<Predicate<'t>>) {
    let &[name, list, result] = operands else {
        return reader.fault(root, "a declaration has a name, a list of sorts, and the sort `Bool`");
    };
    if reader.atom(result) != Some("Bool") {
        return reader.fault(result, "only predicates can be declared: their last sort is `Bool`");
    }
    if predicate.is_some() {
        return reader.fault(root, "a second predicate; clauses over one predicate are supported");
    }
    let Some(list) = reader.list(list) else { return reader.fault(list, "a list of sorts is expected here") };
    let faults = reader.faults.len();
    let sorts = list.into_iter().filter_map(|sort| reader.sort(sort)).collect();
    let known = reader.faults.len() == faults;
    if let Some(name) = reader.name(name) {
        *predicate = Some(Predicate { name, sorts: known.then_some(sorts) });
    }
}

fn clause<'t>(reader: &mut Reader<'t>, formula: Id, predicate: &Predicate<'t>) -> Option<Clause<'t>> {
    let span = Span::from(reader.expressions.span(formula));
    let (mut variables, mut matrix) = (Vec::new(), formula);
    while let Some(("forall", operands)) = reader.application(matrix) {
        let &[bound, body] = &operands[..] else {
            reader.fault(matrix, "`forall` has variables and a formula");
            return None;
        };
        for symbol in reader.bound(bound) {
            if symbol.name == predicate.name || variables.iter().any(|other: &Symbol| other.name == symbol.name) {
                reader.fault(bound, format!("`{}` is the name of something else, too", symbol.name));
            }
            variables.push(symbol);
        }
        matrix = body;
    }
    let mut body = Vec::new();
    let mut head = Some(matrix);
    while let Some(("=>", operands)) = head.and_then(|head| reader.application(head)) {
        let Some((&last, others)) = operands.split_last() else {
            reader.fault(head.expect("it is applied"), "`=>` has a condition and a head");
            return None;
        };
        others.iter().for_each(|&conditions| reader.conjuncts(conditions, &mut body));
        head = Some(last);
    }
    // The negation of a conjunction is a clause with the head `false`.
    if let Some(("not", [conditions])) =
        head.and_then(|head| reader.application(head)).as_ref().map(|(o, l)| (*o, &l[..]))
    {
        reader.conjuncts(*conditions, &mut body);
        head = None;
    }
    let (mut before, mut conditions) = (None, Vec::new());
    for conjunct in body {
        match applied(reader, conjunct, predicate) {
            Some(_) if before.is_some() => {
                reader.fault(conjunct, "the predicate is twice in this body; linear clauses have it once");
            }
            Some(arguments) => before = Some(arguments),
            None => conditions.push(Condition { formula: conjunct, negated: false }),
        }
    }
    let after = match head {
        Some(head) if reader.atom(head) == Some("false") => None,
        Some(head) => match applied(reader, head, predicate) {
            Some(arguments) => Some(arguments),
            None => {
                let what = format!("the head of a clause is `({} ..)` or `false`", quoted(predicate.name));
                reader.fault(head, what);
                return None;
            }
        },
        None => None,
    };
    let wanted = predicate.sorts.as_ref().map(Vec::len);
    for arguments in before.iter().chain(&after) {
        if let Some(wanted) = wanted.filter(|wanted| *wanted != arguments.len()) {
            let what = format!("`{}` has {wanted} arguments, not {}", predicate.name, arguments.len());
            reader.fault(formula, what);
        }
    }
    Some(Clause { variables, conditions, before, after, span })
}

/// The arguments of the predicate, if this is an application of it.
fn applied(reader: &Reader, id: Id, predicate: &Predicate) -> Option<Vec<Id>> {
    if reader.atom(id) == Some(predicate.name) {
        return Some(Vec::new());
    }
    match reader.application(id) {
        Some((name, operands)) if name == predicate.name => Some(operands),
        _ => None,
    }
}
