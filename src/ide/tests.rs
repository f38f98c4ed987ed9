//! Answers that editors get at places of small texts; `¦` is the place.

use super::complete::complete;
use super::outline::{OutlineItem, symbols};
use super::{Analysis, depends, hover};
use crate::diag::Code;
use crate::model::Constants;
use crate::source::SourceFile;

const MODERN: &str = "enum channel {line, side}
message-structure: LOAD : int
property-variables: busy : bool
guard small(x : int) := x < 5;
agent Source
    local: sent : int, on : bool
    init: sent = 0
    relabel: busy <- on
    repeat: send: ACTION
system = Source(source, true) || Source(other, on)
";

const CLASSIC: &str = "channels: line, cLink
message-structure: LOAD : int
communication-variables: busy : bool
agent Source
    local: sent : int, link : channel
    init: sent = 0
    relabel: busy <- TRUE
    receive-guard: ch = *
    repeat: send: ACTION
system = Source(source, TRUE)
";

fn analysis(text: &str) -> Analysis {
    Analysis::new(SourceFile::new("m.rcp", text), None, &Constants::new())
}

/// The labels of the items that may be typed at the place.
fn labels(text: &str) -> Vec<String> {
    let place = text.find('¦').expect("there is a place");
    let (_, items) = complete(&analysis(&text.replace('¦', "")), place);
    items.into_iter().map(|item| item.label).collect()
}

#[track_caller]
fn offers(text: &str, some: &[&str], none: &[&str]) {
    let found = labels(text);
    for label in some {
        assert!(found.iter().any(|other| other == label), "no {label} in {found:?}\n{text}");
    }
    for label in none {
        assert!(found.iter().all(|other| other != label), "{label} in {found:?}\n{text}");
    }
}

#[test]
fn brackets_in_commands_change_nothing() {
    for (model, command, some, none) in [
        (MODERN, "{(¦", &["sent", "LOAD", "small"][..], &["send", "rep"][..]),
        (MODERN, "{on & (sent = 1 | (¦", &["sent", "LOAD"], &["send"]),
        (MODERN, "{small(¦", &["sent"], &["send"]),
        (MODERN, "{true} line! (¦", &["busy", "@"], &["send", "LOAD"]),
        (MODERN, "{true} line! (@busy & (¦", &["busy", "@"], &["send", "LOAD"]),
        (MODERN, "{true} line! small(¦", &["sent"], &["LOAD", "send"]),
        (MODERN, "{true} line! (true)(¦", &["LOAD"], &["sent", "send"]),
        (MODERN, "{true} line! (true)(LOAD := (¦", &["sent", "small"], &["LOAD", "send"]),
        (MODERN, "{true} line! (true)(LOAD := small(sent, ¦", &["sent"], &["LOAD", "send"]),
        (MODERN, "{true} line! (true)()[sent := (¦", &["sent", "LOAD"], &["send"]),
        (MODERN, "{true} line! (true)()[sent := (sent + 1), ¦", &["sent"], &["LOAD", "send"]),
        (MODERN, "{true} GET@((¦", &["busy"], &["send"]),
        (MODERN, "({true} *! (true)()[]; (¦", &["send", "rep"], &["LOAD"]),
        (CLASSIC, "<¦", &["sent", "LOAD", "cLink"], &["send"]),
        (CLASSIC, "<link = c¦", &["sent", "cLink"], &["send"]),
        (CLASSIC, "<sent > 5 & ¦", &["sent", "cLink"], &["send"]),
        (CLASSIC, "<(link = ¦", &["sent", "cLink"], &["send"]),
        (CLASSIC, "<sent < 5> ¦", &["*", "GET@", "cLink"], &["send"]),
        (CLASSIC, "<TRUE> line? [¦", &["sent"], &["LOAD", "send"]),
        (CLASSIC, "<TRUE> line? []; back: <¦", &["sent"], &["send"]),
        (CLASSIC, "<sent; back: ¦", &["send"], &["LOAD"]),
    ] {
        let text = model.replace("ACTION", command);
        offers(&text, some, none);
        // The text behind the place does not matter.
        offers(&(text + "SPEC G true;\n"), some, none);
    }
}

