//! Systems of clauses on the command line: verdicts, evidence as files, batches, and what is wrong with files.

use crate::tool::{Folder, records, verdicts};
use serde_json::Value;

const FIXTURES: [&str; 4] = ["leak.smt2", "parity.smt2", "reservoir.smt2", "toggle.vmt"];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    FIXTURES.iter().for_each(|file| folder.copy(&format!("tests/fixtures/clauses/{file}")));
    folder
}

#[test]
fn verdicts_come_with_evidence_that_is_checked_again() {
    let folder = folder("clauses-evidence");
    let done = folder.run(0, &["prove", "reservoir.smt2", "--certificate", "safe", "--explain"]);
    assert!(done.stdout.contains("no bad state is reachable: holds (1 inductive invariant, "), "{}", done.stdout);
    assert!(done.stdout.contains("(define-fun level ((x1 Int) (x2 Int)) Bool\n"), "{}", done.stdout);
    let done = folder.run(0, &["prove", "leak.smt2", "--certificate", "unsafe"]);
    assert!(done.stdout.contains("violated by a run of 2 steps"), "{}", done.stdout);
    assert!(done.stdout.contains("state 0  (clause in line 5)\n    x1 = 0\n"), "{}", done.stdout);
    assert!(done.stdout.contains("bad  (clause in line 8)"), "{}", done.stdout);
    let valid = "valid: no bad state is reachable";
    let done = folder.run(0, &["certify", "reservoir.smt2", "safe"]);
    assert_eq!(done.stdout, format!("safe/clauses.json: {valid}: holds\n"));
    let done = folder.run(0, &["certify", "leak.smt2", "unsafe/clauses.json"]);
    assert_eq!(done.stdout, format!("unsafe/clauses.json: {valid}: violated\n"));
    let done = folder.run(1, &["certify", "leak.smt2", "safe", "unsafe"]);
    assert!(done.stdout.contains("safe/clauses.json: refused: it is about another file\n"), "{}", done.stdout);
    assert!(done.stdout.ends_with("1 valid, 1 refused, 0 unknown\n"), "{}", done.stdout);
    // A file for each clause, which any solver answers.
    assert!(folder.read("safe/clauses-4.smt2").ends_with("(check-sat)\n"));
    let mut other: Value = serde_json::from_str(&folder.read("unsafe/clauses.json")).expect("JSON");
    other["evidence"]["run"][1]["values"]["portion"] = "1".into();
    folder.write("other.json", other.to_string());
    let done = folder.run(1, &["certify", "leak.smt2", "other.json"]);
    assert!(done.stdout.starts_with("other.json: refused: use "), "{}", done.stdout);
    other["evidence"]["run"][1]["values"]["portion"] = 1.into();
    folder.write("number.json", other.to_string());
    let done = folder.run(1, &["certify", "leak.smt2", "number.json"]);
    assert!(done.stdout.contains("refused: use 2 of a clause does not give its variables values"), "{}", done.stdout);
    folder.write("none.json", "{}");
    let done = folder.run(2, &["certify", "leak.smt2", "none.json"]);
    assert!(done.stderr.contains("cannot read none.json"), "{}", done.stderr);
}

#[test]
fn bounded_searches_say_how_far_they_went() {
    let folder = folder("clauses-bmc");
    let done = folder.run(4, &["bmc", "--bound", "1", "leak.smt2"]);
    let clear =
        "no bad state is reachable: no run to a bad state up to depth 1\n  note: open: the file expects `violated`\n";
    assert_eq!(done.stdout.trim_end(), clear.trim_end());
    folder.run(0, &["bmc", "--bound", "2", "leak.smt2"]);
    let done = folder.run(0, &["prove", "--format", "json", "toggle.vmt"]);
    let record = &records(&done.stdout)[0];
    assert_eq!((record["verdict"].as_str(), record["expect"].as_str()), (Some("holds"), Some("holds")));
    assert_eq!(record["agreement"].as_str(), Some("met"));
}

