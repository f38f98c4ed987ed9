//! Grouping of operators and processes in both dialects (`docs/language.md#precedence`, `docs/language.md#processes`): each text must mean
//! what its fully parenthesised version means, and warn where the other dialect disagrees.

use rcheck_smt::diag::{Code, Diagnostics};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::ast::{Action, BinaryOp, Dialect, Expr, ExprKind, Modality, Process, ProcessKind};
use rcheck_smt::syntax::{self, Parsed};

const MODERN: Dialect = Dialect::Modern;
const CLASSIC: Dialect = Dialect::Classic;

fn parse(text: &str, dialect: Dialect) -> Parsed {
    syntax::parse(&SourceFile::new("m", text), Some(dialect))
}

fn spec(formula: &str, dialect: Dialect) -> (Expr, Diagnostics) {
    let parsed = parse(&format!("system = A(k, true) || A(m, true)\nSPEC {formula}"), dialect);
    assert!(!parsed.diagnostics.has_errors(), "{formula}: {:?}", parsed.diagnostics);
    (parsed.model.specs[0].formula.clone(), parsed.diagnostics)
}

fn process(text: &str, dialect: Dialect) -> (Process, Diagnostics) {
    let parsed = parse(&format!("agent A repeat: {text}\nsystem = A(k, true)"), dialect);
    let errors = parsed.diagnostics.iter().filter(|d| d.code.as_str().starts_with('E') && d.code != Code::WrongDialect);
    assert_eq!(errors.count(), 0, "{text}: {:?}", parsed.diagnostics);
    (parsed.model.agents[0].process.clone(), parsed.diagnostics)
}

fn count(diagnostics: &Diagnostics, code: Code) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.code == code).count()
}

/// Checks that a formula means its parenthesised version, which itself is beyond doubt.
fn means(dialect: Dialect, formula: &str, parenthesised: &str, warnings: usize) {
    let (ours, diagnostics) = spec(formula, dialect);
    let (expected, none) = spec(parenthesised, dialect);
    assert_eq!(ours, expected, "{dialect:?}: {formula}");
    assert_eq!(count(&diagnostics, Code::AmbiguousGrouping), warnings, "{dialect:?}: {formula}: {diagnostics:?}");
    assert_eq!(count(&none, Code::AmbiguousGrouping), 0, "{dialect:?}: {parenthesised}");
    assert_eq!(ours, spec(parenthesised, other(dialect)).0, "{parenthesised}");
}

fn other(dialect: Dialect) -> Dialect {
    if dialect == MODERN { CLASSIC } else { MODERN }
}

#[test]
fn modern_connectives_are_one_level_to_the_left() {
    means(MODERN, "a | b & c", "(a | b) & c", 1);
    means(MODERN, "a -> b -> c", "(a -> b) -> c", 1);
    means(MODERN, "a U b & c", "(a U b) & c", 0);
    means(MODERN, "a & b U c", "(a & b) U c", 1);
    means(MODERN, "a <-> b -> c", "(a <-> b) -> c", 1);
    means(MODERN, "a & b & c", "(a & b) & c", 0);
    means(MODERN, "a & b | c", "(a & b) | c", 0);
}

#[test]
fn modern_temporal_operators_take_everything_to_their_right() {
    means(MODERN, "G a -> b", "G (a -> b)", 1);
    means(MODERN, "F a & F b", "F (a & (F b))", 1);
    means(MODERN, "a & F b", "a & (F b)", 0);
    means(MODERN, "X X a = 1", "X (X (a = 1))", 0);
    means(MODERN, "<<p2p>> a & b", "<<p2p>> (a & b)", 1);
    means(MODERN, "[[p2p]] a -> b", "[[p2p]] (a -> b)", 1);
    means(MODERN, "!F a & b", "!(F (a & b))", 1);
}

#[test]
fn classic_has_the_usual_order() {
    means(CLASSIC, "a | b & c", "a | (b & c)", 1);
    means(CLASSIC, "a -> b -> c", "a -> (b -> c)", 1);
    means(CLASSIC, "a & b U c", "a & (b U c)", 1);
    means(CLASSIC, "F a U b", "(F a) U b", 1);
    means(CLASSIC, "G a -> b", "(G a) -> b", 1);
    means(CLASSIC, "F a & F b", "(F a) & (F b)", 1);
    means(CLASSIC, "!F a & b", "(!(F a)) & b", 1);
    means(CLASSIC, "a <-> b -> c", "a <-> (b -> c)", 1);
    means(CLASSIC, "<p2p> a & b", "(<<p2p>> a) & b", 1);
    means(CLASSIC, "[p2p] a -> b", "([[p2p]] a) -> b", 1);
    means(CLASSIC, "a && b || c", "(a & b) | c", 0);
}

