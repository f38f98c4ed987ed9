//! Something that may be typed, and beginnings of what people write often, with places to fill in as editors know them
//! (`${1:name}`).

use super::index::SymbolKind;
use crate::syntax::ast::Dialect;

/// Something that may be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its name, and what is typed unless there is something else.
    pub label: String,
    /// Its kind.
    pub kind: ProposalKind,
    /// A few words about it.
    pub detail: String,
    /// A snippet to type instead.
    pub insert: Option<String>,
}

/// The kind of a [`Proposal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalKind {
    /// A declared name.
    Name(SymbolKind),
    /// A word or sign of the language.
    Word,
    /// Several of them, with places to fill in.
    Snippet,
}

fn snippet(label: &str, detail: &str, text: &str) -> Proposal {
    Proposal {
        label: label.to_owned(),
        kind: ProposalKind::Snippet,
        detail: detail.to_owned(),
        insert: Some(text.to_owned()),
    }
}

/// A snippet without places to fill in, for editors that know none: `${1:name}` is `name`, `$0` nothing.
pub fn plain(snippet: &str) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, place)) = rest.split_once('$') {
        text.push_str(before);
        rest = match place.strip_prefix('{').and_then(|inside| inside.split_once('}')) {
            Some((inside, behind)) => {
                text.push_str(inside.split_once(':').map_or("", |(_, words)| words));
                behind
            }
            None => place.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        };
    }
    text + rest
}

/// Snippets between agents: declarations, agents, the system and its specs.
pub(super) fn top_level(dialect: Dialect) -> Vec<Proposal> {
    let channels = match dialect {
        Dialect::Modern => snippet("enum channel", "the channels", "enum channel {${1:c}}"),
        Dialect::Classic => snippet("channels", "the channels", "channels: ${1:c}"),
    };
    vec![
        channels,
        snippet("enum", "an enum", "enum ${1:name} {${2:one}, ${3:another}}"),
        snippet("const", "a constant", "const ${1:N} = ${2:3};"),
        snippet("message-structure", "what messages carry", "message-structure: ${1:MSG} : ${2:int}"),
        snippet("property-variables", "what receivers are chosen by", "property-variables: ${1:open} : ${2:bool}"),
        snippet("point-to-point", "which gets meet which supplies", "point-to-point: ${1:paper}"),
        snippet("guard", "a guard", "guard ${1:g}(${2:x} : ${3:int}) := ${4:x > 0};"),
        snippet(
            "agent",
            "an agent type",
            "agent ${1:Name}\n    local: ${2:x} : ${3:bool}\n    init: ${4:!x}\n    receive-guard: ${5:chan = *}\n    repeat: (\n        $0\n    )\n",
        ),
        snippet("system", "the composition", "system = ${1:Type}(${2:name}, ${3:true})"),
        spec(),
        snippet("ASSUME", "an assumption on runs", "ASSUME ${1:forall k : Agent . weak(k)};"),
    ]
}

/// A spec.
pub(super) fn spec() -> Proposal {
    snippet("SPEC", "a spec", "// name: ${1:name}\nSPEC ${2:G (${3:true})};")
}

/// The sections of an agent.
pub(super) fn sections() -> Vec<Proposal> {
    vec![
        snippet("local:", "the local variables", "local: ${1:x} : ${2:bool}"),
        snippet("init:", "the initial condition", "init: ${1:true}"),
        snippet("relabel:", "what property variables mean", "relabel: ${1:pv} <- ${2:e}"),
        snippet("receive-guard:", "the channels that are heard", "receive-guard: ${1:chan = *}"),
        snippet("repeat:", "the behaviour", "repeat: (\n        $0\n    )"),
    ]
}

/// Commands.
pub(super) fn commands(dialect: Dialect) -> Vec<Proposal> {
    let (open, close) = match dialect {
        Dialect::Modern => ("{", "}"),
        Dialect::Classic => ("<", ">"),
    };
    let command = |label: &str, detail: &str, name: &str, action: &str| {
        snippet(label, detail, &format!("${{1:{name}}}: {open}${{2:true}}{close} {action}"))
    };
    vec![
        command("send", "a send", "snd", "${3:*}! (${4:true})(${5:})[${6:}]"),
        command("receive", "a receive", "rcv", "${3:*}? [${4:}]"),
        command("get", "a get", "ask", "GET@(${3:true})(${4:})[${5:}]"),
        command("supply", "a supply", "answer", "SUPPLY@(${3:any})(${4:})[${5:}]"),
        snippet("rep", "a loop without exit", "rep ($0)"),
    ]
}

/// Operators that begin a formula.
pub(super) fn formulas(dialect: Dialect) -> Vec<Proposal> {
    let (possible, necessary) = match dialect {
        Dialect::Modern => (("<<O>>", "<<${1:true}>> ${2:true}"), ("[[O]]", "[[${1:true}]] ${2:true}")),
        Dialect::Classic => (("<O>", "<${1:TRUE}> ${2:TRUE}"), ("[O]", "[${1:TRUE}] ${2:TRUE}")),
    };
    vec![
        snippet("G", "always", "G (${1:true})"),
        snippet("F", "at some time", "F (${1:true})"),
        snippet("X", "at the next position", "X (${1:true})"),
        snippet("forall", "for every instance", "forall ${1:k} : ${2:Agent} . ${3:true}"),
        snippet("exists", "for some instance", "exists ${1:k} : ${2:Agent} . ${3:true}"),
        snippet(possible.0, "such a step now, and then", possible.1),
        snippet(necessary.0, "if such a step now, then", necessary.1),
        snippet("weak", "weak fairness", "weak(${1:k})"),
        snippet("strong", "strong fairness", "strong(${1:k})"),
        snippet("enabled", "some step is possible", "enabled(${1:k})"),
        snippet("K", "knowledge", "K(${1:k}, ${2:true})"),
        snippet("sum", "a sum over instances", "sum ${1:k} : ${2:Agent} . ${3:1}"),
        snippet("count", "how many instances", "count ${1:k} : ${2:Agent} . ${3:true}"),
    ]
}
