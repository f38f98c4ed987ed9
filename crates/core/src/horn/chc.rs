//! Horn clauses in SMT-LIB, as CHC-COMP has them: `(assert (forall (..) (=> (and (P ..) ..) (P ..))))`, and in the format
//! of Z3's fixedpoint engines: `(rule (=> (and (P ..) ..) (P ..)))`, `(query Q)`.
//!
//! Formulas are kept as they stand. Only what they may contain is looked at here.

use super::reader::Reader;
use super::{Argument, Clause, Clauses, Fault, Predicate, Question, Statement, Symbol, Variable};
use crate::source::Span;
use crate::ts::smtlib::expression::{Expression, Id};
use crate::ts::smtlib::read::{Function, Functions};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Reads a file.
pub fn read(text: &str) -> Result<Clauses<'_>, Vec<Fault>> {
    let mut file = File::new(text)?;
    for root in file.reader.expressions.roots().to_vec() {
        file.command(root);
    }
    file.clauses()
}

struct File<'t> {
    reader: Reader<'t>,
    predicates: Vec<Predicate<'t>>,
    functions: Functions<'t>,
    /// Those of rules, by `declare-var`.
    variables: Vec<Symbol<'t>>,
    clauses: Vec<Clause<'t>>,
    status: Option<bool>,
    /// The format, once a command says which.
    question: Option<Question>,
    /// The command after which no clause counts.
    last: Option<&'t str>,
}

impl<'t> File<'t> {
    fn new(text: &'t str) -> Result<File<'t>, Vec<Fault>> {
        Ok(File {
            reader: Reader::new(text)?,
            predicates: Vec::new(),
            functions: Functions::default(),
            variables: Vec::new(),
            clauses: Vec::new(),
            status: None,
            question: None,
            last: None,
        })
    }

    fn command(&mut self, root: Id) {
        let Some((command, operands)) = self.reader.application(root) else {
            return self.reader.fault(root, "a command is expected here");
        };
        let question = match command {
            "assert" | "declare-fun" | "declare-const" | "check-sat" => Some(Question::Satisfiable),
            "rule" | "declare-rel" | "declare-var" | "query" => Some(Question::Reachable),
            _ => None,
        };
        if let Some(question) = question
            && *self.question.get_or_insert(question) != question
        {
            let what =
                "`assert` and `check-sat` ask the opposite of what `rule` and `query` ask; a file has one of both";
            return self.reader.fault(root, what);
        }
        let adds = command == "define-fun" || question.is_some() && command != "check-sat";
        if let Some(last) = self.last.filter(|_| adds) {
            return self
                .reader
                .fault(root, format!("this comes after `({last})`, which asks about what stands before it"));
        }
        match command {
            "declare-fun" => match operands[..] {
                [name, list, result] => self.declare(root, name, Some(list), Some(result)),
                _ => self.reader.fault(root, "a declaration has a name, a list of sorts, and the sort `Bool`"),
            },
            "declare-const" => match operands[..] {
                [name, result] => self.declare(root, name, None, Some(result)),
                _ => self.reader.fault(root, "a constant has a name and a sort"),
            },
            "declare-rel" => match operands[..] {
                [name, list] => self.declare(root, name, Some(list), None),
                _ => self.reader.fault(root, "a relation has a name and a list of sorts"),
            },
            "declare-var" => self.variable(root, &operands),
            "define-fun" => self.define(root, &operands),
            "assert" => match operands[..] {
                [formula] => self.assert(formula),
                _ => self.reader.fault(root, "`assert` has one formula"),
            },
            "rule" => match operands[..] {
                [formula] => self.assert(formula),
                [formula, name] if self.reader.name(name).is_some() => self.assert(formula),
                [_, _] => {}
                _ => self.reader.fault(root, "`rule` has one formula, and may have a name"),
            },
            "query" => {
                self.query(root, &operands);
                self.last = Some(command);
            }
            "set-logic" => match operands.first().and_then(|&logic| self.reader.atom(logic)) {
                Some("HORN") => {}
                _ => self.reader.fault(root, "this is no file of Horn clauses: they begin with `(set-logic HORN)`"),
            },
            "set-info" => self.reader.status(&operands, &mut self.status),
            "check-sat" | "exit" => self.last = Some(command),
            "set-option" | "echo" | "get-assertions" | "get-assignment" | "get-info" | "get-model" | "get-option"
            | "get-proof" | "get-unsat-core" | "get-value" => {}
            _ => self.reader.fault(root, format!("the command `{command}` is not supported")),
        }
    }

    /// A name that is declared, and that nothing else has.
    fn new_name(&mut self, id: Id) -> Option<&'t str> {
        let name = self.reader.name(id)?;
        if self.is_known(name) || self.variables.iter().any(|symbol| symbol.name == name) {
            self.reader.fault(id, format!("`{name}` is the name of something else, too"));
            return None;
        }
        if is_foreign(name) {
            self.reader.fault(id, format!("`{name}` has a meaning of its own in solvers; give this another name"));
            return None;
        }
        Some(name)
    }