#[test]
fn comments_offer_what_belongs_to_them() {
    let model = MODERN.replace("ACTION", "{true} *! (true)()[]");
    for (comment, expected) in [
        ("// expect: ¦", &["holds", "violated", "unknown"][..]),
        ("// name: x, expect: h¦", &["holds", "violated", "unknown"]),
        ("//¦", &["name: ", "expect: "]),
        ("// ¦", &["name: ", "expect: "]),
        ("// some words ¦", &[]),
        ("// some words ¦ and more", &[]),
        ("/* ¦", &[]),
        ("/* words\n and ¦ */", &[]),
        ("/* expect: ¦ */", &[]),
    ] {
        assert_eq!(labels(&format!("{model}{comment}\nSPEC G true;\n")), expected, "{comment}");
    }
    let behind = labels(&format!("{model}// expect: holds\n¦"));
    assert!(behind.contains(&"SPEC".to_owned()), "{behind:?}");
}

#[test]
fn variables_of_quantifiers_are_new_names() {
    let model = MODERN.replace("ACTION", "{true} *! (true)()[]");
    for (spec, expected) in [("SPEC forall ¦", &[][..]), ("SPEC exists k, ¦", &[]), ("SPEC forall k ¦", &[":"])] {
        assert_eq!(labels(&format!("{model}{spec}")), expected, "{spec}");
    }
    offers(&format!("{model}SPEC forall j, k : ¦"), &["Source", "Agent"], &["G"]);
    offers(&format!("{model}SPEC forall j, k : Source . j-¦"), &["sent", "send"], &["G"]);
    offers(&format!("{model}SPEC G ([[exists(¦"), &["busy", "sender"], &[]);
}

#[test]
fn nothing_is_offered_twice() {
    for place in ["local: s¦ent", "sent : ¦int", "init: ¦sent", "busy <- ¦on", "repeat: send: {¦true}", "{true} ¦*!"]
    {
        let text = MODERN.replace("ACTION", "{true} *! (true)()[]").replacen(&place.replace('¦', ""), place, 1);
        let mut found = labels(&text);
        let all = found.len();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), all, "{place}: {found:?}");
    }
}

#[test]
fn hover_shows_all_of_an_instance() {
    for system in ["Source(one, true)", "Source(one, (sent = 0)  )", "Source(one, true )|| Source(two, true)"] {
        let text = format!("{}SPEC G (one-on);\n", MODERN.replace("ACTION", "{true} *! (true)()[]"));
        let text = text.replace("Source(source, true) || Source(other, on)", system);
        let place = text.find("one-on").expect("it is there") as u32;
        let found = hover::hover(&analysis(&text), place).expect("there is something to say");
        let end = system.find(")|").map_or(system.len(), |end| end + 1);
        assert!(found.markdown.contains(&system[..end]), "{}", found.markdown);
    }
}

/// Parents contain their children, and all contain their names.
fn check_nesting(nodes: &[OutlineItem], what: &str) {
    for node in nodes {
        assert_eq!(node.whole.to(node.span), node.whole, "the name of {} in {what}", node.name);
        for child in &node.children {
            assert_eq!(node.whole.to(child.whole), node.whole, "{} in {} in {what}", child.name, node.name);
        }
        check_nesting(&node.children, what);
    }
}

#[test]
fn symbols_of_half_typed_models_are_nested() {
    let bank = include_str!("../../specs/bank.rcp");
    for text in [bank, &CLASSIC.replace("ACTION", "<TRUE> *? []"), &MODERN.replace("ACTION", "{true} *! (true)()[]")] {
        for end in (0..text.len()).step_by(7) {
            check_nesting(&symbols(&analysis(&text[..end])), &format!("the first {end} bytes"));
        }
    }
    check_nesting(&symbols(&analysis(&bank[..679])), "the first 679 bytes");
}