/// A clause can be false by itself, without a state.
#[test]
fn what_no_state_is_about_can_be_bad() {
    let folder = Folder::new("clauses-stateless");
    let text = "(set-logic HORN)\n(set-info :source \"a \"\"text\"\"; in (parts\")\n(declare-fun p (Int) Bool)\n\
                (assert (forall ((x Int)) (=> (= x 0) (p x))))\n(assert (=> (> 1 0) false))\n(check-sat)\n";
    folder.write("false.smt2", text);
    let done = folder.run(1, &["prove", "false.smt2", "--certificate", "run"]);
    let expected = "violated by a run of 0 steps\n\n  bad  (clause in line 5)\n";
    assert!(done.stdout.contains(expected), "{}", done.stdout);
    folder.run(0, &["certify", "false.smt2", "run"]);
    folder.write("true.smt2", text.replace("(> 1 0)", "(> 0 1)"));
    folder.run(0, &["prove", "true.smt2"]);
}

/// Parentheses within bars enclose nothing: what stands between them is part of the question.
#[test]
fn names_within_bars_hide_no_clause() {
    let folder = Folder::new("clauses-bars");
    let step = "(assert (forall ((|(| Int)) (=> (P |(|) (P (+ |(| 1)))))";
    let text = format!(
        "(set-logic HORN)\n(declare-fun P (Int) Bool)\n(assert (forall ((x Int)) (=> (= x 0) (P x))))\n\
         (set-info :a |(|)\n{step}\n(set-info :b |)|)\n\
         (assert (forall ((|)| Int)) (=> (and (P |)|) (= |)| 3)) false)))\n(check-sat)\n"
    );
    folder.write("bars.smt2", &text);
    let done = folder.run(1, &["prove", "bars.smt2", "--certificate", "run"]);
    assert!(done.stdout.contains("violated by a run of 3 steps"), "{}", done.stdout);
    folder.run(0, &["certify", "bars.smt2", "run"]);
    folder.write("bars.smt2", text.replace(step, ""));
    let done = folder.run(0, &["prove", "bars.smt2", "--certificate", "proof"]);
    assert!(done.stdout.contains("holds"), "{}", done.stdout);
    folder.run(0, &["certify", "bars.smt2", "proof"]);
}

#[test]
fn a_batch_takes_them_beside_models() {
    let folder = folder("clauses-batch");
    folder.copy("specs/bounded_buffer.rcp");
    // A query of a certificate is no system.
    folder.write("query.smt2", "(set-logic ALL)\n(check-sat)\n");
    folder.write("wrong.vmt", "(declare-fun x () Real)\n");
    folder.run(2, &["batch", ".", "--mode", "prove", "--output", "all.jsonl", "--certificate", "proofs"]);
    let records = folder.records("all.jsonl");
    let verdicts: Vec<String> = verdicts(&records).into_iter().filter(|words| !words.contains(".rcp")).collect();
    let expected = [
        "leak.smt2 1 violated",
        "parity.smt2 1 holds",
        "reservoir.smt2 1 holds",
        "toggle.vmt 1 holds",
        "wrong.vmt null error",
    ];
    let mut sorted = verdicts;
    sorted.sort();
    assert_eq!(sorted, expected);
    folder.run(0, &["certify", "parity.smt2", "proofs/parity.smt2"]);
    folder.run(0, &["certify", "leak.smt2", "proofs/leak.smt2"]);
}