#[test]
fn the_java_tool_reads_implications_otherwise() {
    means(CLASSIC, "a & b -> c", "(a & b) -> c", 1);
    means(CLASSIC, "a -> b", "a -> b", 0);
    means(MODERN, "a & b -> c", "(a & b) -> c", 0);
}

#[test]
fn both_dialects_share_arithmetic_and_negation() {
    for dialect in [MODERN, CLASSIC] {
        means(dialect, "a + b * c = d - e", "(a + (b * c)) = (d - e)", 0);
        means(dialect, "a - b - c > -d * e", "((a - b) - c) > ((-d) * e)", 0);
        means(dialect, "!a = b", "(!a) = b", 0);
        means(dialect, "!a & b", "(!a) & b", 0);
        means(dialect, "X a = 1", "X (a = 1)", 0);
        means(dialect, "a = 1 & b", "(a = 1) & b", 0);
        means(dialect, "forall i : A . i-x & b", "forall i : A . (i-x & b)", 0);
        means(dialect, r"a & /\ i : A | B . i-x & b", "a & (forall i : A | B . (i-x & b))", 0);
        means(dialect, "x<-1", "x < (-1)", 0);
    }
}

#[test]
fn units_inside_a_mixture_are_compared_too() {
    let (_, diagnostics) = spec("a | (b | c & d) & g(e -> f -> h)", MODERN);
    assert_eq!(count(&diagnostics, Code::AmbiguousGrouping), 3);
}

#[test]
fn a_dash_joins_names_of_instances_and_quantified_variables_only() {
    let member = |formula| match spec(formula, MODERN).0.kind {
        ExprKind::Member { owner, member } => format!("{}.{}", owner.name, member.name),
        other => panic!("{formula}: {other:?}"),
    };
    assert_eq!(member("k-x"), "k.x");
    assert_eq!(member("k - x"), "k.x");
    assert_eq!(member("k-automaton-state"), "k.automaton-state");
    assert_eq!(member("m-myself"), "m.myself");
    means(MODERN, "j-x = 1", "(j - x) = 1", 0);
    means(MODERN, "k-x-y = 1", "(k-x - y) = 1", 0);
    means(MODERN, "k-x-m-y = 1", "(k-x - m-y) = 1", 0);
    let (quantified, _) = spec("forall j : A . j-x", MODERN);
    let ExprKind::Quantified { body, .. } = quantified.kind else { panic!("quantified") };
    assert!(matches!(body.kind, ExprKind::Member { .. }));
    let (guard, _) = process("{k-x = 1} *? []", MODERN);
    let ProcessKind::Command(command) = guard.kind else { panic!("command") };
    let ExprKind::Binary(BinaryOp::Eq, left, _) = command.guard.kind else { panic!("comparison") };
    assert!(matches!(left.kind, ExprKind::Binary(BinaryOp::Sub, ..)));
}

/// The observation and the body of a formula that is an observation.
fn observed(formula: &str) -> (Expr, Expr) {
    match spec(formula, CLASSIC).0.kind {
        ExprKind::Observe { observation, body, modality: Modality::Possible } => (*observation, *body),
        other => panic!("{formula}: {other:?}"),
    }
}

#[test]
fn classic_observations_end_at_the_right_bracket() {
    for (formula, observation, body) in [
        ("<BID > 3> a", "BID > 3", "a"),
        ("<sender = m> a > 3", "sender = m", "a > 3"),
        ("<p2p> a > 3", "p2p", "a > 3"),
        ("<sender = m & BID > 3> a > 3", "sender = m & BID > 3", "a > 3"),
        ("<BID > 3 & sender = m> a > b", "BID > 3 & sender = m", "a > b"),
        ("<(BID > 3)> a", "BID > 3", "a"),
        ("<exists(pv > 2)> a > b", "exists(pv > 2)", "a > b"),
        ("<BID >= 3> a", "BID >= 3", "a"),
        ("<BID < 3> a", "BID < 3", "a"),
    ] {
        let (found_observation, found_body) = observed(formula);
        assert_eq!(found_observation, spec(observation, CLASSIC).0, "{formula}");
        assert_eq!(found_body, spec(body, CLASSIC).0, "{formula}");
    }
}

