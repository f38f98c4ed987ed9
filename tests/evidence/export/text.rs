//! S-expressions: the text of SMT-LIB without its meaning.

/// An S-expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Sexp {
    /// A symbol, a number, a keyword.
    Atom(String),
    /// A list.
    List(Vec<Sexp>),
}

impl Sexp {
    /// The name of an atom.
    pub fn atom(&self) -> &str {
        match self {
            Sexp::Atom(name) => name,
            Sexp::List(_) => panic!("{self:?} is no atom"),
        }
    }

    /// The members of a list.
    pub fn list(&self) -> &[Sexp] {
        match self {
            Sexp::List(members) => members,
            Sexp::Atom(_) => panic!("{self:?} is no list"),
        }
    }

    /// True if it is a list that starts with this name.
    pub fn is(&self, head: &str) -> bool {
        matches!(self, Sexp::List(members) if members.first() == Some(&Sexp::Atom(head.to_owned())))
    }
}

/// All S-expressions of a text.
pub fn parse(text: &str) -> Vec<Sexp> {
    let without_comments: String =
        text.lines().map(|line| line.split(';').next().unwrap_or_default().to_owned() + "\n").collect();
    let spaced = without_comments.replace('(', " ( ").replace(')', " ) ");
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    for token in spaced.split_whitespace() {
        match token {
            "(" => stack.push(Vec::new()),
            ")" => {
                let list = stack.pop().expect("an open list");
                stack.last_mut().expect("balanced parentheses").push(Sexp::List(list));
            }
            atom => stack.last_mut().expect("balanced parentheses").push(Sexp::Atom(atom.to_owned())),
        }
    }
    assert_eq!(stack.len(), 1, "a list is not closed");
    stack.remove(0)
}