/// All faults in one run, each at its place.
#[test]
fn faults_stand_at_their_places() {
    let folder = folder("clauses-faults");
    let faulty = [
        ("(set-logic QF_LIA)", 1, "they begin with `(set-logic HORN)`"),
        ("(declare-fun p (Real) Bool)", 1, "sorts are Bool and Int; `Real` is not supported"),
        ("(declare-fun p ((Array Int Int)) Bool)", 1, "`(Array Int Int)` is not supported"),
        ("(declare-fun p (Int) Int)", 1, "only predicates can be declared"),
        ("(assert true)", 1, "no predicate is declared"),
        ("(assert (p 1))\n(declare-fun p (Int) Bool)", 1, "`p` is declared further down"),
        (
            "(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (and (p x) (p 1)) (p 2))))",
            2,
            "`p` is a second one",
        ),
        ("(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (p x) (q x))))", 2, "`q` is no operator"),
        ("(declare-fun p (Int) Bool)\n(assert (p 1 2))", 2, "`p` has 1 arguments, not 2"),
        ("(declare-fun p (Int) Bool)\n(assert (p true))", 2, "a number is expected here"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (forall ((y Int)) (p y)) (p 1)))", 2, "`forall` in a body"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (p 1)\n (exists ((y Int)) (p y))))", 3, "`exists` in a head"),
        ("(declare-fun p (Int) Bool)\n(assert\n (or (p 1)\n (p 2)))", 4, "two predicates in one head"),
        (
            "(declare-fun p (Int) Bool)\n(declare-fun q (Int) Bool)\n(assert (=> (p 1) (p 2)))\n(assert (=> (q 1) (q 2)))\n\
             (assert (p 1))\n(assert (q 1))\n(assert (=> (and (p 1) (q 1)) false))",
            7,
            "`q` is a second one",
        ),
        ("(declare-fun p (Int) Bool)\n(assert (p (ite (p 1) 1 2)))", 2, "cannot stand inside of this"),
        ("(declare-fun p (Int) Bool)\n(assert (let ((q (p 1)))\n (=> (> q 2) q)))", 3, "cannot stand inside of this"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (p 1)\n(let ((a 1) (a 2)) (p a))))", 3, "`a` is there twice"),
        ("(declare-fun p (Int) Bool)\n(assert (let ((p 1)) (= p 1)))", 2, "is the name of something else"),
        ("(declare-fun p (Int) Bool)\n(assert (! (p 1)))", 2, "an annotation is missing"),
        ("(declare-fun p (Int) Bool)\n(assert (! (p 1) named a))", 2, "an annotation begins with `:`"),
        ("(declare-fun p (Int) Bool)\n(declare-fun p () Bool)", 2, "is the name of something else"),
        ("(declare-fun p (Int) Bool)\n(define-fun f ((x Int)) Int (+ x\n y))", 3, "nothing is called `y`"),
        ("(declare-fun p (Int) Bool)\n(define-fun f ((x Int)) Int (f x))", 2, "`f` is no operator"),
        ("(declare-fun p (Int) Bool)\n(define-fun f ((x Int)) Bool (+ x 1))", 2, "a truth value is expected here"),
        (
            "(declare-fun p (Int) Bool)\n(define-fun f () Bool (exists ((x Int)) (p x)))",
            2,
            "quantifiers in definitions",
        ),
        (
            "(declare-fun p (Int) Bool)\n(define-fun f ((x Int)) Int x)\n(assert (p (f 1 2)))",
            3,
            "`f` has 1 argument, not 2",
        ),
        ("(define-fun rem ((x Int) (y Int)) Int 1)", 1, "`rem` has a meaning of its own in solvers"),
        ("(declare-fun implies (Int) Bool)", 1, "`implies` has a meaning of its own in solvers"),
        ("(declare-rel p (Int))\n(rule (p 1))\n(check-sat)", 3, "ask the opposite of"),
        ("(declare-rel p (Int))\n(rule (p 1))\n(query p)\n(rule (p 2))", 4, "this comes after `(query)`"),
        ("(declare-rel p (Int))\n(query (p 1))", 2, "`query` has the name of a relation"),
        (
            "(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (= (* x y) 1) (p x))))",
            2,
            "nothing is called `y`",
        ),
        ("(declare-fun p (Int) Bool)\n(assert (forall ((p Int)) (p p)))", 2, "is the name of something else"),
        ("(declare-fun and (Int) Bool)", 1, "`and` has a meaning in SMT-LIB"),
        ("(declare-fun p (Int) Bool)\n(push 1)", 2, "the command `push` is not supported"),
        ("(declare-fun p (Int) Bool", 1, "this `(` is never closed"),
        ("; nothing\n", 1, "no predicate is declared"),
        ("(set-info :status satt)\n(declare-fun p (Int) Bool)", 1, "a status is `sat`, `unsat` or `unknown`"),
        ("(set-info :status sat)\n(set-info :status unsat)", 2, "the file has another status before"),
        ("(declare-fun p (Int) Bool)\n(assert (forall ((-5 Int)) (=> (= -5 7) (p -5))))", 2, "a name is expected here"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (let ((-5 7)) (= -5 7)) (p 1)))", 2, "a name is expected here"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (= 1 \"(\") (p 1)))", 2, "strings have no meaning here"),
        ("(set-info :source \"no end)\n", 1, "this string is never closed"),
        ("(declare-fun p (Int) Bool)\n(assert (forall ((|\\| Int)) (p |\\|)))", 2, "cannot be used as a name"),
        ("(set-info :a b (assert false) c)", 1, "`set-info` has a keyword and a value"),
        ("(declare-fun p (Int) Bool)\n(check-sat)\n(assert (p 1))", 3, "this comes after `(check-sat)`"),
        ("(declare-fun p (Int) Bool)\n(exit)\n(assert (p 1))", 3, "this comes after `(exit)`"),
        ("(declare-fun p (Int) Bool)\n(assert (=>))", 2, "`=>` cannot have 0 operands"),
        ("(declare-fun p (Int) Bool)\n(assert (=> (p 1) (=>)))", 2, "`=>` cannot have 0 operands"),
        ("(declare-fun p (Int) Bool)\n; a\r(assert (p 1))\n", 2, "a carriage return alone"),
        ("(declare-fun p (Int) Bool)\n(assert (forall ((|x\0| Int)) (p |x\0|)))", 2, "the character U+0000"),
        ("(declare-fun exit (Int) Bool)", 1, "`exit` has a meaning in SMT-LIB"),
        ("(set-option :x #| a |)(assert (p 1))(set-option :x | b |#)", 1, "`#` is no symbol"),
    ];
    for (text, line, words) in faulty {
        folder.write("faulty.smt2", text);
        for command in ["prove", "bmc", "check"] {
            let done = folder.run(2, &[command, "faulty.smt2"]);
            assert!(done.stderr.contains(words), "{text}\n{}", done.stderr);
            assert!(done.stderr.contains(&format!("faulty.smt2:{line}:")), "{text}\n{}", done.stderr);
        }
    }
    let three = "(declare-fun p (Int) Bool)\n(assert (p true))\n(assert (p false))\n(assert (forall ((x Int)) (=> (p x) (p y))))\n";
    folder.write("faulty.smt2", three);
    let done = folder.run(2, &["prove", "faulty.smt2"]);
    assert!(done.stderr.contains("3 errors"), "{}", done.stderr);
    let vmt = [
        ("(declare-fun x () (_ BitVec 8))", "is not supported"),
        ("(declare-fun f (Int) Int)", "functions are not supported"),
        ("(define-fun p () Bool (! true :live-property 0))", "`:live-property` is not supported"),
        ("(define-fun p () Bool (! true :init true))", "no formula is annotated with `:trans`"),
        ("(define-fun p () Bool (! true :init false))", "the value of `:init` is `true`"),
        ("(define-fun p () Bool (! true :trans 1))", "the value of `:trans` is `true`"),
        ("(define-fun p () Bool (! true :invar-property false))", "the value of `:invar-property` is its number"),
        (
            "(declare-fun x () Int)\n(define-fun n () Int (! x :next 1))",
            "`:next` stands between two declared constants",
        ),
        ("(declare-fun x () Int)\n(declare-fun x () Bool)", "`x` is there twice"),
        ("(define-fun p () Bool (! true :init true))\n(define-fun q () Bool (! true :init true))", "a second `:init`"),
        (&system("(= x 0)", "(= x1 k)", "(< x1 2)"), "`x1` is a next value, which only `:trans` may read"),
        (&system("(= x1 0)", "(= x1 k)", "(< x 2)"), "`x1` is a next value, which only `:trans` may read"),
        (&system("(= x k)", "(= x1 x)", "(< x k)"), "`k` has no next value, and `:init` and `:invar-property` read it"),
        (
            &system("(= x 0)", "(= x1 k)", "(< x twice)"),
            "`k` has no next value, and `:trans` and `:invar-property` read it",
        ),
        (&system("(= x 0)", "(= x1 k)", "(< x 2)").replace(":next x1", ":next x"), "it has another role already"),
        (
            &system("(= x 0)", "true", "(< x 2)").replace(":next x1", ":note x1"),
            "`x` has no next value, and `:init` and `:invar-property` read it",
        ),
    ];
    for (text, words) in vmt {
        folder.write("faulty.vmt", text);
        let done = folder.run(2, &["prove", "faulty.vmt"]);
        assert!(done.stderr.contains(words), "{text}\n{}", done.stderr);
    }
}

