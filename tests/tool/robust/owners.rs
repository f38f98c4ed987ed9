//! Files that are not the tool's own are not overwritten, under whatever name.

use crate::tool::Folder;
use std::fs;
use std::os::unix::fs::symlink;

fn relay(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder
}

#[test]
fn the_model_is_not_overwritten() {
    let folder = relay("owners_model");
    let model = folder.read("relay.rcp");
    fs::create_dir(folder.path("sub")).expect("the folder is writable");
    folder.write("other.rcp", &model);
    symlink("relay.rcp", folder.path("soft.svg")).expect("links are possible");
    fs::hard_link(folder.path("relay.rcp"), folder.path("hard.svg")).expect("links are possible");
    let one = ["bmc", "relay.rcp", "--spec", "small"];
    let reads = "is what this command reads";
    for (arguments, complaint) in [
        (&[&one[..], &["--save-trace", "relay.rcp"]].concat()[..], reads),
        (&[&one[..], &["--save-trace", "sub/../relay.rcp"]].concat(), reads),
        (&[&one[..], &["--chart", "soft.svg"]].concat(), reads),
        (&[&one[..], &["--chart", "hard.svg"]].concat(), reads),
        (&[&one[..], &["--chart", "a.svg", "--save-trace", "./a.svg"]].concat(), "named for two things"),
        (&["export", "relay.rcp", "--to", "smv", "--output", "relay.rcp"], reads),
        (&["export", "relay.rcp", "--to", "smv", "--output", "other.rcp"], "is a model"),
        (&["graph", "relay.rcp", "--output", "soft.svg"], reads),
        (&["batch", "relay.rcp", "--csv", "hard.svg"], reads),
        (&["batch", "relay.rcp", "--output", "hard.svg"], reads),
        (&["batch", "relay.rcp", "--html", "r", "--csv", "r"], "named for two things"),
        (&["batch", "relay.rcp", "--output", "r", "--junit", "./r"], "named for two things"),
    ] {
        let done = folder.run(2, arguments);
        assert!(done.stderr.contains(complaint), "{arguments:?}\n{}", done.stderr);
        // It is known before the search.
        assert!(!done.stdout.contains("violated"), "{arguments:?}\n{}", done.stdout);
        for file in ["relay.rcp", "other.rcp", "soft.svg", "hard.svg"] {
            assert!(folder.read(file) == model, "{arguments:?} changed {file}");
        }
    }
    assert!(!folder.path("r").exists(), "nothing came of it");
}

#[test]
fn neighbours_and_results_are_not_overwritten() {
    let folder = relay("owners_neighbours");
    for neighbour in ["r.jsonl.new", ".rcheck-smt", "c/.rcheck-smt"] {
        folder.write(neighbour, "mine");
    }
    folder.run(
        0,
        &["batch", "relay.rcp", "--output", "r.jsonl", "--traces", "t", "--mode", "prove", "--certificate", "c"],
    );
    let results = folder.read("r.jsonl");
    for arguments in [&["report", "r.jsonl", "--html", "r.jsonl"], &["report", "r.jsonl", "--csv", "./r.jsonl"]] {
        assert!(folder.run(2, arguments).stderr.contains("would be overwritten"));
    }
    assert_eq!(folder.read("r.jsonl"), results);
    for neighbour in ["r.jsonl.new", ".rcheck-smt", "c/.rcheck-smt"] {
        assert_eq!(folder.read(neighbour), "mine");
    }
}

/// Every option that writes a file, with the kinds of file that are not of its own kind.
#[test]
fn files_of_another_kind_are_not_overwritten() {
    let folder = relay("owners_kinds");
    folder.run(
        0,
        &["batch", "relay.rcp", "--output", "r.jsonl", "--html", "r.html", "--csv", "r.csv", "--junit", "r.xml"],
    );
    folder.run(0, &["prove", "relay.rcp", "--spec", "small", "--save-trace", "t.json", "--chart", "p.svg"]);
    folder.run(0, &["prove", "relay.rcp", "--spec", "small", "--save-trace", "t.itf.json", "--chart", "c.txt"]);
    folder.run(0, &["prove", "relay.rcp", "--spec", "small", "--certificate", "c", "--chart", "c.md"]);
    folder.run(0, &["export", "relay.rcp", "--to", "smv", "--output", "e.smv"]);
    folder.write("notes.txt", "spectacular things to do\n");
    folder.write("other.json", "{\"mine\": true}");
    fs::copy(folder.path("c/small.json"), folder.path("c.json")).expect("the folder is writable");
    let kept = [
        ("r.jsonl", ""),
        ("r.html", "--html"),
        ("r.csv", "--csv"),
        ("r.xml", "--junit"),
        ("t.json", "--save-trace"),
        ("p.svg", "--chart"),
        ("c.json", ""),
        ("c.txt", "--chart"),
        ("c.md", "--chart"),
        ("e.smv", "--output"),
        ("notes.txt", ""),
        ("other.json", ""),
    ];
    let charts = ["c.txt", "c.md", "p.svg", "notes.txt"];
    let one = ["bmc", "relay.rcp", "--spec", "small"];
    fs::copy(folder.path("r.jsonl"), folder.path("s.jsonl")).expect("the folder is writable");
    for (command, option) in [
        (&["report", "s.jsonl"][..], "--html"),
        (&["report", "s.jsonl"], "--csv"),
        (&["report", "s.jsonl"], "--junit"),
        (&one, "--save-trace"),
        (&one, "--chart"),
        (&["export", "relay.rcp", "--to", "smv"], "--output"),
        (&["graph", "relay.rcp", "--format", "dot"], "--output"),
    ] {
        let others = kept.iter().filter(|(file, own)| *own != option && (option != "--chart" || charts.contains(file)));
        for (file, _) in others {
            let before = folder.read(file);
            let done = folder.run(2, &[command, &[option, file]].concat());
            let words = "and would be overwritten; name another file, or remove it";
            assert!(done.stderr.contains(words), "{command:?} {option} {file}: {}", done.stderr);
            assert!(!done.stdout.contains("violated"), "it is known before the search");
            assert!(folder.read(file) == before, "{command:?} {option} {file}");
        }
    }
    for file in ["t.json", "other.json", "c.json", "notes.txt"] {
        let done = folder.run(2, &["batch", "relay.rcp", "--output", file]);
        assert!(done.stderr.contains("is no file of results"), "{file}: {}", done.stderr);
    }
    // Its own files it replaces.
    folder.run(0, &["report", "r.jsonl", "--html", "r.html", "--csv", "r.csv", "--junit", "r.xml"]);
    for (trace, chart) in [("t.json", "p.svg"), ("t.itf.json", "c.txt"), ("t.json", "c.md")] {
        folder.run(0, &[&one[..], &["--save-trace", trace, "--chart", chart]].concat());
    }
    folder.run(0, &["export", "relay.rcp", "--to", "smv", "--output", "e.smv"]);
    folder.write("c/small.json", "mine");
    let done = folder.run(2, &["prove", "relay.rcp", "--spec", "small", "--certificate", "c"]);
    assert!(done.stderr.contains("c/small.json is no certificate"), "{}", done.stderr);
    assert_eq!(folder.read("c/small.json"), "mine");
}
