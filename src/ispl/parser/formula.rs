//! Formulas of CTL, LTL, CTL* and ATL, with knowledge.

use super::super::ast::{Formula, FormulaKind, Ident, Item, Known, Logic, Temporal};
use super::super::token::Token;
use super::{Parser, Read};
use crate::diag::nearest::nearest;

impl Parser<'_> {
    /// A formula with the logic that it begins with.
    pub fn item(&mut self) -> Read<Item> {
        let start = self.at;
        let logic = if self.eat_word("LTL") {
            Logic::Ltl
        } else if self.is_word("CTL") {
            self.advance();
            if self.eat(Token::Times) { Logic::CtlStar } else { Logic::Ctl }
        } else {
            Logic::Ctl
        };
        let formula = self.formula()?;
        Ok(Item { logic, formula, span: self.since(start) })
    }

    /// A formula.
    pub fn formula(&mut self) -> Read<Formula> {
        self.nested(|parser| {
            let start = parser.at;
            let left = parser.disjunction()?;
            let operator = parser.token();
            if !matches!(operator, Token::Implies | Token::Iff) {
                return Ok(left);
            }
            parser.advance();
            let (left, right) = (Box::new(left), Box::new(parser.formula()?));
            let kind = match operator {
                Token::Implies => FormulaKind::Implies(left, right),
                _ => FormulaKind::Iff(left, right),
            };
            Ok(Formula { kind, span: parser.since(start) })
        })
    }

    fn disjunction(&mut self) -> Read<Formula> {
        let start = self.at;
        let mut list = vec![self.conjunction()?];
        while self.eat_word("or") {
            list.push(self.conjunction()?);
        }
        if list.len() == 1 {
            return Ok(list.remove(0));
        }
        Ok(Formula { kind: FormulaKind::Or(list), span: self.since(start) })
    }

    fn conjunction(&mut self) -> Read<Formula> {
        let start = self.at;
        let mut list = vec![self.until()?];
        while self.eat_word("and") {
            list.push(self.until()?);
        }
        if list.len() == 1 {
            return Ok(list.remove(0));
        }
        Ok(Formula { kind: FormulaKind::And(list), span: self.since(start) })
    }

    fn until(&mut self) -> Read<Formula> {
        let start = self.at;
        let left = self.prefixed()?;
        if !self.eat_word("U") {
            return Ok(left);
        }
        let right = self.nested(Self::until)?;
        Ok(Formula { kind: FormulaKind::Until(Box::new(left), Box::new(right)), span: self.since(start) })
    }

    fn prefixed(&mut self) -> Read<Formula> {
        self.nested(|parser| {
            let start = parser.at;
            let kind = parser.prefix()?;
            Ok(Formula { kind, span: parser.since(start) })
        })
    }

    fn prefix(&mut self) -> Read<FormulaKind> {
        let start = self.at;
        match self.token() {
            Token::Not => {
                self.advance();
                Ok(FormulaKind::Not(Box::new(self.prefixed()?)))
            }
            Token::Open => {
                self.advance();
                let inner = self.formula()?;
                self.closed(start)?;
                Ok(inner.kind)
            }
            Token::Less => {
                self.advance();
                let group = self.ident("the name of a group")?;
                self.expect(Token::Greater, ">")?;
                Ok(FormulaKind::Strategy(group, Box::new(self.prefixed()?)))
            }
            Token::Word => self.word(),
            _ => Err(self.unexpected("a formula")),
        }
    }

    fn word(&mut self) -> Read<FormulaKind> {
        let temporal = |letter: u8| match letter {
            b'X' => Temporal::Next,
            b'F' => Temporal::Finally,
            _ => Temporal::Globally,
        };
        let text = self.text();
        let begins = self.ahead(1) == Token::Open;
        match text {
            "X" | "F" | "G" => {
                self.advance();
                Ok(FormulaKind::Temporal(temporal(text.as_bytes()[0]), Box::new(self.prefixed()?)))
            }
            "A" | "E" => {
                self.advance();
                Ok(FormulaKind::Path(text == "A", Box::new(self.prefixed()?)))
            }
            "AX" | "AF" | "AG" | "EX" | "EF" | "EG" => {
                let start = self.at;
                self.advance();
                let kind = FormulaKind::Temporal(temporal(text.as_bytes()[1]), Box::new(self.prefixed()?));
                let inner = Formula { kind, span: self.since(start) };
                Ok(FormulaKind::Path(text.starts_with('A'), Box::new(inner)))
            }
            "K" if begins => self.known(Known::Own, "the name of an agent"),
            "O" if begins => self.known(Known::Obliged, "the name of an agent"),
            "GK" if begins => self.known(Known::Everybody, "the name of a group"),
            "GCK" if begins => self.known(Known::Common, "the name of a group"),
            "DK" if begins => self.known(Known::Distributed, "the name of a group"),
            "and" | "or" | "U" | "if" | "end" => Err(self.unexpected("a formula")),
            _ => self.proposition(),
        }
    }

    fn known(&mut self, known: Known, whose: &str) -> Read<FormulaKind> {
        self.advance();
        let open = self.at;
        self.expect(Token::Open, "(")?;
        let who: Ident = self.ident(whose)?;
        self.expect(Token::Comma, ",")?;
        let body = self.formula()?;
        self.closed(open)?;
        Ok(FormulaKind::Knows(known, who, Box::new(body)))
    }

    fn proposition(&mut self) -> Read<FormulaKind> {
        let first = self.ident("a proposition")?;
        if self.eat(Token::Dot) {
            let second = self.ident("`RedStates` or `GreenStates`")?;
            return Ok(FormulaKind::Standard(first, second));
        }
        if matches!(self.token(), Token::Equal | Token::Unequal | Token::LessEqual | Token::GreaterEqual) {
            let finding = self.unexpected_finding("`and`, `or`, `->` or the end of the formula");
            return Err(self.error(
                finding.help("formulas speak of propositions: declare one in `Evaluation`, as in `p if Agent.x = 1;`"),
            ));
        }
        if self.token() == Token::Open {
            const OPERATORS: [&str; 5] = ["K", "GK", "GCK", "DK", "O"];
            let finding = self.unexpected_finding("`and`, `or`, `->` or the end of the formula");
            let finding = match nearest(&first.name, OPERATORS) {
                Some(meant) => finding.help(format!("did you mean `{meant}(..)`?")),
                None => finding.help(format!("`{}` is no operator", first.name)),
            };
            return Err(self.error(finding));
        }
        Ok(FormulaKind::Proposition(first))
    }
}