/// A system with the variable `x`, its next value `x1`, and `k`, of which `twice` is the double.
fn system(init: &str, trans: &str, property: &str) -> String {
    format!(
        "(declare-fun x () Int)(declare-fun x1 () Int)(declare-fun k () Int)\n\
         (define-fun twice () Int (+ k k))(define-fun .x () Int (! x :next x1))\n\
         (define-fun .i () Bool (! {init} :init true))(define-fun .t () Bool (! {trans} :trans true))\n\
         (define-fun .p () Bool (! {property} :invar-property 0))\n"
    )
}

/// An exported system without variables has one state.
#[test]
fn a_system_may_have_no_variable() {
    let folder = folder("vmt-without-variables");
    let model = "agent A\n    receive-guard: chan = *\n    repeat: s: {true} *! (true)()[]\nsystem = A(a, true)\n\
                 SPEC G (a-automaton-state = 1);\nSPEC G (a-automaton-state = 0);\nSPEC G a-s;\nSPEC false;\n";
    folder.write("one.rcp", model);
    folder.run(0, &["export", "--to", "vmt", "-d", ".", "one.rcp"]);
    for (spec, code) in [(1, 1), (2, 0), (3, 0), (4, 1)] {
        folder.run(code, &["prove", &format!("one.spec{spec}.part1.vmt")]);
    }
}

