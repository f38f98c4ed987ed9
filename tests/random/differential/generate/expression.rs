//! Random expressions, in parentheses wherever they are infix.

use super::Generator;
use super::vocabulary::{Guard, Scope, Ty, Variable};

impl Generator {
    /// `&`, in one of its spellings.
    pub(super) fn and(&mut self) -> &'static str {
        if self.classic() && self.random.percent(40) { "&&" } else { "&" }
    }

    /// `|`, in one of its spellings.
    pub(super) fn or(&mut self) -> &'static str {
        if self.classic() && self.random.percent(40) { "||" } else { "|" }
    }

    /// `=`, in one of its spellings.
    pub(super) fn equal_sign(&mut self) -> &'static str {
        if self.random.percent(30) { "==" } else { "=" }
    }

    /// `chan`, in one of its spellings.
    pub(super) fn chan(&mut self) -> &'static str {
        const SPELLINGS: [&str; 3] = ["channel", "chan", "ch"];
        if self.classic() { SPELLINGS[self.random.below(SPELLINGS.len())] } else { "chan" }
    }

    /// `true` or `false`, in one of its spellings.
    pub(super) fn truth(&mut self, value: bool) -> String {
        let text = if value { "true" } else { "false" };
        if self.classic() && self.random.percent(50) { text.to_uppercase() } else { text.to_owned() }
    }

    /// A constant; of an `int`, a small one.
    pub(super) fn constant(&mut self, ty: &Ty, myself: bool) -> String {
        match ty {
            Ty::Bool => {
                let value = self.random.percent(50);
                self.truth(value)
            }
            Ty::Int if !self.vocabulary.constants.is_empty() && self.random.percent(25) => {
                self.random.pick(&self.vocabulary.constants).0.clone()
            }
            Ty::Int if self.random.percent(12) => self.size(),
            Ty::Int => number(self.random.between(-3, 3)),
            Ty::Range(low, high) => {
                let value = self.random.between(*low, *high);
                // Wide ranges are to meet small numbers, and their ends now and then.
                let near = if *high - *low > 8 && self.random.percent(70) { value % 4 } else { value };
                number(near)
            }
            Ty::Enum(index) => self.random.pick(&self.vocabulary.enums[*index]).clone(),
            Ty::Channel if self.random.percent(35) => "*".to_owned(),
            Ty::Channel => self.random.pick(&self.vocabulary.channels).clone(),
            Ty::Location if myself && self.random.percent(30) => "myself".to_owned(),
            Ty::Location => self.random.pick(&self.vocabulary.instances).name.clone(),
        }
    }

    fn variable(&mut self, scope: &Scope, fits: impl Fn(&Ty) -> bool) -> Option<Variable> {
        let fitting: Vec<&Variable> = scope.variables.iter().filter(|variable| fits(&variable.ty)).collect();
        if fitting.is_empty() { None } else { Some((*self.random.pick(&fitting)).clone()) }
    }

    /// An expression that may be assigned to something of a type; it may leave a range.
    pub(super) fn value(&mut self, scope: &Scope, ty: &Ty, depth: usize) -> String {
        match ty {
            _ if depth > 0 && self.random.percent(8) => self.conditional(scope, ty, depth),
            Ty::Bool => self.boolean(scope, depth),
            Ty::Int | Ty::Range(..) if depth > 0 && self.random.percent(45) => self.arithmetic(scope, ty, depth),
            _ => self.simple(scope, ty),
        }
    }

    fn conditional(&mut self, scope: &Scope, ty: &Ty, depth: usize) -> String {
        let condition = self.boolean(scope, depth - 1);
        let (yes, no) = (self.value(scope, ty, depth - 1), self.value(scope, ty, depth - 1));
        format!("(if {condition} then {yes} else {no})")
    }

    /// A variable or a constant.
    fn simple(&mut self, scope: &Scope, ty: &Ty) -> String {
        let variable = if self.random.percent(60) { self.variable(scope, |other| other.comparable(ty)) } else { None };
        match variable {
            Some(variable) => variable.name,
            None => self.constant(ty, scope.myself),
        }
    }

    /// A sum or the like with at least one variable, so that no constant is out of range.
    fn arithmetic(&mut self, scope: &Scope, ty: &Ty, depth: usize) -> String {
        let Some(variable) = self.variable(scope, Ty::is_integer) else { return self.constant(ty, scope.myself) };
        let name = variable.name;
        match self.random.weighted(&[40, 25, 12, 12, 5, 4]) {
            0 => format!("({name} + {})", self.random.between(1, 2)),
            1 => format!("({name} - {})", self.random.between(1, 2)),
            2 => {
                let other = self.value(scope, &Ty::Range(-2, 2), depth - 1);
                format!("({name} {} {other})", self.random.pick(&["+", "-"]))
            }
            3 => {
                let factor = self.random.between(-2, 3);
                if factor == 0 { format!("(-{name})") } else { format!("({name} * {})", number(factor)) }
            }
            4 => {
                let divisor = *self.random.pick(&[-3, -2, 2, 3]);
                format!("(({name} + {}) / {})", self.random.between(-2, 2), number(divisor))
            }
            _ => {
                let other = self.simple(scope, &Ty::Range(-2, 2));
                // A product of two variables; only where both are small.
                if scope.variables.iter().any(|variable| variable.ty.is_wide()) {
                    format!("({name} + {other})")
                } else {
                    format!("({name} * {other})")
                }
            }
        }
    }

    /// A condition.
    pub(super) fn boolean(&mut self, scope: &Scope, depth: usize) -> String {
        let leaf = depth == 0;
        match self.random.weighted(if leaf { &[60, 30, 10, 0, 0, 0, 0] } else { &[35, 15, 4, 16, 20, 6, 4] }) {
            0 => self.comparison(scope, depth),
            1 => match self.variable(scope, |ty| *ty == Ty::Bool) {
                Some(variable) => variable.name,
                None => self.comparison(scope, depth),
            },
            2 => self.constant(&Ty::Bool, false),
            3 => format!("!({})", self.boolean(scope, depth - 1)),
            4 => {
                let op = if self.random.percent(50) { self.and() } else { self.or() };
                format!("({} {op} {})", self.boolean(scope, depth - 1), self.boolean(scope, depth - 1))
            }
            5 => {
                let op = *self.random.pick(&["->", "<->", "=", "!="]);
                format!("({} {op} {})", self.boolean(scope, depth - 1), self.boolean(scope, depth - 1))
            }
            _ => self.call(scope, self.vocabulary.guards.len()),
        }
    }

    /// A comparison with a variable on its left, if there is any.
    fn comparison(&mut self, scope: &Scope, depth: usize) -> String {
        let Some(left) = self.variable(scope, |ty| *ty != Ty::Bool) else { return self.boolean_leaf(scope) };
        let right = match depth {
            0 => self.simple(scope, &left.ty),
            _ => self.value(scope, &left.ty, depth - 1),
        };
        // A comparison of a local with itself says nothing.
        let right = if right == left.name { self.constant(&left.ty, scope.myself) } else { right };
        let equal = self.equal_sign();
        let op = match self.random.below(if left.ty.is_integer() { 6 } else { 2 }) {
            0 => equal,
            1 => "!=",
            2 => "<",
            3 => "<=",
            4 => ">",
            _ => ">=",
        };
        if self.random.percent(85) {
            format!("({} {op} {right})", left.name)
        } else {
            format!("({right} {op} {})", left.name)
        }
    }

    fn boolean_leaf(&mut self, scope: &Scope) -> String {
        match self.variable(scope, |ty| *ty == Ty::Bool) {
            Some(variable) => variable.name,
            None => self.constant(&Ty::Bool, false),
        }
    }

    /// The number of instances of one type or several.
    pub(super) fn size(&mut self) -> String {
        let agents = self.vocabulary.agents.len();
        let one = self.random.below(agents);
        match self.random.weighted(&[50, 40, 10]) {
            0 => format!("size(Agent{one})"),
            1 => format!("size(Agent{one} | Agent{})", self.random.below(agents)),
            _ => "size(Agent)".to_owned(),
        }
    }

    /// A call of one of the first guards, if one of them can be called there.
    pub(super) fn call(&mut self, scope: &Scope, known: usize) -> String {
        let fitting: Vec<usize> = (0..known).filter(|&guard| self.vocabulary.guards[guard].fits(scope)).collect();
        if fitting.is_empty() {
            return self.comparison(scope, 0);
        }
        let guard = *self.random.pick(&fitting);
        let parameters = self.vocabulary.guards[guard].parameters.clone();
        let arguments: Vec<String> = parameters.iter().map(|parameter| self.simple(scope, &parameter.ty)).collect();
        format!("g{guard}({})", arguments.join(", "))
    }

    /// The body of a guard; it may call the guards before it.
    pub(super) fn guard_body(&mut self, index: usize, guard: &Guard) -> String {
        let scope = guard.scope();
        let later = self.vocabulary.guards.split_off(index);
        let body = self.boolean(&scope, 2);
        self.vocabulary.guards.extend(later);
        body
    }
}

/// A number that can stand behind an operator.
fn number(value: i64) -> String {
    if value < 0 { format!("({value})") } else { value.to_string() }
}
