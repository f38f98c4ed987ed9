//! The kinds of files that the tool writes, and how to tell: a file is replaced by a new one of its kind only.

/// A kind of file that the tool writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `--html`
    Page,
    /// `--junit`
    Junit,
    /// `--csv`
    Table,
    /// A picture, as SVG or TikZ.
    Picture,
    /// A counterexample for people: as text, as Markdown, for Mermaid.
    Chart,
    /// A run, as our JSON or as ITF.
    Trace,
    /// A certificate, or one of its queries.
    Certificate,
    /// The output of `export`, and graphs for dot.
    Export,
    /// A model with a strategy built in, or the table of a strategy.
    Strategy,
}

impl Kind {
    /// The number of bytes that tell.
    pub const TELLING: u64 = 4096;

    /// True if a file that begins like this is of the kind. One without any content is of every kind.
    pub fn fits(self, head: &str) -> bool {
        let begins = |with: &[&str]| with.iter().any(|start| head.starts_with(start));
        // Records contain traces: only the first fields tell.
        let dense: String = head.split_whitespace().collect();
        let is_document = |with: &str| dense.starts_with(with);
        let is_ours = match self {
            Kind::Page => head.contains("<title>rcheck-smt: results</title>"),
            Kind::Junit => head.contains("<testsuites name=\"rcheck-smt\""),
            Kind::Table => begins(&["model,"]),
            Kind::Picture => begins(&["<svg class=\"picture\"", "% A picture by rcheck-smt"]),
            Kind::Chart => begins(&["spec ", "### `spec ", "sequenceDiagram", "  0  initial state"]),
            Kind::Trace => {
                is_document("{\"format\":\"rcheck-smttrace\"") || is_document("{\"#meta\":{\"format\":\"ITF\"")
            }
            Kind::Certificate => is_document("{\"format\":\"rcheck-smtcertificate") || begins(&["; rcheck-smt "]),
            Kind::Export => {
                begins(&["digraph ", "-- written by rcheck-smt ", "; written by rcheck-smt "])
                    || is_document("{\"format\":\"rcheck-smtsystem\"")
            }
            Kind::Strategy => {
                begins(&["// written by rcheck-smt "]) || is_document("{\"format\":\"rcheck-smtstrategy\"")
            }
        };
        is_ours || head.trim().is_empty()
    }

    /// In words, without an article.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Page => "page of results",
            Kind::Junit => "JUnit file of this tool",
            Kind::Table => "table of results",
            Kind::Picture => "picture of this tool",
            Kind::Chart => "chart of this tool",
            Kind::Trace => "trace",
            Kind::Certificate => "certificate",
            Kind::Export => "export of this tool",
            Kind::Strategy => "strategy of this tool",
        }
    }
}
