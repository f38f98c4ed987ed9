//! S-expressions, the syntax of SMT-LIB.
//!
//! Read without recursion into one list, so that no text can exhaust the stack.

use super::Problem;
use crate::limits::tick;
use std::borrow::Cow;
use std::ops::Range;

/// An expression of one [`Expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

/// The kind and content of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression<'t> {
    /// A number, a symbol (without its bars, if it has some), or a keyword.
    Atom(&'t str),
    /// A string with its quotes, which only comments on a file have.
    Text(&'t str),
    /// `(..)`
    List(Vec<Id>),
}

/// True if an atom can be the name of something. Solvers read `-5` as a number, though SMT-LIB has it among the symbols.
pub fn is_name(atom: &str) -> bool {
    let rest = atom.strip_prefix('-').unwrap_or(atom);
    !atom.is_empty() && !rest.starts_with(|first: char| first.is_ascii_digit()) && !atom.starts_with([':', '#'])
}

/// Words with a meaning of their own without bars, which are other symbols within them.
const WORDS: &str = "! _ as exists forall let match par assert check-sat check-sat-assuming declare-const declare-datatype \
    declare-datatypes declare-fun declare-sort define-const define-fun define-fun-rec define-funs-rec define-sort echo \
    exit get-assertions get-assignment get-info get-model get-option get-proof get-unsat-core get-value pop push reset \
    reset-assertions set-info set-logic set-option";

/// True if this is a word of the language, so that it is no name.
pub fn is_word(atom: &str) -> bool {
    WORDS.split(' ').any(|word| word == atom)
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
        if let Some((at, character)) = text.char_indices().find(|&(_, c)| c.is_control() && !is_space(c)) {
            let what = format!("the character U+{:04X} cannot be part of a text", u32::from(character));
            return Err(Problem::new(text, at, what));
        }
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

    /// The content of an expression.
    pub fn get(&self, id: Id) -> &Expression<'t> {
        &self.nodes[id.0 as usize].1
    }

    /// The place of an expression, in bytes.
    pub fn span(&self, id: Id) -> Range<usize> {
        self.nodes[id.0 as usize].0.clone()
    }

    /// Its text.
    pub fn slice(&self, id: Id) -> &'t str {
        &self.text[self.span(id)]
    }

    /// Its text without annotations, as in `(! .. :named a)`, which say nothing to a solver.
    pub fn unannotated(&self, id: Id) -> Cow<'t, str> {
        let (mut cuts, mut work) = (Vec::new(), vec![id]);
        while let Some(id) = work.pop() {
            let inner = self.inside(id);
            if inner != id {
                cuts.extend([self.span(id).start..self.span(inner).start, self.span(inner).end..self.span(id).end]);
                work.push(inner);
            } else if let Expression::List(items) = self.get(id) {
                work.extend(items);
            }
        }
        if cuts.is_empty() {
            return Cow::Borrowed(self.slice(id));
        }
        cuts.sort_by_key(|cut| cut.start);
        let (mut text, mut at) = (String::new(), self.span(id).start);
        for cut in cuts {
            text.push_str(&self.text[at..cut.start]);
            at = cut.end;
        }
        Cow::Owned(text + &self.text[at..self.span(id).end])
    }

    /// The expression that an annotation is about; any other expression is that itself.
    pub fn inside(&self, id: Id) -> Id {
        match self.get(id) {
            Expression::List(items) if items.len() > 1 && *self.get(items[0]) == Expression::Atom("!") => items[1],
            Expression::List(_) | Expression::Atom(_) | Expression::Text(_) => id,
        }
    }

    /// All expressions; those inside of others come before them.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }

    /// The position of an expression among all.
    pub fn position(id: Id) -> usize {
        id.0 as usize
    }

    /// The end of the text.
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