/// Inputs are choices of steps that nothing else reads.
#[test]
fn inputs_of_steps_are_free() {
    let folder = Folder::new("clauses-inputs");
    folder.write("free.vmt", system("(= x 0)", "(and (= x1 (+ x k)) (<= 0 k))", "(<= 0 x)"));
    folder.run(0, &["prove", "free.vmt"]);
    folder.write("free.vmt", system("(= x 0)", "(= x1 (+ x k))", "(<= 0 x)"));
    folder.run(1, &["prove", "free.vmt"]);
}

/// Systems in which nothing happens are told of before anything is said of them.
#[test]
fn empty_systems_are_told_of() {
    let folder = Folder::new("clauses-empty");
    folder.write("start.vmt", system("(and (= x 0) (= x 1))", "(= x1 x)", "(< x 2)"));
    folder.write(
        "start.smt2",
        "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))\n",
    );
    folder.write(
        "question.smt2",
        "(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (forall ((x Int)) (=> (= x 0) (p x))))\n",
    );
    folder.write("step.vmt", system("(= x 0)", "(and (> x 5) (= x1 x))", "(< x 2)"));
    for (file, code, words) in [
        ("start.vmt", 0, "there is no initial state, so that no bad state is reachable"),
        ("start.smt2", 0, "no clause is about initial states"),
        ("step.vmt", 0, "no step is possible from any initial state"),
        ("question.smt2", 0, "nothing is asked"),
    ] {
        let done = folder.run(code, &["check", file]);
        assert!(done.stderr.contains(words), "{file}: {}", done.stderr);
        let done = folder.run(0, &["prove", file]);
        assert!(done.stderr.contains(words), "{file}: {}", done.stderr);
        assert!(done.stdout.contains("holds"), "{file}: {}", done.stdout);
    }
    folder.run(2, &["check", "--deny-warnings", "step.vmt"]);
    folder.run(0, &["batch", "--mode", "check", "start.vmt", "step.vmt", "--output", "r.jsonl"]);
    for (record, code) in folder.records("r.jsonl").iter().zip(["W0507", "W0501"]) {
        assert!(record["verdict"] == "well-formed" && record["findings"][0]["code"] == code, "{record}");
    }
}

