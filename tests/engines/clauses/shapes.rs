//! The same clauses in other words: as disjunctions, with `let` around them, with definitions, as rules, and so on. Each
//! way to write them is an equivalence, so that what is true of the clauses is true of the text.

use super::{Horn, VARIABLES};
use fastrand::Rng;

/// How a file asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `assert`, `check-sat`
    Assert,
    /// `rule`, `query`
    Rule,
}

/// Writes clauses in random shapes.
pub struct Shapes {
    random: Rng,
    style: Style,
    /// Definitions, in their order.
    definitions: String,
    count: usize,
    /// True if a predicate without arguments says that something is bad.
    fails: bool,
    /// True if formulas have annotations.
    named: bool,
}

const NAMES: [&str; 6] = ["x", "y", "z", "u", "b", "c"];

impl Shapes {
    /// By a number.
    pub fn new(seed: u64, style: Style) -> Shapes {
        let random = Rng::with_seed(seed ^ 0x5eed);
        let (fails, named) = (style == Style::Rule, style == Style::Assert && seed.is_multiple_of(3));
        Shapes { random, style, definitions: String::new(), count: 0, fails, named }
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.usize(..of) == 0
    }

    fn new_name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// A file.
    pub fn text(&mut self, clauses: &[Horn]) -> String {
        self.fails |= self.chance(3);
        let mut statements = Vec::new();
        let mut list = clauses.to_vec();
        while let Some(clause) = list.pop() {
            let formula = self.clause(&clause);
            match list.pop() {
                // Two at once, for the same variables.
                Some(other) if self.chance(4) => {
                    let other = self.clause(&other);
                    statements.push(self.closed(format!("(and {formula} {other})")));
                }
                other => {
                    list.extend(other);
                    statements.push(self.closed(formula));
                }
            }
        }
        if self.fails && self.style == Style::Assert {
            let last = if self.chance(2) { "(=> failed false)" } else { "(not failed)" };
            statements.push(last.to_owned());
        }
        self.random.shuffle(&mut statements);
        let (predicates, keyword) = match self.style {
            Style::Assert => ("(declare-fun s (Int Int Bool) Bool)\n(declare-fun failed () Bool)\n", "assert"),
            Style::Rule => ("(declare-rel s (Int Int Bool))\n(declare-rel failed ())\n", "rule"),
        };
        let logic = if self.style == Style::Assert { "(set-logic HORN)\n" } else { "" };
        let mut text = format!("{logic}{predicates}{}{}", self.variables(), self.definitions);
        for statement in statements {
            text += &format!("({keyword} {statement})\n");
        }
        text + if self.style == Style::Rule { "(query failed)\n" } else { "(check-sat)\n(get-model)\n" }
    }

    fn variables(&self) -> String {
        let sorts = ["Int", "Int", "Int", "Int", "Bool", "Bool"];
        let declare = |(name, sort): (&str, &str)| format!("(declare-var {name} {sort})\n");
        if self.style == Style::Rule { NAMES.into_iter().zip(sorts).map(declare).collect() } else { String::new() }
    }

    /// A clause over the variables.
    fn clause(&mut self, clause: &Horn) -> String {
        let mut body: Vec<String> = clause.conditions.iter().map(|condition| self.condition(condition)).collect();
        body.extend(clause.before.as_deref().map(|before| self.predicate(before)));
        self.random.shuffle(&mut body);
        let head = match &clause.after {
            Some(after) => self.predicate(after),
            None if self.fails => "failed".to_owned(),
            None if self.chance(2) => {
                // The condition that must not be false.
                let last = body.pop().expect("conditions");
                if clause.before.as_deref() == Some(&last) {
                    self.not(&last)
                } else {
                    self.annotated(format!("(not {last})"))
                }
            }
            None => "false".to_owned(),
        };
        let formula = self.implication(body, &head);
        self.annotated(formula)
    }

