//! A cache of the processes of a text as it was read last, so that a keystroke costs the grammar one process only.

use super::ast::{Action, Assignment, Command, Dialect, Expr, ExprKind, Ident, Process, ProcessKind, SupplyTarget};
use super::token::{Spanned, Token};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The processes of a text that is read again and again. The key of a process is all that the grammar sees of it, places
/// counted from its beginning: nothing elsewhere in the text can make what is remembered wrong.
#[derive(Debug, Default)]
pub struct Memory {
    /// Those of the text as it was.
    before: FxHashMap<Key, Remembered>,
    /// Those of the text as it is.
    now: FxHashMap<Key, Remembered>,
}

/// A dialect, tokens with their places, and the names among them, one behind the other.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Key {
    dialect: Dialect,
    tokens: Vec<Spanned<'static>>,
    names: String,
}

/// A process without faults, and where its text began.
#[derive(Debug)]
struct Remembered {
    start: u32,
    process: Process,
}

impl Key {
    /// The key of tokens of a process, from its keyword on.
    pub fn new(dialect: Dialect, tokens: &[Spanned]) -> Key {
        let start = start(tokens);
        let mut names = String::new();
        let tokens = tokens.iter().map(|(token, span)| {
            let span = Span { start: span.start - start, end: span.end - start };
            (without_name(*token, &mut names), span)
        });
        Key { dialect, tokens: tokens.collect(), names }
    }
}

impl Memory {
    /// Forgets what the text did not contain any more when it was read last.
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    /// The process that these tokens were read as.
    pub fn recall(&mut self, key: Key, tokens: &[Spanned]) -> Result<Process, Key> {
        let Some((key, known)) = self.now.remove_entry(&key).or_else(|| self.before.remove_entry(&key)) else {
            return Err(key);
        };
        let process = Moved(start(tokens).wrapping_sub(known.start)).process(&known.process);
        self.now.insert(key, known);
        Ok(process)
    }

    /// Remembers what tokens were read as, without any fault.
    pub fn remember(&mut self, key: Key, tokens: &[Spanned], process: &Process) {
        self.now.insert(key, Remembered { start: start(tokens), process: process.clone() });
    }
}

fn start(tokens: &[Spanned]) -> u32 {
    tokens.first().map_or(0, |(_, span)| span.start)
}

/// A token without its name or digits, which go to the others.
fn without_name(token: Token, names: &mut String) -> Token<'static> {
    macro_rules! same {
        ($($case:ident)*) => {
            match token {
                Token::Ident(name) => {
                    names.push_str(name);
                    // No name contains a space, and no number.
                    names.push(' ');
                    Token::Ident("")
                }
                Token::Int(digits) => {
                    names.push_str(digits);
                    names.push(' ');
                    Token::Int("")
                }
                $(Token::$case => Token::$case,)*
            }
        };
    }
    same!(
        Error LineComment BlockComment Enum MessageStructure PointToPoint PropertyVariables Guard Agent Local Init Relabel ReceiveGuard
        Repeat Rep System Spec Get Supply Bool IntType Location Channel Chan Myself AutomatonState True False Forall Exists
        Finally Globally Next Until WeakUntil Release OpenParen CloseParen OpenBrace CloseBrace OpenBracket CloseBracket
        OpenPossible ClosePossible OpenNecessary CloseNecessary Colon Semicolon Comma Dot DotDot At Question Assign
        LeftArrow Not And Or Parallel Implies FatArrow Iff Equal NotEqual Less LessEqual EqualLess Greater GreaterEqual Plus
        Minus Star Slash Channels OpenGuard CloseGuard OpenData Dash UnknownSection UnknownDeclaration Const If Then Else Sum
        Count Where
    )
}

/// Copies of trees, with places that many bytes further on; backwards if that wraps around.
#[derive(Clone, Copy)]
struct Moved(u32);

impl Moved {
    fn span(self, Span { start, end }: Span) -> Span {
        Span { start: start.wrapping_add(self.0), end: end.wrapping_add(self.0) }
    }

    fn name(self, Ident { name, span }: &Ident) -> Ident {
        Ident { name: name.clone(), span: self.span(*span) }
    }

    fn names(self, names: &[Ident]) -> Vec<Ident> {
        names.iter().map(|name| self.name(name)).collect()
    }

