//! The front end on whole files: what it reports (snapshots), where, and what formatting keeps.

use rcheck_smt::diag::render::{Look, render};
use rcheck_smt::source::{SourceFile, Span};
use rcheck_smt::syntax::ast::{Dialect, Expr, Process, ProcessKind};
use rcheck_smt::syntax::{self, Parsed, pretty, walk};
use std::path::Path;

/// The files of a folder below `tests/fixtures/syntax`, by name.
fn fixtures(folder: &str) -> Vec<SourceFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/syntax").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rcp"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no fixtures", folder.display());
    let read = |path: &Path| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        SourceFile::new(name, std::fs::read_to_string(path).expect("it is readable"))
    };
    files.iter().map(|path| read(path)).collect()
}

fn all_fixtures() -> Vec<SourceFile> {
    fixtures("rejected").into_iter().chain(fixtures("accepted")).collect()
}

fn rendered(source: &SourceFile, parsed: &Parsed) -> String {
    let mut out = Vec::new();
    render(source, &parsed.diagnostics, Look::default(), &mut out).expect("writing to memory");
    let text = String::from_utf8(out).expect("text");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn diagnostics_are_as_recorded() {
    for source in all_fixtures() {
        let parsed = syntax::parse(&source, None);
        insta::assert_snapshot!(format!("diagnostics_{}", source.name()), rendered(&source, &parsed));
    }
}

#[test]
fn rejected_files_have_errors_and_accepted_ones_have_none() {
    for (folder, expected) in [("rejected", true), ("accepted", false)] {
        for source in fixtures(folder) {
            let parsed = syntax::parse(&source, None);
            assert_eq!(parsed.diagnostics.has_errors(), expected, "{}", source.name());
        }
    }
}

fn assert_inside(inner: Span, outer: Span, what: &str) {
    assert!(outer.start <= inner.start && inner.end <= outer.end, "{what}: {inner:?} is not inside {outer:?}");
}

fn check_expr(expr: &Expr, source: &SourceFile) {
    assert!(expr.span.start <= expr.span.end && expr.span.end as usize <= source.text().len());
    let parts = expr.kind.parts();
    for part in &parts {
        assert_inside(part.span, expr.span, source.slice(expr.span));
        check_expr(part, source);
    }
    assert!(parts.is_sorted_by_key(|part| part.span.start), "parts come in order: {}", source.slice(expr.span));
}

fn check_process(process: &Process, source: &SourceFile) {
    match &process.kind {
        ProcessKind::Error => {}
        ProcessKind::Command(command) => {
            assert_inside(command.span, process.span, "command");
            walk::command_expressions(command, &mut |expr| {
                assert_inside(expr.span, command.span, "expression of a command");
                check_expr(expr, source);
            });
        }
        ProcessKind::Rep(body) => {
            assert_inside(body.span, process.span, "rep");
            check_process(body, source);
        }
        ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
            assert_inside(left.span, process.span, "left");
            assert_inside(right.span, process.span, "right");
            assert!(left.span.end <= right.span.start);
            check_process(left, source);
            check_process(right, source);
        }
    }
}

#[test]
fn places_nest() {
    for source in all_fixtures() {
        let parsed = syntax::parse(&source, None);
        walk::expressions(&parsed.model, &mut |expr| check_expr(expr, &source));
        parsed.model.agents.iter().for_each(|agent| check_process(&agent.process, &source));
        parsed.model.specs.iter().for_each(|spec| assert_inside(spec.formula.span, spec.span, "spec"));
        for diagnostic in parsed.diagnostics.iter() {
            let whole = Span::new(0, source.text().len());
            assert_inside(diagnostic.span, whole, &diagnostic.message);
            diagnostic.related.iter().for_each(|label| assert_inside(label.span, whole, &label.message));
        }
    }
}

