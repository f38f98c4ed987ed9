//! Certificates: written, read and checked again; altered, and refused; as queries, and answered by cvc5.

mod recurrent;
mod responses;
mod solver;
mod uniform;

use crate::common::cvc5::cvc5;
use crate::common::{self, COUNTERS, model, named, parsed, root, shipped, source};
use rcheck_smt::certificate_file::{CertificateError, Document};
use rcheck_smt::check::Verdict;
use rcheck_smt::limits::Stop;
use rcheck_smt::model::Model;
use rcheck_smt::model::eval::Semantics;
use rcheck_smt::model::spec::Expectation;
use rcheck_smt::verify::{self, Engine, Subject};
use serde_json::{Value, json};
use solver::write_queries_of;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A verdict on a spec; it must come within a generous time.
fn prove<'s>(subject: &'s Subject, spec: usize, engines: &[Engine]) -> Verdict<'s> {
    let (stop, budget) = (Stop::new(), common::patiently());
    let limits = common::limits(usize::MAX, budget, &stop);
    subject.prove(spec, engines, &limits).expect("evidence that survives its check").verdict
}

/// The certificate as a document that can be altered.
fn certificate(model: &Model, spec: usize, engines: &[Engine]) -> Value {
    let subject = Subject::new(model);
    let verdict = prove(&subject, spec, engines);
    let document = Document::new(model, "test.rcp", spec, &verdict).expect("it is decided");
    serde_json::from_str(&document.write()).expect("JSON")
}

/// The outcome of its check; the verdict in a word if it is valid.
fn check(model: &Model, certificate: &Value) -> Result<&'static str, CertificateError> {
    let document = Document::read(&certificate.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let semantics = Semantics::new(model);
    let certified = verify::certify(&document, &semantics, common::patiently())?;
    match certified.verdict {
        Verdict::Holds(_) => Ok("holds"),
        Verdict::Violated(_) => Ok("violated"),
        other => panic!("no verdict: {other:?}"),
    }
}

/// That an altered certificate is refused, with these words in the message.
fn assert_refused(model: &Model, certificate: &Value, alter: impl FnOnce(&mut Value), words: &str) {
    let mut altered = certificate.clone();
    alter(&mut altered);
    assert_ne!(altered, *certificate, "nothing was altered");
    match check(model, &altered) {
        Ok(verdict) => panic!("valid ({verdict}), but it should be refused: {words}\n{altered:#}"),
        Err(why) => assert!(why.to_string().contains(words), "not because `{words}`: {why}"),
    }
}

#[test]
fn verdicts_on_small_models_can_be_certified() {
    let decidable = |path: &Path| {
        let name = path.display().to_string();
        name.contains("features") || name.contains("resource_allocation") || name.contains("knowledge")
    };
    let mut verdicts = [0, 0];
    for path in shipped().iter().filter(|path| decidable(path)) {
        let model = model(&source(path));
        for spec in 0..model.specs.len() {
            let expected = model.specs[spec].expect.expect("every spec that we ship says what to expect");
            let name = format!("{} spec {}", path.display(), spec + 1);
            let subject = Subject::new(&model);
            let verdict = prove(&subject, spec, &Engine::ALL);
            let document = Document::new(&model, "test.rcp", spec, &verdict);
            let document = document.unwrap_or_else(|| panic!("{name}: {verdict:?}"));
            let certificate = serde_json::from_str(&document.write()).expect("JSON");
            match check(&model, &certificate).unwrap_or_else(|why| panic!("{name}: {why}")) {
                "holds" => assert_eq!(expected, Expectation::Holds, "{name}"),
                _ => assert_eq!(expected, Expectation::Violated, "{name}"),
            }
            verdicts[usize::from(expected == Expectation::Holds)] += 1;
        }
    }
    assert!(verdicts.iter().all(|&number| number > 50), "{verdicts:?}");
}