    /// That the head follows from the conjunction.
    fn implication(&mut self, mut body: Vec<String>, head: &str) -> String {
        let and = |list: &[String]| format!("(and {})", list.join(" "));
        match self.random.usize(..10) {
            0 => {
                let mut cases: Vec<String> = body.iter().map(|one| format!("(not {one})")).collect();
                cases.push(head.to_owned());
                self.random.shuffle(&mut cases);
                format!("(or {})", cases.join(" "))
            }
            1 => format!("(=> {} {head})", body.join(" ")),
            2 => {
                let rest = body.split_off(body.len() / 2);
                format!("(=> {} (=> {} {head}))", and(&body), and(&rest))
            }
            3 => format!("(not (and {} (not {head})))", body.join(" ")),
            4 => {
                let name = self.new_name("body");
                format!("(let (({name} {}) (head {head})) (=> {name} head))", and(&body))
            }
            5 => {
                let rest = body.split_off(body.len() / 2);
                format!("(ite {} (or (not {}) {head}) true)", and(&body), and(&rest))
            }
            // Where `exists` may stand in a body, and not in a head.
            6 if !body.iter().any(|one| one.contains("exists")) => {
                let body = and(&body);
                format!("(= (and {body} {head}) {body})")
            }
            7 => {
                // Names that others have outside.
                let body = and(&body);
                format!("(let ((x y) (y x) (b (not b))) (let ((y x) (x y) (b (not b))) (=> {body} {head})))")
            }
            8 => {
                let name = self.new_name("implied");
                self.definitions += &format!("(define-fun {name} ((x Bool) (y Bool)) Bool (or y (not x)))\n");
                format!("({name} {} {head})", and(&body))
            }
            _ => format!("(=> {} {head})", and(&body)),
        }
    }

    fn not(&mut self, formula: &str) -> String {
        if self.chance(2) { format!("(=> {formula} false)") } else { format!("(not {formula})") }
    }

    fn condition(&mut self, condition: &str) -> String {
        match self.random.usize(..9) {
            0 => {
                let name = self.new_name("condition");
                self.definitions += &format!("(define-fun {name} ({VARIABLES}) Bool {condition})\n");
                format!("({name} {})", NAMES.join(" "))
            }
            1 => {
                let name = self.new_name("swapped");
                let swapped = "(y Int) (x Int) (u Int) (z Int) (c Bool) (b Bool)";
                self.definitions += &format!("(define-fun {name} ({swapped}) Bool {condition})\n");
                // The names inside are those of parameters, whatever is around.
                format!("(let ((x y) (y x) (b c) (c b) (z u) (u z)) ({name} x y z u b c))")
            }
            2 => format!("(let ((w {condition})) w)"),
            3 => format!("(let ((x (+ x 1)) (v x)) (let ((x v)) {condition}))"),
            4 => format!("(exists ((w Int) (v Bool)) (and (or v (< w 3)) {condition}))"),
            5 => self.annotated(condition.to_owned()),
            6 => format!("(= true (and {condition} (= (abs (- 3)) 3)))"),
            _ => condition.to_owned(),
        }
    }

    fn predicate(&mut self, atom: &str) -> String {
        match self.random.usize(..8) {
            0 => {
                let name = self.new_name("belongs");
                self.definitions +=
                    &format!("(define-fun {name} ((b Bool) (y Int) (x Int)) Bool (let ((x y) (y x)) (s y x b)))\n");
                let arguments = arguments(atom);
                format!("({name} {} {} {})", arguments[2], arguments[1], arguments[0])
            }
            1 => {
                let arguments = arguments(atom);
                let (first, last) = (&arguments[0], &arguments[2]);
                format!("(let ((v {first}) (w {last})) (s v {} w))", arguments[1])
            }
            _ => atom.to_owned(),
        }
    }

    fn annotated(&mut self, formula: String) -> String {
        if !self.named || !self.chance(4) {
            return formula;
        }
        let name = self.new_name("named");
        format!("(! {formula} :named {name})")
    }

    /// For all values of the variables.
    fn closed(&mut self, formula: String) -> String {
        if self.style == Style::Rule && self.chance(2) {
            return formula;
        }
        let split = "(x Int) (y Int) (z Int)";
        let rest = &VARIABLES[split.len() + 1..];
        match self.random.usize(..7) {
            0 => format!("(not (exists ({VARIABLES}) (not {formula})))"),
            1 => format!("(forall ({split}) (forall ({rest}) {formula}))"),
            2 => format!("(forall ((x Bool) (y Int)) (forall ({VARIABLES}) {formula}))"),
            3 => format!("(let ((w 7) (x true)) (forall ({VARIABLES}) {formula}))"),
            4 => format!("(forall ({split}) (or false (forall ({rest}) {formula})))"),
            5 => format!("(forall ({split}) (=> true (not (exists ({rest}) (not {formula})))))"),
            _ => format!("(forall ({VARIABLES}) {formula})"),
        }
    }
}

/// The arguments of the predicate, as text.
fn arguments(atom: &str) -> Vec<String> {
    let inside = atom.strip_prefix("(s ").and_then(|rest| rest.strip_suffix(')')).expect("the predicate");
    let (mut list, mut depth) = (vec![String::new()], 0);
    for character in inside.chars() {
        match character {
            ' ' if depth == 0 => list.push(String::new()),
            _ => {
                depth += i32::from(character == '(') - i32::from(character == ')');
                list.last_mut().expect("one").push(character);
            }
        }
    }
    list
}