#[test]
fn formatting_keeps_the_model_and_settles_at_once() {
    for source in fixtures("accepted") {
        let parsed = syntax::parse(&source, None);
        let text = pretty::format(&source, &parsed);
        let formatted = SourceFile::new(source.name(), text.clone());
        let again = syntax::parse(&formatted, None);
        assert!(again.diagnostics.iter().all(|d| d.code.as_str() == "W0401"), "{text}\n{:?}", again.diagnostics);
        let mut expected = parsed.model.clone();
        expected.dialect = Dialect::Modern;
        assert!(again.model == expected, "{text}");
        assert_eq!(pretty::format(&formatted, &again), text);
        assert_eq!(comment_texts(&formatted, &again), comment_texts(&source, &parsed), "{text}");
    }
}

/// The comments in any order: those within an item move before it.
fn comment_texts(source: &SourceFile, parsed: &Parsed) -> Vec<String> {
    let mut texts: Vec<String> = parsed.comments.iter().map(|c| source.slice(c.span).to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn formatted_files_are_as_recorded() {
    for source in fixtures("accepted") {
        let parsed = syntax::parse(&source, None);
        insta::assert_snapshot!(format!("formatted_{}", source.name()), pretty::format(&source, &parsed));
    }
}

#[test]
fn directives_name_specs_and_prose_does_not() {
    let text = "system = A(a, true)\n\
        // name: first, expect: holds\nSPEC a-x\n\
        // About the second:\n// name: second\n// expect: violated\nSPEC a-y // why\n\
        SPEC a-z; // name: third\n\
        // We expect: nothing\nSPEC a-u\n\
        // expect: the worst\n\
        \n// name: lost\n\nSPEC a-v\n// expect: holds";
    let source = SourceFile::new("m", text);
    let parsed = syntax::parse(&source, None);
    let text_of = |ident: &Option<syntax::ast::Ident>| ident.as_ref().map(|ident| source.slice(ident.span).to_owned());
    let found: Vec<_> = parsed.model.specs.iter().map(|spec| (text_of(&spec.name), text_of(&spec.expect))).collect();
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        (some("first"), some("holds")),
        (some("second"), some("violated")),
        (some("third"), None),
        (None, None),
        (None, None),
    ];
    assert_eq!(found, expected);
    let stray: Vec<_> = parsed.diagnostics.iter().map(|d| (d.code.as_str(), source.slice(d.span))).collect();
    assert_eq!(stray, [("E0109", "the worst"), ("W0401", "// name: lost"), ("W0401", "// expect: holds")]);
}

#[test]
fn the_dialect_shows_in_the_file_or_is_forced() {
    let dialect = |text: &str, forced| syntax::parse(&SourceFile::new("m", text), forced).model.dialect;
    assert_eq!(dialect("channels: a", None), Dialect::Classic);
    assert_eq!(dialect("enum e {x}\nchannels: a", None), Dialect::Classic);
    assert_eq!(dialect("message-structure: channels : int", None), Dialect::Modern);
    assert_eq!(dialect("message-structure: v : int, channels : int", None), Dialect::Modern);
    assert_eq!(dialect("enum channel {a}", None), Dialect::Modern);
    assert_eq!(dialect("channels: a", Some(Dialect::Modern)), Dialect::Modern);
}

#[test]
fn spellings_of_classic_files_are_translated() {
    let formatted = |text: &str| {
        let source = SourceFile::new("m", text);
        pretty::format(&source, &syntax::parse(&source, None))
    };
    let classic = "channels: c\nagent A init: ch = * repeat: a: <channel = c> *? []\n\
        system = A(k, TRUE)\nSPEC k-name = k;\nSPEC k-x;";
    let text = formatted(classic);
    assert!(text.contains("init: chan = *") && text.contains("{chan = c} *? []"), "{text}");
    assert!(text.contains("SPEC k-myself = k;") && text.contains("SPEC k-x;"), "{text}");
    let declared = classic.replace("agent A", "agent A local: ch : channel, name : int");
    let text = formatted(&declared);
    assert!(text.contains("init: ch = *") && text.contains("SPEC k-name = k;"), "{text}");
}
