//! Braces around agents, as other languages have them: reported once, and left out.

use super::around::{at, before};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::syntax::findings::add;
use crate::syntax::token::{Spanned, Token};

/// The tokens of a file without the braces of `agent A { .. }`.
pub fn remove<'s>(tokens: Vec<Spanned<'s>>, diagnostics: &mut Diagnostics) -> Vec<Spanned<'s>> {
    let mut is_open = false;
    let mut result = Vec::with_capacity(tokens.len());
    for (index, &(token, span)) in tokens.iter().enumerate() {
        if opens_agent(&tokens, index) {
            is_open = true;
            let diagnostic = Diagnostic::new(Code::UnexpectedToken, span, "an agent stands without braces");
            add(diagnostics, diagnostic.label("opened here").help("remove this brace and the one behind the agent"));
        } else if is_open && token == Token::CloseBrace && ends_agent(at(&tokens, index + 1)) {
            is_open = false;
        } else {
            result.push((token, span));
        }
    }
    result
}

fn opens_agent(tokens: &[Spanned], index: usize) -> bool {
    let named = matches!(before(tokens, index), Some(Token::Ident(_)));
    at(tokens, index) == Some(Token::OpenBrace) && named && index > 1 && tokens[index - 2].0 == Token::Agent
}

/// True if no guard can be closed in front of a token.
fn ends_agent(next: Option<Token>) -> bool {
    matches!(next, None | Some(Token::Agent | Token::System))
}
