//! S-expressions, the syntax of SMT-LIB.
//!
//! Read without recursion into one list, so that no text can exhaust the stack.

use super::Problem;
use crate::limits::tick;
use std::ops::Range;

/// An expression of one [`Expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u32);

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression<'t> {
    /// A number, a symbol (without its bars, if it has some), or a keyword.
    Atom(&'t str),
    /// A string with its quotes, which only comments on a file have.
    Text(&'t str),
    /// `(..)`
    List(Vec<Id>),
}

/// Whether an atom can be the name of something. Solvers read `-5` as a number, though SMT-LIB has it among the symbols.
pub fn is_name(atom: &str) -> bool {
    let rest = atom.strip_prefix('-').unwrap_or(atom);
    !atom.is_empty() && !rest.starts_with(|first: char| first.is_ascii_digit()) && !atom.starts_with([':', '#'])
}

/// All expressions of a text.
#[derive(Debug)]
pub struct Expressions<'t> {
    text: &'t str,
    nodes: Vec<(Range<usize>, Expression<'t>)>,
    roots: Vec<Id>,
}

impl<'t> Expressions<'t> {
    /// Reads a text; comments (`; ..`) are left out.
    pub fn read(text: &'t str) -> Result<Expressions<'t>, Problem> {
        let mut expressions = Expressions { text, nodes: Vec::new(), roots: Vec::new() };
        let mut open: Vec<(usize, Vec<Id>)> = Vec::new();
        let mut at = 0;
        while let Some((start, token, end)) = next_token(text, at)? {
            at = end;
            tick();
            let complete = match token {
                Token::Open => {
                    open.push((start, Vec::new()));
                    continue;
                }
                Token::Close => match open.pop() {
                    Some((start, list)) => expressions.push(start..end, Expression::List(list)),
                    None => return Err(Problem::new(text, start, "this `)` closes nothing")),
                },
                Token::Text(text) => expressions.push(start..end, Expression::Text(text)),
                Token::Atom(atom) => expressions.push(start..end, Expression::Atom(atom)),
            };
            match open.last_mut() {
                Some((_, list)) => list.push(complete),
                None => expressions.roots.push(complete),
            }
        }
        match open.pop() {
            Some((start, _)) => Err(Problem::new(text, start, "this `(` is never closed")),
            None => Ok(expressions),
        }
    }

    fn push(&mut self, place: Range<usize>, expression: Expression<'t>) -> Id {
        self.nodes.push((place, expression));
        Id(self.nodes.len() as u32 - 1)
    }

    /// The expressions that are inside no other.
    pub fn roots(&self) -> &[Id] {
        &self.roots
    }

    /// What an expression is.
    pub fn get(&self, id: Id) -> &Expression<'t> {
        &self.nodes[id.0 as usize].1
    }

    /// Where an expression stands, in bytes.
    pub fn span(&self, id: Id) -> Range<usize> {
        self.nodes[id.0 as usize].0.clone()
    }

    /// Its text.
    pub fn slice(&self, id: Id) -> &'t str {
        &self.text[self.span(id)]
    }

    /// Where the text ends.
    pub fn end(&self) -> usize {
        self.text.len()
    }

    /// Something that is wrong with an expression.
    pub fn problem(&self, id: Id, what: impl Into<String>) -> Problem {
        Problem::new(self.text, self.nodes[id.0 as usize].0.start, what)
    }

    /// Something that is wrong with the text as a whole.
    pub fn missing(&self, what: impl Into<String>) -> Problem {
        Problem::new(self.text, self.text.len(), what)
    }
}

/// What texts consist of.
enum Token<'t> {
    Open,
    Close,
    Atom(&'t str),
    Text(&'t str),
}

/// The next token: where it starts, what it is, and where the one after it may start.
fn next_token(text: &str, mut at: usize) -> Result<Option<(usize, Token<'_>, usize)>, Problem> {
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match first {
            ';' => at += rest.find('\n').unwrap_or(rest.len()),
            '(' => return Ok(Some((at, Token::Open, at + 1))),
            ')' => return Ok(Some((at, Token::Close, at + 1))),
            '|' => {
                let Some(length) = rest[1..].find('|') else {
                    return Err(Problem::new(text, at, "this `|` has no partner"));
                };
                let name = &rest[1..=length];
                if !is_name(name) || name.contains('\\') {
                    return Err(Problem::new(
                        text,
                        at,
                        format!("`|{name}|` cannot be used as a name; give this another one"),
                    ));
                }
                return Ok(Some((at, Token::Atom(name), at + length + 2)));
            }
            '"' => {
                // A quote inside is written twice: two strings without a space between them are one.
                let mut end = at;
                while text[end..].starts_with('"') {
                    let Some(length) = text[end + 1..].find('"') else {
                        return Err(Problem::new(text, at, "this string is never closed"));
                    };
                    end += length + 2;
                }
                return Ok(Some((at, Token::Text(&text[at..end]), end)));
            }
            space if space.is_whitespace() || space == '\u{feff}' && at == 0 => at += space.len_utf8(),
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|' | '"');
                let length = rest.find(ends).unwrap_or(rest.len());
                return Ok(Some((at, Token::Atom(&rest[..length]), at + length)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Expressions::read(text).expect_err(text).to_string()
    }

    #[test]
    fn lists_atoms_and_comments() {
        let expressions = Expressions::read("(a (|b c| -1)) ; ( not read\nd").expect("well formed");
        let [list, atom] = *expressions.roots() else { panic!("two expressions") };
        assert_eq!(*expressions.get(atom), Expression::Atom("d"));
        let Expression::List(items) = expressions.get(list) else { panic!("a list") };
        let Expression::List(inner) = expressions.get(items[1]) else { panic!("a list in it") };
        let inner: Vec<&Expression> = inner.iter().map(|&id| expressions.get(id)).collect();
        assert_eq!(inner, [&Expression::Atom("b c"), &Expression::Atom("-1")]);
    }

    #[test]
    fn problems_have_places() {
        assert_eq!(problem("(a b"), "at character 1: this `(` is never closed");
        assert_eq!(problem("a\n b)"), "in line 2, at character 3: this `)` closes nothing");
        assert_eq!(problem("ä |b"), "at character 3: this `|` has no partner");
        assert_eq!(problem("(= x \"y\"\")"), "at character 6: this string is never closed");
    }

    #[test]
    fn strings_are_no_symbols() {
        let expressions = Expressions::read("\"a \"\"(; b\" |\"a\"|").expect("well formed");
        let [text, symbol] = *expressions.roots() else { panic!("two expressions") };
        assert_eq!(*expressions.get(text), Expression::Text("\"a \"\"(; b\""));
        assert_eq!(*expressions.get(symbol), Expression::Atom("\"a\""));
    }

    #[test]
    fn what_bars_enclose_is_a_name_and_nothing_else() {
        let expressions = Expressions::read("|(| a |)| |;|").expect("well formed");
        let atoms: Vec<&Expression> = expressions.roots().iter().map(|&id| expressions.get(id)).collect();
        assert_eq!(
            atoms,
            [&Expression::Atom("("), &Expression::Atom("a"), &Expression::Atom(")"), &Expression::Atom(";")]
        );
        for name in ["", "5", "-5", ":a", "#b1", "a\\b"] {
            let expected = format!("at character 2: `|{name}|` cannot be used as a name; give this another one");
            assert_eq!(problem(&format!("(|{name}|)")), expected);
        }
    }

    #[test]
    fn depth_is_no_problem() {
        let text = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(Expressions::read(&text).expect("balanced").roots().len(), 1);
    }
}
