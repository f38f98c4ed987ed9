//! What is not the tool's own is not overwritten, under whatever name.

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
        assert!(folder.run(2, arguments).stderr.contains("is what this command reads"));
    }
    assert_eq!(folder.read("r.jsonl"), results);
    for neighbour in ["r.jsonl.new", ".rcheck-smt", "c/.rcheck-smt"] {
        assert_eq!(folder.read(neighbour), "mine");
    }
}
