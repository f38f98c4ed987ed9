//! Balanced brackets: missing ones are reported at their openers and put in, superfluous ones are
//! reported and taken out, so that the grammar sees balanced text only.
//!
//! In a process the place where a bracket must have ended is often plain: `;`, or the next command,
//! can stand in the parentheses of a process, but in no guard, data or update.

use super::around::{at, before};
use super::segment::SegmentKind;
use crate::diag::{Code, Diagnostic, Diagnostics, Edit};
use crate::source::Span;
use crate::syntax::findings::add;
use crate::syntax::token::{Bracket, Spanned, Token};

struct Frame {
    bracket: Bracket,
    opener: Span,
    /// Parentheses around a process, not around an expression or data.
    of_process: bool,
    /// The bracket written in place of this one, which was reported.
    written: Option<Bracket>,
}

struct Balancer<'a, 's> {
    kind: SegmentKind,
    stack: Vec<Frame>,
    open: [usize; 6],
    result: Vec<Spanned<'s>>,
    doubtful: Vec<Span>,
    /// True if the last doubtful stretch still goes on.
    in_doubt: bool,
    /// How often it was looked what a wrong bracket closes: each time the rest of the segment is read.
    looks: usize,
    /// True if the segment has ended because the file is cut off: no bracket has to be closed there.
    at_cut: bool,
    diagnostics: &'a mut Diagnostics,
}

/// Balances the brackets of a segment; also tells where what the grammar finds may be a mere
/// consequence: from each wrong bracket to the next command, or else to the end.
pub fn balance<'s>(
    kind: SegmentKind,
    tokens: &[Spanned<'s>],
    is_cut: bool,
    diagnostics: &mut Diagnostics,
) -> (Vec<Spanned<'s>>, Vec<Span>) {
    let result = Vec::with_capacity(tokens.len());
    let mut balancer = Balancer {
        kind,
        stack: Vec::new(),
        open: [0; 6],
        result,
        doubtful: Vec::new(),
        in_doubt: false,
        looks: 0,
        at_cut: false,
        diagnostics,
    };
    for (index, &(token, span)) in tokens.iter().enumerate() {
        if token == Token::Semicolon && balancer.forgive_semicolon(&tokens[index + 1..], span) {
            continue;
        }
        let wrong = balancer.wrong_opener(tokens, index);
        balancer.end_impossible_frames(if wrong { Token::OpenParen } else { token }, at(tokens, index + 1));
        balancer.extend_doubt(token, span);
        if wrong {
            balancer.open(Bracket::Paren, span);
            if let Some(frame) = balancer.stack.last_mut() {
                frame.written = token.opens();
            }
            balancer.result.push((Token::OpenParen, span));
        } else if let Some(bracket) = token.opens() {
            balancer.open(bracket, span);
            balancer.result.push((token, span));
        } else if let Some(bracket) = token.closes() {
            balancer.close(bracket, span, &tokens[index + 1..]);
        } else {
            balancer.result.push((token, span));
        }
    }
    balancer.at_cut = is_cut;
    while balancer.end_unclosed() {}
    (balancer.result, balancer.doubtful)
}

impl Balancer<'_, '_> {
    fn open(&mut self, bracket: Bracket, opener: Span) {
        let last = self.result.last().map(|(token, _)| *token);
        let of_process = self.kind == SegmentKind::Repeat
            && bracket == Bracket::Paren
            && self.stack.last().is_none_or(|frame| frame.of_process)
            && matches!(
                last,
                Some(
                    Token::Repeat
                        | Token::Colon
                        | Token::OpenParen
                        | Token::Semicolon
                        | Token::Plus
                        | Token::Rep
                        // Behind a guard of the whole process.
                        | Token::CloseGuard
                        | Token::CloseBrace
                        // A separator is missing.
                        | Token::CloseBracket
                )
            );
        self.open[bracket as usize] += 1;
        self.stack.push(Frame { bracket, opener, of_process, written: None });
    }

