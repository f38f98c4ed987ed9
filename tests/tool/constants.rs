//! `--const`: one value, several values in `batch`, and files that keep the values.

use crate::tool::Folder;
use serde_json::json;

const MODEL: &str = "\
const N = 2;
const fast = false;
agent Client
    local: id : 1..9, tickets : 0..3
    init: tickets = 1
    receive-guard: false
    repeat: ask: {tickets > 0} *! (true)()[tickets := if fast then 0 else tickets - 1]
system = Client(client[1..N], id = index)
// name: few
SPEC G (size(Client) < 4);
// name: served
SPEC F ((sum k : Client . k-tickets) = 0);
// name: never_served
SPEC G (client1-tickets = 1);
";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("m.rcp", MODEL);
    folder
}

#[test]
fn every_command_takes_other_values() {
    let folder = folder("constants_commands");
    let done = folder.run(1, &["prove", "m.rcp", "--const", "N=4", "--spec", "few"]);
    assert!(
        done.stdout.contains("violated in an initial state") && done.stdout.contains("client4:"),
        "{}",
        done.stdout
    );
    folder.run(0, &["prove", "m.rcp", "--spec", "few"]);
    folder.run(1, &["bmc", "m.rcp", "--const", "N=5", "--const", "fast=true", "--spec", "few"]);
    let done = folder.run(0, &["check", "m.rcp", "--const", "N=7"]);
    assert!(done.stdout.contains("7 instances"), "{}", done.stdout);
    let done = folder.run(0, &["export", "m.rcp", "--to", "json", "--const", "N=3"]);
    assert!(done.stdout.contains("client3") && !done.stdout.contains("client4"), "{}", done.stdout);
    assert!(done.stdout.contains(r#""constants": {"#), "{}", done.stdout);
    let done = folder.run(0, &["export", "m.rcp", "--to", "smv", "--const", "N=3"]);
    assert!(done.stdout.contains("-- constants: N = 3, fast = false"), "{}", done.stdout);
    let done = folder.run(0, &["graph", "m.rcp", "--reachable", "20", "--const", "N=1"]);
    assert!(!done.stdout.contains("client2"), "{}", done.stdout);
}

#[test]
fn wrong_constants_are_errors() {
    let folder = folder("constants_wrong");
    folder.write("plain.rcp", MODEL.replace("const N = 2;", "").replace("N]", "2]"));
    for (arguments, words) in [
        (&["prove", "m.rcp", "--const", "M=4"][..], "no constant is called `M`; the file declares `N`, `fast`"),
        (&["prove", "plain.rcp", "--const", "M=4"], "no constant is called `M`; the file declares `fast`"),
        (&["prove", "m.rcp", "--const", "N=true"], "it is of type `int`"),
        (&["check", "m.rcp", "--const", "fast=1"], "it is of type `bool`"),
        (&["prove", "m.rcp", "--const", "N"], "expected a name and a value"),
        (&["prove", "m.rcp", "--const", "N=x"], "expected a name and a value"),
        (&["prove", "m.rcp", "--const", "N=1..3"], "ranges, as in `N=2..6`, are for `batch`"),
        (&["batch", "m.rcp", "--const", "N=3..1"], "begins with the least"),
        (&["batch", "m.rcp", "--const", "N=1..5000"], "from 1 to 1000 values"),
        (&["bmc", "m.rcp", "--const", "N=1", "--const", "N=2"], "gives `N` a value twice"),
        (&["bmc", "m.rcp", "--const", "=2"], "expected a name and a value"),
        (&["batch", "m.rcp", "--const", "N=1..900", "--const", "a=1..900"], "more than 1000 combinations"),
    ] {
        let done = folder.run(2, arguments);
        assert!(done.stderr.contains(words), "{arguments:?}: {}", done.stderr);
        assert!(done.stdout.is_empty(), "{arguments:?}: {}", done.stdout);
    }
    let done = folder.run(2, &["batch", ".", "--const", "N=2", "--bound", "3"]);
    assert!(done.stdout.contains("plain.rcp (N = 2) (file): error (plain.rcp: no constant"), "{}", done.stdout);
    assert!(done.stdout.contains("m.rcp:14 (N = 2) 3 never_served"), "{}", done.stdout);
}

#[test]
fn models_are_written_out() {
    let folder = folder("constants_plain");
    folder.run(2, &["fmt", "m.rcp", "--plain"]);
    folder.write("p.rcp", MODEL.replace("if fast then 0 else tickets - 1", "tickets - 1"));
    let done = folder.run(0, &["fmt", "p.rcp", "--plain", "--const", "N=3"]);
    assert!(done.stdout.contains("Client(client3, id = 3)") && !done.stdout.contains("const"), "{}", done.stdout);
    folder.write("plain.rcp", &done.stdout);
    let (short, plain) = (["prove", "p.rcp", "--const", "N=3"], ["prove", "plain.rcp"]);
    let verdicts = |text: &str| text.lines().filter(|line| line.starts_with("spec ")).map(str::to_owned).collect();
    let both: [Vec<String>; 2] = [&short[..], &plain[..]].map(|arguments| verdicts(&folder.run(1, arguments).stdout));
    assert_eq!(both[0], both[1]);
    let done = folder.run(2, &["fmt", "p.rcp", "--const", "N=3"]);
    assert!(done.stderr.contains("with `--plain` only"), "{}", done.stderr);
}

const BATCH: [&str; 8] = ["batch", "m.rcp", "--mode", "prove", "--const", "N=1..3", "--output", "r.jsonl"];

#[test]
fn a_batch_answers_once_per_value() {
    let folder = folder("constants_batch");
    let more = ["--certificate", "proofs", "--traces", "traces", "--csv", "r.csv", "--html", "r.html"];
    let done = folder.run(1, &[&BATCH[..], &more].concat());
    let records = folder.records("r.jsonl");
    assert_eq!(records.len(), 9);
    for (index, record) in records.iter().enumerate() {
        assert_eq!(record["constants"], json!({ "N": index / 3 + 1 }), "{record}");
        assert_eq!(record["spec"], json!(index % 3 + 1), "{record}");
    }
    assert!(
        done.stdout.contains("m.rcp (N = 2)\n") && done.stdout.contains("m.rcp:14 (N = 3) 3 never_served"),
        "{}",
        done.stdout
    );
    assert!(folder.read("r.csv").contains("\nm.rcp,N=3,1,"), "{}", folder.read("r.csv"));
    let page = folder.read("r.html");
    assert!(page.contains("m.rcp (N = 3)") && page.contains("Times against values of N"), "{page}");
    for path in ["proofs/m.rcp/N=1/1-few.certificate.json", "traces/m.rcp/N=3/3-never_served.txt"] {
        assert!(folder.path(path).exists(), "{path}");
    }
    // Certificates and traces know the values that they are about.
    let done = folder.run(0, &["certify", "m.rcp", "proofs"]);
    assert!(done.stdout.contains("9 valid, 0 refused"), "{}", done.stdout);
    let done = folder.run(1, &["certify", "m.rcp", "--const", "N=2", "proofs/m.rcp/N=3/1-few.certificate.json"]);
    assert!(done.stdout.contains("refused"), "{}", done.stdout);
    let trace = "traces/m.rcp/N=3/3-never_served.json";
    assert!(folder.read(trace).contains(r#""constants":{"N":3,"fast":false}"#), "{}", folder.read(trace));
    for trace in [trace, "traces/m.rcp/N=3/3-never_served.itf.json"] {
        let done = folder.run(0, &["simulate", "m.rcp", "--trace", trace]);
        assert!(done.stdout.contains("client3"), "{}", done.stdout);
        let done = folder.run(2, &["simulate", "m.rcp", "--const", "N=2", "--trace", trace]);
        assert!(done.stderr.contains("the model or its constants were changed"), "{}", done.stderr);
    }
}

#[test]
fn certificates_are_about_the_constants_of_their_model() {
    let folder = folder("constants_certified");
    folder.run(1, &["prove", "m.rcp", "--certificate", "file"]);
    folder.run(1, &["prove", "m.rcp", "--const", "N=3", "--certificate", "three"]);
    let done = folder.run(0, &["certify", "m.rcp", "file", "three"]);
    assert!(done.stdout.contains("few holds\n") && done.stdout.contains("few holds (with N = 3)"), "{}", done.stdout);
    // Of what the file says itself nothing is replaced.
    folder.write("m.rcp", MODEL.replace("N = 2", "N = 1"));
    let done = folder.run(1, &["certify", "m.rcp", "file", "three"]);
    let words = "not a certificate for this model, where N = 1, fast = false: it was made where N = 2, fast = false";
    assert!(done.stdout.contains(words) && done.stdout.contains("3 valid, 3 refused"), "{}", done.stdout);
    folder.write("m.rcp", MODEL.replace("const fast = false", "const fast = N > 2"));
    let done = folder.run(1, &["certify", "m.rcp", "file", "three"]);
    assert!(done.stdout.contains("3 valid, 3 refused"), "{}", done.stdout);
    // One that names an unknown constant is refused, and not the others.
    folder.write("m.rcp", MODEL);
    let text = folder.read("three/few.json");
    folder.write("three/few.json", text.replace(r#""given":{"#, r#""given":{"Q":3,"#));
    let done = folder.run(1, &["certify", "m.rcp", "file", "three"]);
    assert!(done.stdout.contains("no constant is called `Q`"), "{}", done.stdout);
    assert!(done.stdout.contains("5 valid, 1 refused"), "{}", done.stdout);
    // So is one in which the value of a constant is none.
    folder.write("three/few.json", text.replace(r#""given":{"N":3"#, r#""given":{"N":"three""#));
    let done = folder.run(2, &["certify", "m.rcp", "three/few.json"]);
    assert!(done.stderr.contains("the value of a constant is an integer, `true` or `false`"), "{}", done.stderr);
    folder.write("three/few.json", text.replace(r#""given":{"#, r#""given":{"Q":3,"#));
    // A value given on the command line goes first, and leaves the others as they are.
    let done = folder.run(1, &["certify", "m.rcp", "--const", "fast=true", "file"]);
    assert!(done.stdout.contains("0 valid, 3 refused"), "{}", done.stdout);
    let done = folder.run(1, &["certify", "m.rcp", "--const", "fast=false", "three"]);
    assert!(done.stdout.contains("2 valid, 1 refused"), "{}", done.stdout);
}

#[test]
fn families_of_any_size_need_no_option() {
    let folder = folder("constants_any_number");
    let agent = "agent A\n local: x : bool\n init: !x\n repeat: s: {true} *! (false)()[x := true]\n";
    folder.write("any.rcp", format!("{agent}system = A(a[*], true)\nSPEC true;\n"));
    folder.write("other.rcp", format!("{agent}system = A(a, true) || A(b, x)\nSPEC true;\n"));
    let done = folder.run(2, &["prove", "--any-number", "A", "any.rcp"]);
    assert!(done.stderr.contains("any number of `A` already: the file has the family `a[*]`"), "{}", done.stderr);
    let done = folder.run(2, &["prove", "--any-number", "A", "other.rcp"]);
    let said =
        "there cannot be any number of `A`: no two instances are alike. They have `true` (line 5) and `x` (line 5)";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    folder.write("one.rcp", format!("{agent}system = A(a, true)\nSPEC true;\n"));
    let done = folder.run(2, &["prove", "--any-number", "A", "one.rcp"]);
    assert!(done.stderr.contains("any number of `A`: the file lists no two instances"), "{}", done.stderr);
    let two = "enum channel {c, d, e, f}\nagent A\n local: l : channel\n receive-guard: chan = l\n repeat: s: {true} *! (false)()[]
agent B\n local: l : channel\n receive-guard: chan = l\n repeat: s: {true} *! (false)()[]
system = A(a, l = c) || A(b, l = d) || B(k, l = d) || B(m, l = e)\nSPEC true;\n";
    folder.write("shared.rcp", two);
    folder.run(0, &["check", "--any-number", "A", "shared.rcp"]);
    let done = folder.run(2, &["check", "--any-number", "A,B", "shared.rcp"]);
    let said = "any number of `B`: members of two families would have the channel `d` as their own";
    assert!(done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn a_batch_goes_on_with_other_values() {
    let folder = folder("constants_resume");
    folder.run(1, &BATCH);
    let before = folder.read("r.jsonl");
    folder.run(1, &[&BATCH[..], &["--resume"]].concat());
    assert_eq!(folder.read("r.jsonl"), before);
    let wider = ["batch", "m.rcp", "--mode", "prove", "--const", "N=3..4", "--output", "r.jsonl", "--resume"];
    folder.run(1, &wider);
    let of_four = |lines: &str| lines.lines().filter(|line| line.contains(r#""constants":{"N":4}"#)).count();
    assert_eq!((of_four(&folder.read("r.jsonl")), folder.records("r.jsonl").len()), (3, 12));
    let kept = before.lines().filter(|line| line.contains(r#""constants":{"N":3}"#));
    assert!(kept.clone().count() == 3 && kept.into_iter().all(|line| folder.read("r.jsonl").contains(line)));
    // Without values, it is another question.
    folder.run(1, &["batch", "m.rcp", "--mode", "prove", "--output", "r.jsonl", "--resume"]);
    assert!(folder.read("r.jsonl").contains(r#""constants":{}"#));
}

#[test]
fn integers_of_any_size_pass_through_all_files() {
    let folder = Folder::new("constants_large");
    folder.write(
        "m.rcp",
        "const N = 18446744073709551615;
message-structure: V : int
agent Account
    local: balance : int, heard : int
    init: balance = N & heard = 0
    receive-guard: chan = *
    repeat: (pay: {balance > N - 3} *! (true)(V := balance * N)[balance := balance - 1] + hear: {true} *? [heard := V])
system = Account(a, true) || Account(b, true)
// expect: holds
SPEC G (a-balance >= N - 3);
// expect: violated
SPEC G (a-heard < 340282366920938463426481119284349108225);
",
    );
    let done = folder.run(0, &["prove", "m.rcp", "--certificate", "proofs", "--save-trace", "t.json"]);
    assert!(done.stdout.contains("heard 0 -> 340282366920938463426481119284349108225"), "{}", done.stdout);
    assert!(
        folder.read("t-2.json").contains(r#""constants":{"N":"18446744073709551615"}"#),
        "{}",
        folder.read("t-2.json")
    );
    let done = folder.run(0, &["certify", "m.rcp", "proofs"]);
    assert!(done.stdout.contains("2 valid, 0 refused"), "{}", done.stdout);
    let done = folder.run(0, &["simulate", "m.rcp", "--trace", "t-2.json"]);
    assert!(done.stdout.contains("340282366920938463426481119284349108225"), "{}", done.stdout);
    let done = folder.run(0, &["prove", "m.rcp", "--spec", "2", "--const", "N=0018446744073709551618"]);
    assert!(done.stdout.contains("balance = 18446744073709551618"), "{}", done.stdout);
    for to in ["smv", "vmt", "chc", "json"] {
        let done = folder.run(0, &["export", "m.rcp", "--spec", "2", "--to", to]);
        assert!(done.stdout.contains("340282366920938463426481119284349108225"), "{to}: {}", done.stdout);
    }
    let values = "N=18446744073709551615..18446744073709551617";
    folder.run(0, &["batch", "m.rcp", "--mode", "prove", "--const", values, "--output", "r.jsonl"]);
    let given: Vec<_> =
        folder.records("r.jsonl").iter().step_by(2).map(|record| record["constants"]["N"].clone()).collect();
    assert_eq!(given, ["18446744073709551615", "18446744073709551616", "18446744073709551617"].map(|it| json!(it)));
}