#[test]
fn check_says_what_is_in_a_file() {
    let folder = folder("clauses-checked");
    let done = folder.run(0, &["check", "reservoir.smt2"]);
    assert_eq!(done.stdout, "reservoir.smt2: no errors, no warnings (4 clauses)\n");
    // A file that is given up keeps nothing of others back.
    let step = "(assert (forall ((x Int)) (=> (p x) (p (+ x {})))))".replace("{}", &"9".repeat(1_000_000));
    let huge = format!("(set-logic HORN)\n(declare-fun p (Int) Bool)\n(assert (p 0))\n{step}\n(assert (not (p 1)))\n");
    folder.write("a.smt2", huge);
    folder.copy("tests/fixtures/cli/broken.rcp");
    for format in ["human", "json", "github", "sarif"] {
        let done = folder.run(2, &["check", "a.smt2", "broken.rcp", "--format", format]);
        assert!(done.stderr.contains("a.smt2: not checked: an integer would have more"), "{}", done.stderr);
        assert!((done.stdout + &done.stderr).contains("E0"), "{format}");
    }
    let done = folder.run(4, &["batch", "a.smt2", "--mode", "prove"]);
    assert!(done.stdout.contains("unknown (an integer would have more"), "{}", done.stdout);
}

/// Checking evidence ends in time, whatever it says.
#[test]
fn hostile_evidence_keeps_limits() {
    let folder = folder("clauses-hostile");
    folder.run(0, &["prove", "reservoir.smt2", "--certificate", "proof"]);
    let mut document: Value = serde_json::from_str(&folder.read("proof/clauses.json")).expect("JSON");
    let squares: String = (1..40).map(|number| format!("(let ((a{number} (* a{0} a{0}))) ", number - 1)).collect();
    let bomb = format!("(let ((a0 x1)) {squares}(<= 0 a39){}", ")".repeat(40));
    document["evidence"]["invariant"]["level"].as_array_mut().expect("a list").push(bomb.into());
    folder.write("bomb.json", document.to_string());
    let done = folder.run(4, &["certify", "--timeout", "1", "reservoir.smt2", "bomb.json"]);
    assert!(done.stdout.contains("bomb.json: unknown: "), "{}", done.stdout);
    let done = folder.run(4, &["certify", "--memory", "64", "reservoir.smt2", "bomb.json"]);
    assert!(done.stdout.contains("bomb.json: unknown: "), "{}", done.stdout);
}

#[test]
fn other_commands_and_options_say_that_they_take_models() {
    let folder = folder("clauses-others");
    folder.copy("specs/bounded_buffer.rcp");
    for command in ["simulate", "graph", "export", "specs"] {
        let done = folder.run(2, &[command, "leak.smt2"]);
        assert!(!done.stderr.is_empty(), "{command}");
    }
    let done = folder.run(2, &["simulate", "leak.smt2"]);
    assert!(done.stderr.contains("leak.smt2 is a system of clauses"), "{}", done.stderr);
    for options in [&["--spec", "1"][..], &["--deadlock"], &["--const", "N=1"], &["--simulate"], &["--chart", "c.svg"]]
    {
        let done = folder.run(2, &[&["prove", "leak.smt2"], options].concat());
        assert!(done.stderr.contains("this is a system of clauses"), "{options:?}: {}", done.stderr);
    }
    for name in ["t.smt2", "t.vmt", "t.ispl", "t.rcp"] {
        let done = folder.run(2, &["prove", "bounded_buffer.rcp", "--save-trace", name]);
        assert!(done.stderr.contains("would be named like a model"), "{name}: {}", done.stderr);
    }
    let done = folder.run(2, &["prove", "leak.smt2", "--engine", "kind"]);
    assert!(done.stderr.contains("the engines for clauses are bmc, pdr, spacer"), "{}", done.stderr);
}

/// The texts that `export` writes of a model are the same question.
#[test]
fn exported_models_have_the_verdicts_of_their_specs() {
    let folder = folder("clauses-export");
    folder.copy("specs/bounded_buffer.rcp");
    for format in ["chc", "vmt"] {
        for (spec, code) in [("within_capacity", 0), ("items_add_up", 0), ("capacity_is_small", 1)] {
            let ending = if format == "chc" { "smt2" } else { "vmt" };
            let exported = folder.run(0, &["export", "--to", format, "--spec", spec, "bounded_buffer.rcp"]);
            folder.write(&format!("exported.{ending}"), exported.stdout);
            folder.run(code, &["prove", &format!("exported.{ending}")]);
        }
    }
}
