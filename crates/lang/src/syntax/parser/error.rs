//! Errors that the grammar reports while it reads: cheap enough to be made at every failed attempt.
//!
//! An error is a place, the token found there, and a set of what was expected, one bit each: merging
//! the errors of alternatives allocates nothing.

use crate::source::Span;
use crate::syntax::token::{Spanned, Token};
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::input::MappedInput;
use chumsky::util::MaybeRef;

/// The tokens of a segment, with their places.
pub type Input<'s> = MappedInput<'s, Token<'s>, Span, &'s [Spanned<'s>]>;

macro_rules! expectations {
    ($($name:ident $words:literal $(= $($token:ident)|+)?,)*) => {
        /// Something that the grammar can expect, the more telling the earlier.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Expect {
            $(#[doc = $words] $name,)*
        }

        impl Expect {
            const ALL: &[Expect] = &[$(Expect::$name),*];

            /// In words, as a part of `expected ..`.
            pub fn words(self) -> &'static str {
                match self {
                    $(Expect::$name => $words,)*
                }
            }

            /// Punctuation as an expectation; words and operators are expected under the names of what they begin.
            pub fn of(token: Token) -> Option<Expect> {
                match token {
                    $($($(Token::$token)|+ => Some(Expect::$name),)?)*
                    _ => None,
                }
            }
        }
    };
}

expectations! {
    Command "a command",
    Guard "a guard (`{..}`, classic `<..>`)",
    Data "the data `(..)`" = OpenData,
    Updates "the updates `[..]`" = OpenBracket,
    Action "an action (`c! ..`, `c? ..`, `GET@ ..` or `SUPPLY@ ..`)",
    Instance "an instance `Type(name, condition)`",
    Declaration "a declaration `name : type`",
    Assignment "an assignment",
    Type "a type",
    AgentType "an agent type",
    Getter "`any`, `myself`, an instance or a variable of type `location`",
    Reading "`tool` or `paper`",
    Expression "an expression",
    Name "a name",
    Member "a local variable or a label",
    CloseParen "`)`" = CloseParen,
    CloseBrace "`}`" = CloseBrace,
    CloseBracket "`]`" = CloseBracket,
    CloseAngle "`>`" = CloseGuard,
    CloseObservation "the end of the observation" = ClosePossible | CloseNecessary,
    OpenParen "`(`" = OpenParen,
    OpenBrace "`{`" = OpenBrace,
    Then "`then`" = Then,
    Else "`else`" = Else,
    Assign "`:=`" = Assign,
    LeftArrow "`<-`" = LeftArrow,
    Equal "`=`" = Equal,
    Colon "`:`" = Colon,
    Comma "`,`" = Comma,
    Semicolon "`;`" = Semicolon,
    Plus "`+`" = Plus,
    Parallel "`||`" = Parallel,
    Dot "`.`" = Dot,
    DotDot "`..`" = DotDot,
    Send "`!`" = Not,
    Receive "`?`" = Question,
    Operator "an operator",
    End "the end",
}

/// A set of [`Expect`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected(u64);

impl Expected {
    /// True if something is in the set.
    pub fn contains(self, what: Expect) -> bool {
        self.0 & (1 << what as u8) != 0
    }

    /// The members, the more telling the earlier.
    pub fn iter(self) -> impl Iterator<Item = Expect> {
        Expect::ALL.iter().copied().filter(move |what| self.contains(*what))
    }
}

impl FromIterator<Expect> for Expected {
    fn from_iter<T: IntoIterator<Item = Expect>>(iter: T) -> Expected {
        Expected(iter.into_iter().fold(0, |set, what| set | 1 << what as u8))
    }
}

/// Something else was expected.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxError<'s> {
    /// The place of what was found; empty at the end of the segment.
    pub span: Span,
    /// The token that was found, if the segment had not ended.
    pub found: Option<Token<'s>>,
    /// The alternatives that could have stood there.
    pub expected: Expected,
}

impl<'s> Error<'s, Input<'s>> for SyntaxError<'s> {
    fn merge(self, other: SyntaxError<'s>) -> SyntaxError<'s> {
        SyntaxError { expected: Expected(self.expected.0 | other.expected.0), ..self }
    }
}

impl<'s> LabelError<'s, Input<'s>, Expect> for SyntaxError<'s> {
    fn expected_found<T: IntoIterator<Item = Expect>>(
        expected: T,
        found: Option<MaybeRef<'s, Token<'s>>>,
        span: Span,
    ) -> SyntaxError<'s> {
        SyntaxError { span, found: found.map(MaybeRef::into_inner), expected: expected.into_iter().collect() }
    }

    fn label_with(&mut self, label: Expect) {
        self.expected = Expected::from_iter([label]);
    }
}

impl<'s> LabelError<'s, Input<'s>, DefaultExpected<'s, Token<'s>>> for SyntaxError<'s> {
    fn expected_found<T: IntoIterator<Item = DefaultExpected<'s, Token<'s>>>>(
        expected: T,
        found: Option<MaybeRef<'s, Token<'s>>>,
        span: Span,
    ) -> SyntaxError<'s> {
        let ends = |pattern| matches!(pattern, DefaultExpected::EndOfInput);
        let expected = expected.into_iter().any(ends).then_some(Expect::End);
        SyntaxError { span, found: found.map(MaybeRef::into_inner), expected: expected.into_iter().collect() }
    }
}