#[test]
fn altered_invariants_are_refused() {
    let model = parsed(COUNTERS);
    let good = certificate(&model, named(&model, "together"), &[Engine::Pdr]);
    assert_eq!(check(&model, &good), Ok("holds"), "{good:#}");
    let parts = |certificate: &Value| certificate["evidence"]["invariants"].as_array().expect("parts").len();
    let clauses = |it: &Value| it["evidence"]["invariants"][0]["clauses"].as_array().expect("clauses").clone();
    let refused = |alter: &dyn Fn(&mut Value), words: &str| assert_refused(&model, &good, alter, words);
    let part = |it: &mut Value, field: &str, value: Value| it["evidence"]["invariants"][0][field] = value;

    refused(&|it| part(it, "clauses", json!([])), "a bad state satisfies the invariant");
    refused(&|it| part(it, "clauses", json!(["false"])), "an initial state violates the invariant");
    refused(&|it| part(it, "clauses", json!(["(<= one-m one-n)", "(<= one-n (+ one-m 1))"])), "a step leads out");
    refused(&|it| part(it, "clauses", json!(["(<= one-m one-x)"])), "at character 11: nothing is called `one-x`");
    refused(&|it| part(it, "clauses", json!(["one-n"])), "clause 1: it is no formula");
    refused(&|it| part(it, "k", json!(0)), "k is 0");
    refused(&|it| part(it, "k", json!(1_000_000)), "k is 1000000");
    refused(&|it| part(it, "reduction", json!({"counting": 1})), "a bad state satisfies the invariant");
    refused(&|it| part(it, "reduction", json!({"counting": 1_000_000_000})), "no more than");
    refused(&|it| part(it, "formula", json!("G one-up")), "the certificate is about `G one-up`");
    refused(&|it| it["evidence"]["invariants"] = json!([]), "another number of conjuncts");
    refused(&|it| it["verdict"] = json!("violated"), "evidence of this kind");
    refused(&|it| it["spec"]["formula"] = json!("G one-up"), "has no spec together, `G one-up`");
    refused(&|it| it["spec"]["name"] = json!("behind"), "has no spec behind");
    refused(&|it| it["model"]["fingerprint"] = json!("sha256:00"), "another one (test.rcp)");
    assert_eq!(parts(&good), model.specs[0].formula.conjuncts().len());

    // A clause that is not needed may go; what is left is checked again all the same.
    let all = clauses(&good);
    let mut needed = 0;
    for index in 0..all.len() {
        let mut fewer = all.clone();
        fewer.remove(index);
        let mut altered = good.clone();
        part(&mut altered, "clauses", json!(fewer));
        needed += usize::from(check(&model, &altered).is_err());
    }
    assert!(needed > 0, "no clause is needed: {all:?}");
}

/// Whatever single obligation a certificate says is always pending: a violated spec does not hold.
#[test]
fn no_pending_obligation_proves_what_is_violated() {
    let model = parsed(
        "agent A
             local: x : bool
             init: !x
             receive-guard: false
             repeat: s: {true} *! (true)()[]
         system = A(a, true)
         SPEC F (X (G a-x));
         SPEC (G (X (F (!a-x)))) -> (F a-x);",
    );
    let mut tried = 0;
    for spec in 0..model.specs.len() {
        let violated = certificate(&model, spec, &[Engine::Explicit]);
        assert_eq!(violated["verdict"], "violated");
        let formula = &violated["spec"]["formula"];
        for (counted, obligation) in (0..3).flat_map(|counted| (0..4).map(move |obligation| (counted, obligation))) {
            let clauses = [format!("obligation-{obligation}")];
            let mut forged = violated.clone();
            forged["verdict"] = json!("holds");
            forged["evidence"] = json!({"invariants": [{
                "formula": formula, "reduction": {"counting": counted}, "k": 1, "legend": {}, "clauses": clauses,
            }]});
            assert!(check(&model, &forged).is_err(), "{forged:#}");
            tried += 1;
        }
    }
    assert_eq!(tried, 24);
}

#[test]
fn numbers_in_invariants_matter() {
    let model = parsed(COUNTERS);
    let spec = named(&model, "behind");
    let good = certificate(&model, spec, &[Engine::Pdr]);
    let mut weaker = 0;
    let clauses = good["evidence"]["invariants"][0]["clauses"].as_array().expect("clauses").clone();
    for (index, clause) in clauses.iter().enumerate() {
        let clause = clause.as_str().expect("text");
        for (from, to) in [("0", "1"), ("1", "2"), ("one-m", "one-n"), ("one-up", "(not one-up)"), ("<=", ">=")] {
            let changed = clause.replace(from, to);
            if changed == clause {
                continue;
            }
            let mut altered = good.clone();
            altered["evidence"]["invariants"][0]["clauses"][index] = json!(changed);
            weaker += usize::from(check(&model, &altered).is_err());
        }
    }
    assert!(weaker > 2, "only {weaker} changes were refused: {clauses:?}");
}

