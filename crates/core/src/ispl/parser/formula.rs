//! Formulas of CTL, LTL, CTL* and ATL, with knowledge.

use super::super::ast::{Formula, FormulaKind, GroupKnowledge, Ident, Item, Logic, Temporal};
use super::super::token::Token;
use super::{MAX_DEPTH, Parser, Read};
use crate::diag::nearest::nearest;

/// The tokens that can stand behind a formula.
const END_OF_FORMULA: &str = "`and`, `or`, `->` or the end of the formula";

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
        self.logic = logic;
        let formula = self.formula()?;
        Ok(Item { logic, formula, span: self.since(start) })
    }

    /// A formula.
    pub fn formula(&mut self) -> Read<Formula> {
        let start = self.at;
        let left = self.disjoined()?;
        let operator = self.token();
        if !matches!(operator, Token::Implies | Token::Iff) {
            return Ok(left);
        }
        self.arrow();
        let (left, right) = (Box::new(left), Box::new(self.nested(Self::formula)?));
        let kind = match operator {
            Token::Implies => FormulaKind::Implies(left, right),
            _ => FormulaKind::Iff(left, right),
        };
        Ok(Formula { kind, span: self.since(start) })
    }

    /// A formula in parentheses, which ends before a `U` outside of further ones or contains it.
    fn whole(&mut self, stops_at_until: bool) -> Read<Formula> {
        let around = std::mem::replace(&mut self.stops_at_until, stops_at_until);
        let formula = self.formula();
        self.stops_at_until = around;
        formula
    }

    fn disjoined(&mut self) -> Read<Formula> {
        let any = |list, span| Formula { kind: FormulaKind::Or(list), span };
        let all = |list, span| Formula { kind: FormulaKind::And(list), span };
        self.chain("or", false, |parser| parser.chain("and", false, Self::until, all), any)
    }

    /// `f U g U h` is `(f U g) U h`.
    fn until(&mut self) -> Read<Formula> {
        let start = self.at;
        let mut left = self.prefixed()?;
        let mut operands = 1;
        while !self.stops_at_until && self.is_word("U") {
            operands += 1;
            if operands > MAX_DEPTH {
                return Err(self.too_deep());
            }
            self.advance();
            let right = self.prefixed()?;
            left = Formula { kind: FormulaKind::Until(Box::new(left), Box::new(right)), span: self.since(start) };
        }
        Ok(left)
    }

    /// Behind `!`: in formulas about runs, `!f U g` is `!(f U g)`.
    fn negated(&mut self) -> Read<Formula> {
        match self.logic {
            Logic::Ctl => self.prefixed(),
            Logic::Ltl | Logic::CtlStar => self.nested(Self::until),
        }
    }

    /// Behind `A` and `E`: in CTL, parentheses with one `U` between formulas of any form, as in `A(f U g or h)`.
    fn quantified(&mut self) -> Read<Formula> {
        if self.logic != Logic::Ctl || self.token() != Token::Open {
            return self.prefixed();
        }
        self.nested(|parser| {
            let start = parser.at;
            parser.parenthesis();
            let left = parser.whole(true)?;
            let kind = match parser.eat_word("U") {
                true => FormulaKind::Until(Box::new(left), Box::new(parser.whole(true)?)),
                false => left.kind,
            };
            parser.closed(start)?;
            Ok(Formula { kind, span: parser.since(start) })
        })
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
            Token::Not | Token::BitNot => {
                if self.token() == Token::BitNot {
                    self.not_ours(self.span(), "in formulas, negation is written `!`");
                }
                self.advance();
                Ok(FormulaKind::Not(Box::new(self.negated()?)))
            }
            Token::OpenSquare if self.ahead(1) == Token::CloseSquare => {
                let kind = self.box_or_diamond(0)?;
                let inner = Formula { kind, span: self.since(start) };
                Ok(FormulaKind::Path(true, Box::new(inner)))
            }
            Token::Open | Token::OpenSquare => {
                self.parenthesis();
                let inner = self.whole(false)?;
                self.closed(start)?;
                Ok(inner.kind)
            }
            Token::Less => {
                self.advance();
                let group = self.ident("the name of a group")?;
                self.expect(Token::Greater, ">")?;
                Ok(FormulaKind::Strategy(group, Box::new(self.quantified()?)))
            }
            Token::Word if self.negates() => Ok(FormulaKind::Not(Box::new(self.prefixed()?))),
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
        let is_name = self.keywords.iter().any(|name| name == text) && !self.begins_formula(1);
        match text {
            _ if is_name => self.proposition(),
            "X" | "F" | "G" => {
                self.advance();
                Ok(FormulaKind::Temporal(temporal(text.as_bytes()[0]), Box::new(self.prefixed()?)))
            }
            "A" | "E"
                if self.ahead(1) == Token::Unequal
                    || self.ahead(1) == Token::OpenSquare && self.ahead(2) == Token::CloseSquare =>
            {
                let start = self.at;
                let kind = self.box_or_diamond(1)?;
                let inner = Formula { kind, span: self.since(start) };
                Ok(FormulaKind::Path(text == "A", Box::new(inner)))
            }
            "A" | "E" => {
                self.advance();
                Ok(FormulaKind::Path(text == "A", Box::new(self.quantified()?)))
            }
            "AX" | "AF" | "AG" | "EX" | "EF" | "EG" => {
                let start = self.at;
                self.advance();
                let kind = FormulaKind::Temporal(temporal(text.as_bytes()[1]), Box::new(self.prefixed()?));
                let inner = Formula { kind, span: self.since(start) };
                Ok(FormulaKind::Path(text.starts_with('A'), Box::new(inner)))
            }
            "K" if begins => self.known(GroupKnowledge::Own, "the name of an agent"),
            "O" if begins => self.known(GroupKnowledge::Obliged, "the name of an agent"),
            "GK" if begins => self.known(GroupKnowledge::Everybody, "the name of a group"),
            "GCK" if begins => self.known(GroupKnowledge::Common, "the name of a group"),
            "DK" if begins => self.known(GroupKnowledge::Distributed, "the name of a group"),
            "and" | "or" | "U" | "if" => Err(self.unexpected("a formula")),
            _ => self.proposition(),
        }
    }

    /// `[] f`, `A[] f`, `E<> f`, which are not our notation, from the sign on that stands so many tokens ahead.
    fn box_or_diamond(&mut self, by: usize) -> Read<FormulaKind> {
        let start = self.at;
        let is_box = self.ahead(by) == Token::OpenSquare;
        (0..by + if is_box { 2 } else { 1 }).for_each(|_| self.advance());
        let place = self.since(start);
        let path = if self.source.slice(place).starts_with('E') { 'E' } else { 'A' };
        let help = format!("write `{path}{} f`", if is_box { 'G' } else { 'F' });
        self.not_ours(place, help);
        let operator = if is_box { Temporal::Globally } else { Temporal::Finally };
        Ok(FormulaKind::Temporal(operator, Box::new(self.prefixed()?)))
    }

    fn known(&mut self, known: GroupKnowledge, whose: &str) -> Read<FormulaKind> {
        self.advance();
        let open = self.at;
        self.expect(Token::Open, "(")?;
        let who: Ident = self.ident(whose)?;
        self.expect(Token::Comma, ",")?;
        let body = self.whole(false)?;
        self.closed(open)?;
        Ok(FormulaKind::Knows(known, who, Box::new(body)))
    }

    fn proposition(&mut self) -> Read<FormulaKind> {
        let first = self.ident("a proposition")?;
        let second = match self.eat(Token::Dot) || self.reads(&first) {
            true => Some(self.ident("`RedStates` or `GreenStates`")?),
            false => None,
        };
        let compares = matches!(self.token(), Token::Equal | Token::Unequal | Token::LessEqual | Token::GreaterEqual);
        if compares || matches!(self.token(), Token::Assign | Token::Less | Token::Greater) {
            let help = "formulas speak of propositions: declare one in `Evaluation`, as in `p if Agent.x = 1;`";
            return Err(self.misplaced(END_OF_FORMULA, help));
        }
        if let Some(second) = second {
            return Ok(FormulaKind::Standard(first, second));
        }
        if self.begins_formula(0) && !self.begins_line() {
            const KNOWING: [&str; 5] = ["K", "GK", "GCK", "DK", "O"];
            let finding = self.unexpected_finding(END_OF_FORMULA);
            let knowing = nearest(&first.name, KNOWING).filter(|_| self.token() == Token::Open);
            let temporal = nearest(&first.name, super::OPERATORS);
            let finding = match (knowing, temporal) {
                (Some(meant), _) => finding.help(format!("did you mean `{meant}(..)`?")),
                (None, Some(meant)) => {
                    finding.help(format!("`{}` is no operator; did you mean `{meant}`?", first.name))
                }
                (None, None) if self.token() == Token::Open => finding.help(format!("`{}` is no operator", first.name)),
                _ => finding,
            };
            return Err(self.error(finding));
        }
        Ok(FormulaKind::Proposition(first))
    }

    /// True if an arrow stands for the point between an agent and something of it, as in no implication: the arrow is passed.
    fn reads(&mut self, agent: &Ident) -> bool {
        let is_name = self.propositions.contains(agent.name.as_str());
        if self.token() != Token::Implies || self.ahead(1) != Token::Word || is_name {
            return false;
        }
        let next = self.text_ahead(1);
        if super::super::elaborate::STANDARD.contains(&next) {
            return self.points(agent);
        }
        let reads =
            self.agents.contains(agent.name.as_str()) && !self.propositions.contains(next) && !self.begins_formula(2);
        if reads {
            // The name there is refused, so the arrow needs no report.
            self.advance();
        }
        reads
    }

    /// True if a formula begins at a token.
    fn begins_formula(&self, by: usize) -> bool {
        let word = self.text_ahead(by);
        let joins = ["and", "or", "xor", "implies", "iff"].iter().any(|other| other.eq_ignore_ascii_case(word));
        match self.ahead(by) {
            Token::Word => !joins && !matches!(word, "U" | "if" | "end"),
            token => matches!(token, Token::Not | Token::BitNot | Token::Open | Token::OpenSquare),
        }
    }
}