#[test]
fn quick_fixes_of_unused_names_leave_nothing_behind() {
    let model = "message-structure: LOAD : int, COLOUR : int
property-variables: busy : bool, near : bool
agent A
    local: n : int
    init: n = 0 // the first
    relabel: near <- n > 3
    receive-guard: chan = *
    repeat: put: {n < 3} *! (@busy)(LOAD := n)[] + get: {true} *? [n := LOAD]
agent B
    local: m : int
    init: m = 0
    relabel: busy <- m > 0  near <- (m > 1)
    repeat: put: {m < 3} *! (true)(LOAD := m)[]
system = A(a, true) || B(b, true)
"
    .replace("    relabel: near <- n > 3\n", "    relabel: busy <- n > 3\n")
    .replacen("    receive-guard: chan = *\n", "", 1);
    let only = model.replace("busy <- n > 3\n", "near <- n > 3\n");
    for text in [model, only] {
        let mut text = text;
        let mut fixed = 0;
        loop {
            let found = analysis(&text);
            assert!(!found.findings.has_errors(), "{:?}\n{text}", found.findings);
            let unused = found.findings.iter().find(|it| it.code == Code::Unused && !it.fixes.is_empty());
            let Some(unused) = unused else { break };
            text = unused.fixes[0].apply(&text);
            fixed += 1;
        }
        assert_eq!(fixed, 2, "{text}");
        assert!(!text.contains("COLOUR") && !text.contains("near"), "{text}");
    }
}

#[test]
fn what_others_write_is_corrected_by_quick_fixes() {
    let plain = MODERN.replace("ACTION", "{sent < 3} *! (true)()[]") + "SPEC G (source-on & !other-on);\n";
    for (ours, others, codes) in [
        ("sent < 3", "sent ≤ 3", &[Code::UnknownCharacter][..]),
        ("sent < 3", "sent ≥\u{a0}3", &[Code::UnknownCharacter, Code::UnknownCharacter]),
        ("sent < 3", "sent =< 3", &[Code::UnexpectedToken]),
        ("sent < 3", "sent < 3 and on", &[Code::UnexpectedToken]),
        ("sent < 3", "not on", &[Code::UnexpectedToken]),
        ("sent < 3", "¬on", &[Code::UnknownCharacter]),
        ("SPEC G", "SPEC always", &[Code::UnexpectedToken]),
        ("SPEC G", "SPEC ∀k : Source . G", &[Code::UnknownCharacter]),
        ("SPEC G", "SPEC [[busy != true]]", &[Code::UnquantifiedInequality]),
        ("sent : int", "sent : 3..0", &[Code::EmptyRange]),
        ("sent = 0", "sent = 0 // the first\n # the second", &[Code::UnknownCharacter]),
        ("system", "/* the system\nsystem", &[Code::UnclosedComment]),
    ] {
        let mut text = plain.replacen(ours, others, 1);
        assert_ne!(text, plain);
        for code in codes {
            let found = analysis(&text);
            let first = found.findings.iter().find(|it| it.code == *code && !it.fixes.is_empty());
            let first = first.unwrap_or_else(|| panic!("no fix of {code:?}: {:?}\n{text}", found.findings));
            text = first.fixes[0].apply(&text);
        }
        let found = analysis(&text);
        let same = found.findings.iter().any(|it| codes.contains(&it.code));
        assert!(!same && !found.findings.has_errors(), "{:?}\n{text}", found.findings);
    }
    let swapped = analysis(&format!("const LAST = 3;\n{}", plain.replacen("sent : int", "sent : LAST..0", 1)));
    let range = swapped.findings.iter().find(|it| it.code == Code::EmptyRange).expect("it has no value");
    assert!(range.fixes[0].apply(swapped.source.text()).contains("sent : 0..LAST"));
}

#[test]
fn verdicts_depend_on_what_they_are_about() {
    let text = MODERN.replace("ACTION", "{true} *! (true)()[]") + "// name: one, expect: holds\nSPEC G (source-on);\n";
    let keys = |text: &str| {
        let found = analysis(text);
        (depends::system(&found), depends::commands(&found), depends::spec(&found, 0))
    };
    assert_eq!(keys(&text), keys(&text.replace("one, expect: holds", "two, expect: violated").replace('(', " ( ")));
    let idle = |label: &str| {
        text.replace("system =", &format!("agent Idle\n repeat: {label}: {{true}} *! (true)()[]\nsystem ="))
    };
    let (before, after) = (keys(&idle("a")), keys(&idle("b")));
    assert_eq!((&before.0, &before.2), (&after.0, &after.2));
    assert_ne!(before.1, after.1);
}