#[test]
fn k_matters() {
    let model = parsed(COUNTERS);
    let spec = named(&model, "behind");
    let mut good = certificate(&model, spec, &[Engine::Kind]);
    let part = &mut good["evidence"]["invariants"][0];
    part["clauses"] = json!(["(<= one-m one-n)", "(= one-automaton-state 0)"]);
    part["k"] = json!(2);
    assert_eq!(check(&model, &good), Ok("holds"));
    let with = |k: u64| move |it: &mut Value| it["evidence"]["invariants"][0]["k"] = json!(k);
    assert_refused(&model, &good, with(1), "a step leads out of the invariant");

    let semantics = Semantics::new(&model);
    let document = Document::read(&good.to_string()).expect("a certificate");
    let certified = verify::certify(&document, &semantics, common::patiently()).expect("it is valid");
    let files = write_queries_of(&certified.verdict, &folder("k-induction"), "counters", &model, spec);
    assert!(cvc5(&files).iter().all(|(_, answer)| answer == "unsat"), "{files:?}");
}

#[test]
fn reductions_of_liveness_are_checked() {
    let model = parsed(COUNTERS);
    let good = certificate(&model, named(&model, "answered"), &[Engine::Pdr]);
    assert_eq!(check(&model, &good), Ok("holds"), "{good:#}");
    let reduction = &good["evidence"]["invariants"][0]["reduction"];
    let counted = reduction["counting"].as_u64().expect("it is no safety property");
    let with = |reduction: Value| move |it: &mut Value| it["evidence"]["invariants"][0]["reduction"] = reduction;
    assert_refused(&model, &good, with(json!("safety")), "the reduction does not fit");
    if counted > 0 {
        assert_refused(&model, &good, with(json!({"counting": counted - 1})), "");
    }
    let legend = good["evidence"]["invariants"][0]["legend"].as_object().expect("a legend");
    let meaning = |name: &str| legend.get(name).and_then(Value::as_str).unwrap_or_default();
    assert!(meaning("obligation-0").starts_with("pending: "), "{legend:?}");
}

#[test]
fn altered_explorations_are_refused() {
    let model = model(&source("resource_allocation/modern.rcp"));
    let holding = (0..model.specs.len()).find(|&spec| model.specs[spec].expect == Some(Expectation::Holds));
    let spec = holding.expect("some spec holds");
    let good = certificate(&model, spec, &[Engine::Explicit]);
    assert_eq!(check(&model, &good), Ok("holds"));
    let other = model.specs.iter().find(|other| other.expect == Some(Expectation::Violated)).expect("one is violated");
    let refused = |alter: &dyn Fn(&mut Value), words: &str| assert_refused(&model, &good, alter, words);
    refused(
        &|it| it["spec"] = json!({"number": 1, "name": other.name, "formula": model.show_formula(&other.formula)}),
        "",
    );
    refused(&|it| it["verdict"] = json!("violated"), "evidence of this kind");
    refused(&|it| drop(members(it).pop()), "");
    refused(&|it| members(it).clear(), "");
    refused(&|it| members(it)[0][0] = json!(1_000_000), "");
    refused(&|it| local_states(it)[0][0] = json!([1_000_000, []]), "");
}

/// The members of an exploration.
fn members(certificate: &mut Value) -> &mut Vec<Value> {
    let part = &mut certificate["evidence"]["exploration"]["parts"][0];
    part["closed"]["members"]["rows"].as_array_mut().expect("there are members")
}

/// The local states of its instances.
fn local_states(certificate: &mut Value) -> &mut Vec<Value> {
    let graph = &mut certificate["evidence"]["exploration"]["graphs"][0];
    graph["local-states"].as_array_mut().expect("there are instances")
}

#[test]
fn altered_counterexamples_are_refused() {
    let model = parsed(COUNTERS);
    let good = certificate(&model, named(&model, "small"), &[Engine::Bmc]);
    assert_eq!(check(&model, &good), Ok("violated"));
    let refused = |alter: &dyn Fn(&mut Value), words: &str| assert_refused(&model, &good, alter, words);
    refused(&|it| it["verdict"] = json!("holds"), "evidence of this kind");
    refused(&|it| it["evidence"]["trace"]["states"][2]["one"]["n"] = json!(7), "states[2].one.n");
    refused(
        &|it| {
            for list in ["states", "steps"] {
                it["evidence"]["trace"][list].as_array_mut().expect("a list").pop();
            }
        },
        "does not violate the spec",
    );
    let behind = &model.specs[named(&model, "behind")];
    let spec = json!({"number": 2, "name": "behind", "formula": model.show_formula(&behind.formula)});
    refused(&|it| it["spec"] = spec.clone(), "does not violate the spec");
}