    fn is_known(&self, name: &str) -> bool {
        self.predicates.iter().any(|predicate| predicate.name == name) || self.functions.get(name).is_some()
    }

    fn declare(&mut self, root: Id, name: Id, list: Option<Id>, result: Option<Id>) {
        if let Some(result) = result.filter(|&result| self.reader.atom(result) != Some("Bool")) {
            return self.reader.fault(result, "only predicates can be declared: their last sort is `Bool`");
        }
        let sorts = match list.map(|list| (list, self.reader.list(list))) {
            None => Vec::new(),
            Some((_, Some(sorts))) => sorts,
            Some((list, None)) => return self.reader.fault(list, "a list of sorts is expected here"),
        };
        let sorts: Vec<_> = sorts.into_iter().map(|sort| self.reader.sort(sort)).collect();
        let name = self.new_name(name);
        let (Some(name), Some(sorts)) = (name, sorts.into_iter().collect::<Option<Vec<_>>>()) else { return };
        let arguments =
            (1..).zip(sorts).map(|(position, sort)| Argument { name: format!("x{position}"), sort }).collect();
        self.predicates.push(Predicate { name, arguments, place: Some(root) });
    }

    fn variable(&mut self, root: Id, operands: &[Id]) {
        let &[name, sort] = operands else { return self.reader.fault(root, "a variable has a name and a sort") };
        if let (Some(name), Some(sort)) = (self.new_name(name), self.reader.sort(sort)) {
            self.variables.push(Symbol { name, sort });
        }
    }

    fn define(&mut self, root: Id, operands: &[Id]) {
        let &[name, parameters, result, body] = operands else {
            return self.reader.fault(root, "a definition has a name, parameters, a sort and what it is");
        };
        let parameters = self.reader.bound(parameters);
        if let Some(symbol) = parameters.iter().find(|symbol| self.is_known(symbol.name)) {
            let what = format!("`{}` is the name of something else, too", symbol.name);
            self.reader.fault(operands[1], what);
        }
        let contents = self.contents(body);
        if let Some(&place) = contents.quantifiers.first() {
            self.reader.fault(place, "quantifiers in definitions are not supported");
        }
        if let (Some(name), Some(result)) = (self.new_name(name), self.reader.sort(result)) {
            let parameters = parameters.into_iter().map(|symbol| (symbol.name, symbol.sort.into())).collect();
            self.functions.push(Function { name, parameters, result: result.into(), body, place: root });
        }
    }

    /// A clause: its free variables are those of the quantifiers in front, or those of rules.
    fn assert(&mut self, formula: Id) {
        let span = Span::from(self.reader.expressions.span(formula));
        let contents = self.contents(formula);
        let mut free: Vec<Symbol> =
            self.variables.iter().filter(|symbol| contents.atoms.contains(symbol.name)).cloned().collect();
        let mut matrix = self.reader.expressions.inside(formula);
        while let Some(("forall", operands)) = self.reader.application(matrix) {
            let &[list, body] = &operands[..] else { break };
            let symbols = contents.bound[&list].iter().map(|(_, symbol)| symbol.clone());
            let hides = |symbol: &Symbol| free.iter().any(|other| other.name == symbol.name);
            if symbols.clone().any(|symbol| hides(&symbol)) {
                break;
            }
            free.extend(symbols);
            matrix = self.reader.expressions.inside(body);
        }
        let mut variables: Vec<Variable> = free.into_iter().map(Variable::free).collect();
        let mut keys: FxHashSet<Cow<str>> = variables.iter().map(|variable| variable.key.clone()).collect();
        // Those in front of the matrix are older than it, in the text.
        let start = self.reader.expressions.span(matrix).start;
        for list in &contents.lists {
            for (binder, symbol) in &contents.bound[list] {
                if self.reader.expressions.span(*binder).start > start {
                    let names = (1..).map(|number| match number {
                        1 => Cow::Borrowed(symbol.name),
                        _ => Cow::Owned(format!("{}#{number}", symbol.name)),
                    });
                    let key = names.into_iter().find(|key| !keys.contains(key)).expect("numbers are many");
                    keys.insert(key.clone());
                    variables.push(Variable { symbol: symbol.clone(), key, binder: Some(*binder) });
                }
            }
        }
        self.clauses.push(Clause { variables, statement: Statement::Formula(matrix), span });
    }

    fn query(&mut self, root: Id, operands: &[Id]) {
        let Some((&name, _annotations)) = operands.split_first() else {
            return self.reader.fault(root, "`query` has the name of a relation");
        };
        let named = self.reader.atom(name);
        match self.predicates.iter().position(|predicate| Some(predicate.name) == named) {
            Some(predicate) => {
                let span = Span::from(self.reader.expressions.span(root));
                self.clauses.push(Clause { variables: Vec::new(), statement: Statement::Never(predicate), span });
            }
            None => self.reader.fault(name, "`query` has the name of a relation that is declared"),
        }
    }