    /// Reports a brace or a square bracket that stands around a process or data, where a parenthesis must. Tells whether it
    /// is one.
    fn wrong_opener(&mut self, tokens: &[Spanned], index: usize) -> bool {
        let (token, span) = tokens[index];
        if self.kind != SegmentKind::Repeat || !matches!(token, Token::OpenBrace | Token::OpenBracket) {
            return false;
        }
        let follows = matches!(before(tokens, index), Some(Token::Colon | Token::Rep));
        let behind = [at(tokens, index + 1), at(tokens, index + 2), at(tokens, index + 3)];
        let begins_step = matches!(
            behind,
            [Some(Token::OpenBrace | Token::OpenGuard | Token::Rep), ..]
                | [Some(Token::Ident(_)), Some(Token::Colon), Some(Token::OpenBrace | Token::OpenGuard)]
        );
        let assigns = matches!(behind, [Some(Token::Ident(_)), Some(Token::Assign), _]);
        let (message, help) = if follows && begins_step {
            ("a process stands in parentheses", "parentheses stand around a process: `repeat: (..)`")
        } else if assigns && token == Token::OpenBrace {
            ("data stand in parentheses", "parentheses stand around data: `(MSG := x)`")
        } else {
            return false;
        };
        add(self.diagnostics, Diagnostic::new(Code::UnbalancedBracket, span, message).label("opened here").help(help));
        true
    }

    /// True if a bracket closes the innermost one, which is of another kind: nothing behind it does, and brackets further
    /// out have their own.
    fn closes_another(&mut self, bracket: Bracket, behind: &[Spanned]) -> bool {
        const MOST: usize = 32;
        let Some(frame) = self.stack.last().filter(|frame| frame.bracket != bracket) else { return false };
        self.looks += 1;
        if self.looks > MOST {
            return false;
        }
        let unmatched = |kind: Bracket| {
            let (mut depth, mut count) = (0usize, 0usize);
            for (token, _) in behind {
                if token.opens() == Some(kind) {
                    depth += 1;
                } else if token.closes() == Some(kind) {
                    (depth, count) = if depth == 0 { (0, count + 1) } else { (depth - 1, count) };
                }
            }
            count
        };
        unmatched(frame.bracket) < self.open[frame.bracket as usize]
            && unmatched(bracket) >= self.open[bracket as usize]
    }

    fn close(&mut self, bracket: Bracket, span: Span, behind: &[Spanned]) {
        if let Some(frame) = self.stack.last()
            && frame.written == Some(bracket)
        {
            self.pop();
            self.result.push((Token::CloseParen, span));
            return;
        }
        if self.closes_another(bracket, behind)
            && let Some(frame) = self.pop()
        {
            let finding = Diagnostic::new(Code::UnbalancedBracket, span, "this bracket closes one of another kind");
            let finding = finding.label("the wrong one").related(frame.opener, "opened here");
            add(self.diagnostics, finding.help(format!("write {}", closing(&frame))));
            self.result.push((frame.bracket.closing(), span));
            return;
        }
        if self.open[bracket as usize] == 0 {
            self.doubt(span);
            add(
                self.diagnostics,
                Diagnostic::new(Code::UnbalancedBracket, span, "this bracket closes nothing")
                    .label("no opening bracket"),
            );
            return;
        }
        while self.stack.last().is_some_and(|frame| frame.bracket != bracket) {
            self.end_unclosed();
        }
        self.pop();
        self.result.push((bracket.closing(), span));
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        self.open[frame.bracket as usize] -= 1;
        Some(frame)
    }

    /// Reports the innermost bracket as unclosed and closes it here.
    fn end_unclosed(&mut self) -> bool {
        let Some(frame) = self.pop() else { return false };
        let end = self.result.last().map_or(frame.opener.end, |(_, span)| span.end) as usize;
        self.result.push((frame.bracket.closing(), Span::new(end, end)));
        if !frame.of_process {
            self.doubt(frame.opener.to(Span::new(end, end)));
        }
        if !self.at_cut {
            add(self.diagnostics, unclosed(&frame));
        }
        true
    }

    /// Ends the brackets that cannot contain the token that comes next.
    fn end_impossible_frames(&mut self, next: Token, after: Option<Token>) {
        while let Some(frame) = self.stack.last() {
            if frame.of_process || !self.cannot_contain(frame.bracket, next, after) {
                break;
            }
            self.end_unclosed();
        }
    }

    fn cannot_contain(&self, bracket: Bracket, next: Token, after: Option<Token>) -> bool {
        match next {
            Token::Semicolon => true,
            Token::Parallel => self.kind == SegmentKind::System,
            _ if self.kind != SegmentKind::Repeat => false,
            Token::OpenBrace | Token::OpenGuard | Token::Rep => true,
            _ if next.partner_action().is_some() => true,
            Token::Question => after == Some(Token::OpenBracket),
            Token::OpenBracket => bracket != Bracket::Square,
            _ => false,
        }
    }