    fn process(self, Process { kind, span, parenthesised }: &Process) -> Process {
        let boxed = |process: &Process| Box::new(self.process(process));
        let kind = match kind {
            ProcessKind::Error => ProcessKind::Error,
            ProcessKind::Command(command) => ProcessKind::Command(Box::new(self.command(command))),
            ProcessKind::Sequence(left, right) => ProcessKind::Sequence(boxed(left), boxed(right)),
            ProcessKind::Choice(left, right) => ProcessKind::Choice(boxed(left), boxed(right)),
            ProcessKind::Rep(body) => ProcessKind::Rep(boxed(body)),
        };
        Process { kind, span: self.span(*span), parenthesised: *parenthesised }
    }

    fn command(self, Command { label, guard, action, span }: &Command) -> Command {
        let action = match action {
            Action::Send { channel, guard, data, updates } => Action::Send {
                channel: self.expression(channel),
                guard: self.expression(guard),
                data: self.assignments(data),
                updates: self.assignments(updates),
            },
            Action::Receive { channel, updates } => {
                Action::Receive { channel: self.expression(channel), updates: self.assignments(updates) }
            }
            Action::Get { target, data, updates } => Action::Get {
                target: self.expression(target),
                data: self.assignments(data),
                updates: self.assignments(updates),
            },
            Action::Supply { to, data, updates } => Action::Supply {
                to: match to {
                    SupplyTarget::Myself => SupplyTarget::Myself,
                    SupplyTarget::Name(name) => SupplyTarget::Name(self.name(name)),
                },
                data: self.assignments(data),
                updates: self.assignments(updates),
            },
        };
        let label = label.as_ref().map(|label| self.name(label));
        Command { label, guard: self.expression(guard), action, span: self.span(*span) }
    }

    fn assignments(self, list: &[Assignment]) -> Vec<Assignment> {
        let moved = |it: &Assignment| Assignment { name: self.name(&it.name), value: self.expression(&it.value) };
        list.iter().map(moved).collect()
    }

    fn expression(self, Expr { kind, span, parenthesised }: &Expr) -> Expr {
        use ExprKind::*;
        let boxed = |expr: &Expr| Box::new(self.expression(expr));
        let kind = match kind {
            Error => Error,
            Bool(value) => Bool(*value),
            Int(value) => Int(value.clone()),
            Star => Star,
            Chan => Chan,
            Myself => Myself,
            Name(name) => Name(name.clone()),
            Property(name) => Property(self.name(name)),
            Member { owner, member } => Member { owner: self.name(owner), member: self.name(member) },
            Call { callee, arguments } => {
                let arguments = arguments.iter().map(|argument| self.expression(argument)).collect();
                Call { callee: self.name(callee), arguments }
            }
            Group(names) => Group(self.names(names)),
            Assignments(quantifier, body) => Assignments(*quantifier, boxed(body)),
            Unary(op, body) => Unary(*op, boxed(body)),
            Binary(op, left, right) => Binary(*op, boxed(left), boxed(right)),
            Observe { modality, observation, body } => {
                Observe { modality: *modality, observation: boxed(observation), body: boxed(body) }
            }
            Quantified { quantifier, variable, domain, body } => Quantified {
                quantifier: *quantifier,
                variable: self.name(variable),
                domain: self.names(domain),
                body: boxed(body),
            },
            If { condition, yes, no } => If { condition: boxed(condition), yes: boxed(yes), no: boxed(no) },
            Aggregate { aggregate, variable, domain, body } => Aggregate {
                aggregate: *aggregate,
                variable: self.name(variable),
                domain: self.names(domain),
                body: boxed(body),
            },
        };
        Expr { kind, span: self.span(*span), parenthesised: *parenthesised }
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;
    use crate::source::SourceFile;
    use crate::syntax::parse_again;

    fn model(process: &str) -> SourceFile {
        SourceFile::new(
            "m",
            format!("agent A local: x : bool init: x receive-guard: x repeat: {process} system = A(a, x)"),
        )
    }

    #[test]
    fn remembers_what_is_faultless_and_forgets_what_is_gone() {
        let mut memory = Memory::default();
        for (process, remembered) in [
            ("{x} *! (x)()[]", 1),
            ("{x} *! (x)()[]", 1),
            ("{x} *! (x)()[", 0),
            ("{x #} *! (x)()[]", 0),
            ("{x | x & x} *! (x)()[]", 0),
        ] {
            parse_again(&model(process), None, &mut memory);
            assert_eq!(memory.now.len(), remembered, "{process}");
        }
    }
}