    fn clauses(mut self) -> Result<Clauses<'t>, Vec<Fault>> {
        if self.predicates.is_empty() && self.reader.faults.is_empty() {
            self.reader.missing("no predicate is declared");
        }
        if !self.reader.faults.is_empty() {
            return Err(self.reader.faults);
        }
        let question = self.question.unwrap_or(Question::Satisfiable);
        let status = match question {
            Question::Satisfiable => self.status,
            Question::Reachable => self.status.map(|reachable| !reachable),
        };
        Ok(Clauses {
            expressions: self.reader.expressions,
            predicates: self.predicates,
            functions: self.functions,
            definitions: Vec::new(),
            clauses: self.clauses,
            question,
            status,
        })
    }

    /// Collects the names and quantifiers of a formula, in the order of the text; reports ill-formed names and
    /// annotations.
    fn contents(&mut self, formula: Id) -> Contents<'t> {
        let mut contents = Contents::default();
        let mut work = vec![formula];
        while let Some(id) = work.pop() {
            let items = match self.reader.expressions.get(id) {
                Expression::Atom(name) => {
                    contents.atoms.insert(name);
                    continue;
                }
                Expression::Text(_) => continue,
                Expression::List(items) => items.clone(),
            };
            match (items.first().and_then(|&first| self.reader.atom(first)), &items[..]) {
                (Some("forall" | "exists"), &[_, list, body]) => {
                    contents.quantifiers.push(id);
                    contents.lists.push(list);
                    let symbols = self.reader.bound(list);
                    for symbol in &symbols {
                        self.refuse_hiding(list, symbol.name);
                    }
                    let pairs = self.reader.list(list).unwrap_or_default();
                    contents.bound.insert(list, pairs.into_iter().zip(symbols).collect());
                    work.push(body);
                }
                (Some(word @ ("forall" | "exists")), _) => {
                    self.reader.fault(id, format!("`{word}` has variables and a formula"));
                }
                (Some("let"), &[_, list, body]) => {
                    work.push(body);
                    work.extend(self.bindings(list).into_iter().rev());
                }
                (Some("!"), [_, inner, attributes @ ..]) => {
                    self.attributes(id, attributes);
                    work.push(*inner);
                }
                _ => work.extend(items.iter().rev()),
            }
        }
        contents
    }

    fn refuse_hiding(&mut self, place: Id, name: &str) {
        if self.is_known(name) {
            self.reader.fault(place, format!("`{name}` is the name of something else, too"));
        }
    }

    /// The terms in a list of bindings, whose names are looked at. Other lists are refused later.
    fn bindings(&mut self, list: Id) -> Vec<Id> {
        let mut names = FxHashSet::default();
        let mut terms = Vec::new();
        for binding in self.reader.list(list).unwrap_or_default() {
            let Some(&[name, term]) = self.reader.list(binding).as_deref() else { continue };
            if let Some(text) = self.reader.name(name) {
                self.refuse_hiding(name, text);
                if !names.insert(text) {
                    self.reader.fault(name, format!("`{text}` is there twice"));
                }
            }
            terms.push(term);
        }
        terms
    }

    /// `:keyword`, or `:keyword value`, one after the other.
    fn attributes(&mut self, id: Id, attributes: &[Id]) {
        let is_keyword = |reader: &Reader, id: Id| reader.atom(id).is_some_and(|atom| atom.starts_with(':'));
        if attributes.is_empty() {
            self.reader.fault(id, "an annotation is missing here, as in `(! .. :named a)`");
        }
        let mut rest = attributes;
        while let [keyword, others @ ..] = rest {
            if !is_keyword(&self.reader, *keyword) {
                return self.reader.fault(*keyword, "an annotation begins with `:`, as in `:named a`");
            }
            rest = match others {
                [value, others @ ..] if !is_keyword(&self.reader, *value) => others,
                _ => others,
            };
        }
    }
}

/// The names and quantifiers in a formula.
#[derive(Default)]
struct Contents<'t> {
    atoms: FxHashSet<&'t str>,
    quantifiers: Vec<Id>,
    /// The variables of quantifiers, in the order of the text.
    lists: Vec<Id>,
    bound: FxHashMap<Id, Vec<(Id, Symbol<'t>)>>,
}

/// True if solvers know a function or predicate of this name over truth values and integers, though SMT-LIB does not.
fn is_foreign(name: &str) -> bool {
    const PREFIXES: [&str; 9] = ["str.", "seq.", "re.", "char.", "set.", "bag.", "int.", "complex.", "tuple."];
    const NAMES: &str = "&& ^ ^0 /0 div0 mod0 rem0 ~ abs acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh \
        atan atan2 atanh case-def divisible equals equiv exp if if_then_else iff implies is_int ln mkbv \
        partial-order piecewise-linear-order rem to_int to_real tree-order linear-order int2bv bv2nat";
    NAMES.split(' ').any(|known| known == name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