    /// Reports a `;` that stands in brackets by mistake: before the closing one, where it is left out, or between
    /// assignments, where it is read as a comma. Tells whether it is one.
    fn forgive_semicolon(&mut self, behind: &[Spanned], span: Span) -> bool {
        let Some(frame) = self.stack.last().filter(|frame| !frame.of_process) else { return false };
        let mut behind = behind.iter().map(|(token, _)| *token).skip_while(|token| *token == Token::Semicolon);
        let next = behind.next();
        let is_name = matches!(next, Some(Token::Ident(_)));
        let after = behind.next();
        let assigns = is_name && after == Some(Token::Assign);
        let declares = is_name
            && (self.kind == SegmentKind::Enum || self.kind == SegmentKind::Guard && after == Some(Token::Colon))
            || self.kind == SegmentKind::System && frame.bracket == Bracket::Paren && next != Some(Token::CloseParen);
        let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, "no `;` stands between brackets");
        let diagnostic = if next.and_then(Token::closes) == Some(frame.bracket) {
            diagnostic
                .label("too much here")
                .help("leave it out: `;` stands between commands only")
                .fix("leave it out", [Edit::replace(span, "")])
        } else if assigns && matches!(frame.bracket, Bracket::Square | Bracket::Paren) {
            self.result.push((Token::Comma, span));
            diagnostic
                .label("expected `,`")
                .help("commas stand between assignments, `;` between commands")
                .fix("write `,`", [Edit::replace(span, ",")])
        } else if declares {
            self.result.push((Token::Comma, span));
            diagnostic
                .label("expected `,`")
                .help(match self.kind {
                    SegmentKind::System => "commas stand between names and conditions",
                    _ => "commas stand between names",
                })
                .fix("write `,`", [Edit::replace(span, ",")])
        } else {
            return false;
        };
        add(self.diagnostics, diagnostic);
        true
    }

    fn doubt(&mut self, span: Span) {
        self.doubtful.push(span);
        self.in_doubt = true;
    }

    /// A doubtful stretch ends where the next command begins.
    fn extend_doubt(&mut self, next: Token, span: Span) {
        let begins_command = matches!(next, Token::Semicolon | Token::OpenBrace | Token::OpenGuard);
        if self.kind == SegmentKind::Repeat && begins_command {
            self.in_doubt = false;
        }
        if let Some(stretch) = self.doubtful.last_mut().filter(|_| self.in_doubt) {
            stretch.end = span.end;
        }
    }
}

fn closing(frame: &Frame) -> &'static str {
    match frame.bracket {
        Bracket::Paren => "`)`",
        Bracket::Brace => "`}`",
        Bracket::Square => "`]`",
        Bracket::Guard => "`>`",
        Bracket::Possible if frame.opener.end - frame.opener.start == 1 => "`>`",
        Bracket::Possible => "`>>`",
        Bracket::Necessary if frame.opener.end - frame.opener.start == 1 => "`]`",
        Bracket::Necessary => "`]]`",
    }
}

fn unclosed(frame: &Frame) -> Diagnostic {
    Diagnostic::new(Code::UnbalancedBracket, frame.opener, "this bracket is never closed")
        .label("opened here")
        .help(format!("close it with {}", closing(frame)))
}

/// Marks the parentheses around the data of commands: those that begin with an assignment or are empty, and those that
/// `[` follows, unless they are the send guard itself. Without the mark, the data of `c! p ()[]` would be the arguments
/// of a call.
pub fn mark_data(tokens: &mut [Spanned]) {
    let mut openers = Vec::new();
    for index in 0..tokens.len() {
        match tokens[index].0 {
            Token::OpenParen => openers.push(index),
            Token::CloseParen => {
                let Some(opener) = openers.pop() else { continue };
                let assigns = matches!(at(tokens, opener + 1), Some(Token::Ident(_)))
                    && at(tokens, opener + 2) == Some(Token::Assign);
                let is_last = at(tokens, index + 1) == Some(Token::OpenBracket);
                let follows_operand = before(tokens, opener).is_some_and(Token::ends_operand);
                if assigns || is_last && (follows_operand || index == opener + 1) {
                    tokens[opener].0 = Token::OpenData;
                }
            }
            _ => {}
        }
    }
}