#[test]
fn certificates_belong_to_their_model() {
    let model = parsed(COUNTERS);
    let good = certificate(&model, named(&model, "together"), &[Engine::Pdr]);
    let other = parsed(&COUNTERS.replace("m := m + 1", "m := m + 2"));
    assert!(matches!(check(&other, &good), Err(CertificateError::OtherModel(_))));
    let commented = parsed(&COUNTERS.replace("system", "// a comment\n system").replace("m := m + 1", "m:=(m+1)"));
    assert_eq!(check(&commented, &good), Ok("holds"), "the meaning is the same");
    let more = parsed(&COUNTERS.replace("// name: together", "// name: new\n SPEC G one-rise\n // name: together"));
    assert_eq!(check(&more, &good), Ok("holds"), "other specs do not matter");
    let fewer = parsed(&COUNTERS.replace("SPEC G (one-m <= one-n & one-n <= one-m + 1)", "SPEC true"));
    assert!(matches!(check(&fewer, &good), Err(CertificateError::NoSuchSpec(_))));
}

#[test]
fn what_is_no_certificate_is_not_read() {
    let words = |text: &str| Document::read(text).expect_err(text).to_string();
    let model = parsed(COUNTERS);
    let good = certificate(&model, 0, &[Engine::Pdr]).to_string();
    assert!(words("{").contains("line 1"));
    assert!(words("{}").contains("rcheck-smt certificate"));
    assert!(words(&good[..good.len() - 20]).contains("no certificate"));
    assert!(words(&good.replace("\"version\":4", "\"version\":1")).contains("of version 1"));
    assert!(words(&good.replace("\"k\":1", "\"l\":1")).contains("unknown field `l`"));
    assert!(words(&good.replace("\"holds\"", "\"perhaps\"")).contains("unknown variant `perhaps`"));
}

/// An empty folder for temporary files.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("a folder of ours");
    }
    std::fs::create_dir_all(&path).expect("a writable folder");
    path
}

/// Runs the tool: its exit code and what it prints, on standard output and as errors.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    let output =
        command.current_dir(root()).args(arguments).args(["--color", "never"]).output().expect("the tool runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the tool prints UTF-8");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

const RELAY: &str = "tests/fixtures/cli/relay.rcp";

