//! `rcheck-smt explain`: the pages of the book about the codes of findings.

use crate::cli::io::out::{paragraphs, print};
use crate::cli::status::Status;
use crate::diag::Code;
use crate::diag::nearest::all_nearest;
use crate::escape::visible;
use anyhow::{Result, anyhow};
use clap::Args;

pub const EXPLAIN_EXIT_CODES: &str = "\
Exit codes:
  0  the page was printed, or the list
  2  there is no such code";

#[derive(Debug, Args)]
pub struct Explain {
    /// The code, as in `E0205`; without it, all codes are listed.
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Prints the page of a code, or what there is.
pub fn run(command: &Explain) -> Result<Status> {
    match &command.code {
        None => {
            let lines: String =
                Code::ALL.iter().map(|code| format!("{}  {}\n", code.as_str(), code.meaning())).collect();
            print(lines + "\n`rcheck-smt explain CODE` shows an example of each, and how to fix it.\n");
        }
        Some(asked) => {
            let found = Code::ALL.iter().find(|code| code.as_str().eq_ignore_ascii_case(asked));
            let code = found.ok_or_else(|| unknown(asked))?;
            print(paragraphs(plain(code.page()).as_bytes()));
        }
    }
    Ok(Status::Clear)
}

fn unknown(asked: &str) -> anyhow::Error {
    let near = all_nearest(asked, Code::ALL.iter().map(|code| code.as_str()));
    let hint = match near.is_empty() {
        true => "`rcheck-smt explain` lists all of them".to_owned(),
        false => format!("did you mean {}?", near.join(", ")),
    };
    anyhow!("there is no code `{}`; {hint}", visible(asked))
}

/// A page without the marks of Markdown: models are indented, links are their text.
fn plain(page: &str) -> String {
    let (mut text, mut is_model) = (String::new(), false);
    for line in page.lines() {
        if line.starts_with("```") {
            is_model = !is_model;
        } else if is_model && !line.is_empty() {
            text += &format!("    {line}\n");
        } else {
            text += &without_links(line.trim_start_matches("# "));
            text.push('\n');
        }
    }
    text
}

/// `[text](target)` as `text`.
fn without_links(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, target)) = rest.split_once("](") {
        let (ahead, name) = before.rsplit_once('[').unwrap_or((before, ""));
        text += &format!("{ahead}{name}");
        rest = target.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_plain_text_on_a_terminal() {
        let page = "# E1: a title\n\nSee [this](a.md) and [that](b.md#c).\n\n```rcp\nagent A\n\n    init: true\n```\n";
        let expected = "E1: a title\n\nSee this and that.\n\n    agent A\n\n        init: true\n";
        assert_eq!(plain(page), expected);
        for code in Code::ALL {
            let text = plain(code.page());
            assert!(text.starts_with(&format!("{}: ", code.as_str())), "{text}");
            assert!(!text.contains("](") && !text.contains("```"), "{text}");
        }
    }
}