#[test]
fn classic_observations_nest_behind_each_other() {
    let (_, body) = observed("<BID > 3> <MSG > 4> a");
    assert!(matches!(body.kind, ExprKind::Observe { .. }));
    means(
        CLASSIC,
        "G ([sender = k & MSG = b] F <sender = k> true)",
        "G ([[sender = k & MSG = b]] (F (<<sender = k>> true)))",
        0,
    );
}

#[test]
fn classic_guards_end_where_an_action_begins() {
    let (expected, _) = process("({no > 0} *! (true)()[] ; {a > b} c? [] ; {no >= 1} GET@(x)()[])", CLASSIC);
    let (found, _) = process("(<no > 0> *! (TRUE)()[] ; <a > b> c? [] ; <no >= 1> GET@(x)()[])", CLASSIC);
    assert_eq!(found, expected);
}

/// The shape of a process: labels, `;`, `+`, `rep`, all in parentheses.
fn shape(process: &Process) -> String {
    match &process.kind {
        ProcessKind::Error => "?".to_owned(),
        ProcessKind::Command(command) => command.label.as_ref().map_or(String::new(), |label| label.name.clone()),
        ProcessKind::Sequence(left, right) => format!("({};{})", shape(left), shape(right)),
        ProcessKind::Choice(left, right) => format!("({}+{})", shape(left), shape(right)),
        ProcessKind::Rep(body) => format!("rep{}", shape(body)),
    }
}

fn shape_of(text: &str, dialect: Dialect) -> (String, usize) {
    let commands = text
        .chars()
        .map(|character| match character {
            'a'..='d' => format!("{character}: {{true}} *? []"),
            'r' => "rep ".to_owned(),
            other => other.to_string(),
        })
        .collect::<String>();
    let (process, diagnostics) = process(&commands, dialect);
    (shape(&process), count(&diagnostics, Code::AmbiguousRep))
}

#[test]
fn sequences_group_by_dialect_and_bind_tighter_than_choices() {
    assert_eq!(shape_of("a;b;c", MODERN), ("((a;b);c)".to_owned(), 0));
    assert_eq!(shape_of("a;b;c", CLASSIC), ("(a;(b;c))".to_owned(), 0));
    assert_eq!(shape_of("a;b+c;d", MODERN), ("((a;b)+(c;d))".to_owned(), 0));
    assert_eq!(shape_of("a+b+c", CLASSIC), ("((a+b)+c)".to_owned(), 0));
    assert_eq!(shape_of("a;(b+c)", MODERN), ("(a;(b+c))".to_owned(), 0));
}

#[test]
fn rep_takes_a_process_or_a_step() {
    assert_eq!(shape_of("ra+b", MODERN), ("rep(a+b)".to_owned(), 1));
    assert_eq!(shape_of("ra+b", CLASSIC), ("(repa+b)".to_owned(), 1));
    assert_eq!(shape_of("a;rb;c", MODERN), ("(a;rep(b;c))".to_owned(), 1));
    assert_eq!(shape_of("a;rb;c", CLASSIC), ("(a;(repb;c))".to_owned(), 1));
    assert_eq!(shape_of("a;rb+c", CLASSIC), ("((a;repb)+c)".to_owned(), 1));
    assert_eq!(shape_of("rra+b", CLASSIC), ("(reprepa+b)".to_owned(), 1));
    for dialect in [MODERN, CLASSIC] {
        assert_eq!(shape_of("a+rb", dialect), ("(a+repb)".to_owned(), 0));
        assert_eq!(shape_of("r(a+b)", dialect), ("rep(a+b)".to_owned(), 0));
        assert_eq!(shape_of("(ra)+b", dialect), ("(repa+b)".to_owned(), 0));
        assert_eq!(shape_of("(ra);b", dialect), ("(repa;b)".to_owned(), 0));
    }
}

#[test]
fn a_name_before_the_data_of_a_send_is_no_call() {
    let guard = |text| match process(text, MODERN).0.kind {
        ProcessKind::Command(command) => match command.action {
            Action::Send { guard, .. } => guard.kind,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert!(matches!(guard("{true} c! p ()[]"), ExprKind::Name(name) if name == "p"));
    assert!(matches!(guard("{true} c! p (M := 1)[]"), ExprKind::Name(name) if name == "p"));
    assert!(matches!(guard("{true} c! g(p)()[]"), ExprKind::Call { arguments, .. } if arguments.len() == 1));
    assert!(matches!(guard("{true} c! g()()[]"), ExprKind::Call { arguments, .. } if arguments.is_empty()));
    assert!(matches!(guard("{true} *! true(M := x)[]"), ExprKind::Bool(true)));
    assert!(matches!(guard("{true} *! (true)(M := x)[]"), ExprKind::Bool(true)));
}