#[test]
fn the_tool_writes_and_checks_certificates() {
    let folder = folder("certificates-of-relay");
    let inside = |name: &str| folder.join(name).display().to_string();
    std::fs::write(folder.join("mine.json"), "{}").expect("a writable folder");
    let (code, ..) = run(&["prove", RELAY, "--certificate", &folder.display().to_string()]);
    assert_eq!(code, 0, "as expected: some spec is violated");
    let names = ["small", "told_first", "never_negative", "goes_on", "starts_high"];
    let files: Vec<String> = names.iter().map(|name| inside(&format!("{name}.json"))).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();

    let (code, printed, errors) = run(&[&["certify", RELAY], &files[..]].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{printed}");
    let verdicts: Vec<&str> = printed.lines().filter_map(|line| Some(line.split_once(": valid: ")?.1)).collect();
    let expected = ["1 small violated", "2 told_first holds", "3 never_negative violated", "4 goes_on violated"];
    let expected = expected.iter().chain(&["5 starts_high violated"]).map(|text| format!("spec {text}"));
    assert_eq!(verdicts, expected.collect::<Vec<String>>());

    let text = std::fs::read_to_string(files[0]).expect("as written");
    std::fs::write(files[0], text.replace("violated", "holds")).expect("a writable folder");
    let (code, printed, _) = run(&[&["certify", RELAY], &files[..]].concat());
    assert_eq!(code, 1);
    assert!(printed.contains("small.json: refused: not a certificate for this spec"), "{printed}");
    assert_eq!(printed.matches(": valid: ").count(), 4, "{printed}");

    let (code, printed, _) = run(&["certify", "specs/bank.rcp", files[1]]);
    assert_eq!(code, 1);
    assert!(printed.contains("not a certificate for this model, but for another one"), "{printed}");

    let (code, printed, errors) = run(&["certify", RELAY, &inside("mine.json"), &inside("nothing.json"), files[1]]);
    assert_eq!(code, 2);
    assert!(errors.contains("mine.json") && errors.contains("nothing.json"), "{errors}");
    assert!(printed.contains("told_first holds"), "the others are checked all the same: {printed}");
    assert_eq!(std::fs::read_to_string(inside("mine.json")).expect("still there"), "{}");
}

/// The reading of point to point comes from the file, from the command line, or from the certificate.
#[test]
fn certificates_know_how_point_to_point_was_read() {
    let folder = folder("certificates-point-to-point");
    let inside = |name: &str| folder.join(name).display().to_string();
    let text = "agent A local: met : bool init: !met receive-guard: true repeat: {true} GET@(two)()[met := true]\n\
        agent B local: met : bool init: !met receive-guard: true repeat: {true} SUPPLY@(any)()[met := true]\n\
        system = A(one, true) || B(two, true)\n// name: apart\nSPEC G !one-met;\n";
    std::fs::write(inside("silent.rcp"), text).expect("a writable folder");
    std::fs::write(inside("says.rcp"), format!("point-to-point: paper\n{text}")).expect("a writable folder");
    let certified = |model: &str, options: &[&str]| {
        let (certificates, model) = (inside("certificates"), inside(model));
        let (code, printed, _) = run(&[&["prove", &model, "--certificate", &certificates], options].concat());
        let verdict = if code == 0 { "holds" } else { "violated" };
        let (code, said, _) = run(&["certify", &model, &inside("certificates/apart.json")]);
        assert!(code == 0 && said.contains(&format!("valid: spec 1 apart {verdict}")), "{printed}{said}");
        std::fs::remove_dir_all(certificates).expect("it was written");
        verdict
    };
    assert_eq!(certified("silent.rcp", &[]), "violated");
    assert_eq!(certified("says.rcp", &[]), "holds");
    for model in ["silent.rcp", "says.rcp"] {
        assert_eq!(certified(model, &["--point-to-point", "paper"]), "holds");
        assert_eq!(certified(model, &["--point-to-point", "tool"]), "violated");
    }
}

#[test]
fn checks_beyond_specs_have_certificates() {
    let folder = folder("certificates-of-checks");
    let arguments =
        ["prove", RELAY, "--quiet", "--deadlock", "--dead-code", "--certificate", &folder.display().to_string()];
    let (code, printed, errors) = run(&arguments);
    assert_eq!((code, errors.as_str()), (1, ""), "{printed}");
    let files = std::fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<String> =
        files.map(|path| path.display().to_string()).filter(|path| path.ends_with(".json")).collect();
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        let (code, printed, errors) = run(&["certify", RELAY, &file]);
        assert_eq!((code, errors.as_str()), (0, ""), "{printed}");
    }
}

#[test]
fn folders_for_certificates_are_tried_first() {
    let file = folder("no-folder").join("file");
    std::fs::write(&file, "").expect("a writable folder");
    let file = file.display().to_string();
    let (code, printed, errors) = run(&["prove", RELAY, "--certificate", &file]);
    assert_eq!((code, printed.as_str()), (2, ""));
    assert!(errors.contains("is no folder"), "{errors}");
    let (code, printed, errors) = run(&["prove", RELAY, "--certificate", &format!("{file}/below")]);
    assert_eq!((code, printed.as_str()), (2, ""));
    assert!(errors.contains("cannot make the folder"), "{errors}");
}

#[test]
fn folders_of_certificates_are_checked() {
    let folder = folder("folder-of-certificates");
    let shown = folder.display().to_string();
    let (code, _, errors) = run(&["certify", RELAY, &shown]);
    assert_eq!(code, 2);
    assert!(errors.contains("there is no certificate in the folder"), "{errors}");
    let inside = |name: &str| folder.join(name).display().to_string();
    let (code, ..) = run(&["prove", RELAY, "--certificate", &shown, "--save-trace", &inside("trace.json")]);
    assert_eq!(code, 0, "as expected: some spec is violated");
    let (code, printed, errors) = run(&["certify", RELAY, &shown]);
    assert_eq!((code, errors.as_str()), (0, ""), "{printed}");
    assert!(printed.ends_with("5 valid, 0 refused, 0 unknown\n"), "{printed}");

    std::fs::write(folder.join("broken.json"), "{").expect("a writable folder");
    let (code, printed, errors) = run(&["certify", RELAY, &shown]);
    assert_eq!(code, 2);
    assert!(errors.contains("broken.json"), "{errors}");
    assert!(printed.ends_with("5 valid, 0 refused, 0 unknown\n"), "the others are checked all the same: {printed}");
}