/// The tokens of a text.
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
            ';' => {
                let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
                if rest[length..].starts_with('\r') && !rest[length..].starts_with("\r\n") {
                    let what = "a carriage return alone: for some tools it ends the comment, for others it does not";
                    return Err(Problem::new(text, at + length, what));
                }
                at += length;
            }
            '(' => return Ok(Some((at, Token::Open, at + 1))),
            ')' => return Ok(Some((at, Token::Close, at + 1))),
            '|' => {
                let Some(length) = rest[1..].find('|') else {
                    return Err(Problem::new(text, at, "this `|` has no partner"));
                };
                let name = &rest[1..=length];
                if !is_name(name) || is_word(name) || name.contains('\\') {
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
            space if is_space(space) || space == '\u{feff}' && at == 0 => at += space.len_utf8(),
            _ => {
                let ends = |c: char| is_space(c) || matches!(c, '(' | ')' | ';' | '|' | '"');
                let length = rest.find(ends).unwrap_or(rest.len());
                let atom = &rest[..length];
                let name = atom.strip_prefix([':', '#']).unwrap_or(atom);
                if let Some((inside, wrong)) = name.char_indices().find(|&(_, c)| !is_simple(c)) {
                    let what = format!(
                        "`{wrong}` stands in no symbol; names with other characters are written in bars, `|so|`"
                    );
                    return Err(Problem::new(text, at + (length - name.len()) + inside, what));
                }
                if atom.starts_with('#') && !is_bits(name) {
                    return Err(Problem::new(text, at, format!("`{atom}` is no symbol")));
                }
                return Ok(Some((at, Token::Atom(atom), at + length)));
            }
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// True if symbols without bars can have it.
pub fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}

/// True if this is a number of bits, behind `#`.
fn is_bits(text: &str) -> bool {
    let digits = |radix| text[1..].chars().all(|c| c.is_digit(radix));
    text.len() > 1 && (text.starts_with('b') && digits(2) || text.starts_with('x') && digits(16))
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
        assert_eq!(problem("a |b"), "at character 3: this `|` has no partner");
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
        for name in ["", "5", "-5", ":a", "#b1", "a\\b", "let", "assert"] {
            let expected = format!("at character 2: `|{name}|` cannot be used as a name; give this another one");
            assert_eq!(problem(&format!("(|{name}|)")), expected);
        }
    }

    #[test]
    fn what_tools_read_in_different_ways_is_refused() {
        let comment = "a carriage return alone: for some tools it ends the comment, for others it does not";
        assert_eq!(problem("; a\r(b)\n"), format!("at character 4: {comment}"));
        assert_eq!(problem("a ; b\r"), format!("at character 6: {comment}"));
        assert_eq!(Expressions::read("; a\r\n(b)\rc").expect("well formed").roots().len(), 2);
        for (text, character) in
            [("a ; \0\n", "0000"), ("|a\u{7f}|", "007F"), ("\"\u{85}\"", "0085"), ("\u{b}", "000B")]
        {
            assert!(
                problem(text).ends_with(&format!("the character U+{character} cannot be part of a text")),
                "{text:?}"
            );
        }
        assert_eq!(problem("#| a |#"), "at character 1: `#` is no symbol");
        assert_eq!(problem("(#b12)"), "at character 2: `#b12` is no symbol");
        let other = "stands in no symbol; names with other characters are written in bars, `|so|`";
        assert_eq!(problem("(a\u{a0}b)"), format!("at character 3: `\u{a0}` {other}"));
        assert_eq!(problem("(:a,b)"), format!("at character 4: `,` {other}"));
        assert_eq!(Expressions::read("#b01 #xaF :b |ä,| a'").map_err(|problem| problem.at).unwrap_err(), 20);
    }

    #[test]
    fn texts_without_annotations() {
        let expressions =
            Expressions::read("(a (! (b (! c :named d)) :note (x y) :named |! z|) (! e) f)").expect("well formed");
        assert_eq!(expressions.unannotated(expressions.roots()[0]), "(a (b c) e f)");
        let expressions = Expressions::read("(a (b  c) ; d\n!)").expect("well formed");
        assert_eq!(expressions.unannotated(expressions.roots()[0]), "(a (b  c) ; d\n!)");
    }

    #[test]
    fn depth_is_no_problem() {
        let text = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(Expressions::read(&text).expect("balanced").roots().len(), 1);
    }
}
