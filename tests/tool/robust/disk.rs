//! Disks and outputs that take nothing more: what was there stays, nothing half stays, and the exit code is 2.

use crate::tool::{Done, Folder, end};
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

fn relay(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    folder
}

/// Runs the tool where files can take no byte.
fn run_on_full_disk(folder: &Folder, arguments: &[&str]) -> Done {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_rcheck-smt")]).args(arguments);
    shell.current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end(shell.spawn().expect("there is a shell"))
}

/// The names of all files, with their sizes.
fn listing(folder: &Folder) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder.path(".")).expect("a readable folder").map(|entry| entry.expect("readable"));
    let files = entries.filter(|entry| entry.path().is_file());
    let mut files: Vec<_> = files
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.metadata().expect("there").len()))
        .collect();
    files.sort();
    files
}

#[test]
fn what_is_there_stays_where_a_disk_is_full() {
    let folder = relay("disk_full");
    folder.write("wild.rcp", folder.read("relay.rcp").replace(" = ", "   ="));
    for (file, old) in [
        ("out.json", "{\"format\": \"rcheck-smt trace\"}"),
        ("out.svg", "<svg class=\"picture\"/>"),
        ("out.smv", "-- written by rcheck-smt 0.1.0"),
        ("out.csv", "model,constants"),
        ("out.xml", "<testsuites name=\"rcheck-smt\"/>"),
        ("out.html", "<title>rcheck-smt: results</title>"),
    ] {
        folder.write(file, old);
    }
    let done = folder.run(0, &["batch", "relay.rcp", "--output", "results.jsonl"]);
    assert!(done.stdout.contains("5 specs"), "{}", done.stdout);
    let before = listing(&folder);
    let one = ["bmc", "relay.rcp", "--spec", "small"];
    for (arguments, complaint) in [
        (&["fmt", "--write", "wild.rcp"][..], "cannot write wild.rcp"),
        (&[&one[..], &["--save-trace", "out.json"]].concat(), "cannot write out.json"),
        (&[&one[..], &["--chart", "out.svg"]].concat(), "cannot write out.svg"),
        (&["prove", "relay.rcp", "--spec", "small", "--certificate", "c"], "cannot write c/small.json"),
        (&["export", "relay.rcp", "--to", "smv", "--output", "out.smv"], "cannot write out.smv"),
        (&["export", "relay.rcp", "--to", "chc", "--directory", "d"], "cannot write d/relay.spec1.smt2"),
        (&["graph", "relay.rcp", "--output", "out.svg"], "cannot write out.svg"),
        (&["report", "results.jsonl", "--csv", "out.csv"], "cannot write out.csv"),
        (&["report", "results.jsonl", "--junit", "out.xml"], "cannot write out.xml"),
        (&["report", "results.jsonl", "--html", "out.html"], "cannot write out.html"),
        (&["batch", "relay.rcp", "--quiet", "--traces", "t"], "cannot write t/relay.rcp/1-small.txt"),
        (&["batch", "relay.rcp", "--quiet", "--output", "new.jsonl"], "cannot write new.jsonl"),
    ] {
        let done = run_on_full_disk(&folder, arguments);
        assert_eq!(done.code, 2, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
        assert!(done.stderr.contains(complaint), "{arguments:?}\n{}", done.stderr);
        fs::remove_file(folder.path("new.jsonl")).ok();
        assert_eq!(listing(&folder), before, "{arguments:?}");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    let folder = relay("disk_full_output");
    let commands: [&[&str]; 15] = [
        &["fmt", "relay.rcp"],
        &["export", "relay.rcp", "--to", "json"],
        &["graph", "relay.rcp"],
        &["check", "relay.rcp", "--format", "json"],
        &["bmc", "relay.rcp", "--spec", "told_first"],
        &["prove", "relay.rcp", "--spec", "told_first", "--format", "json"],
        &["batch", "relay.rcp", "--quiet"],
        &["report", "results.jsonl"],
        &["certify", "relay.rcp", "certificates"],
        &["simulate", "relay.rcp", "--random", "3"],
        &["check", "relay.rcp", "--format", "sarif"],
        &["batch", "relay.rcp", "--quiet", "--format", "github"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ];
    folder.run(0, &["batch", "relay.rcp", "--output", "results.jsonl"]);
    folder.run(0, &["prove", "relay.rcp", "--spec", "small", "--certificate", "certificates"]);
    for arguments in commands {
        let full = || File::options().write(true).open("/dev/full").expect("there is a full device");
        let done = end(folder.command(arguments, "never").stdout(full()).spawn().expect("the tool starts"));
        assert_eq!(done.code, 2, "{arguments:?}\n{}", done.stderr);
        let complaints = done.stderr.matches("cannot write to standard output").count();
        assert_eq!(complaints, 1, "{arguments:?}\n{}", done.stderr);
        // A run that cannot even complain does not panic.
        let mut command = folder.command(arguments, "never");
        assert_eq!(end(command.stdout(full()).stderr(full()).spawn().expect("the tool starts")).code, 2);
    }
}

#[test]
fn what_is_replaced_keeps_its_permissions_and_its_links() {
    let folder = relay("disk_links");
    let wild = folder.read("relay.rcp").replace(" = ", "   =");
    folder.write("place/wild.rcp", &wild);
    fs::set_permissions(folder.path("place/wild.rcp"), fs::Permissions::from_mode(0o640)).expect("it is ours");
    symlink("place/wild.rcp", folder.path("link.rcp")).expect("links are possible");
    folder.run(0, &["fmt", "--write", "link.rcp"]);
    assert!(folder.path("link.rcp").is_symlink(), "the link stays");
    folder.run(0, &["fmt", "--check", "place/wild.rcp"]);
    assert_eq!(fs::metadata(folder.path("place/wild.rcp")).expect("there").mode() & 0o777, 0o640);
    // A link that leads nowhere yet leads to the new file.
    symlink("place/new.svg", folder.path("link.svg")).expect("links are possible");
    folder.run(0, &["graph", "relay.rcp", "--output", "link.svg"]);
    assert!(folder.path("link.svg").is_symlink() && folder.read("place/new.svg").starts_with("<svg"));
    folder.run(0, &["graph", "relay.rcp", "--format", "svg", "--output", "/dev/null"]);
    let done = folder.run(0, &["graph", "relay.rcp", "--format", "svg", "--output", "/dev/stdout"]);
    assert_eq!(done.stdout, folder.read("link.svg"));
    symlink("round.svg", folder.path("round.svg")).expect("links are possible");
    assert!(folder.run(2, &["graph", "relay.rcp", "--output", "round.svg"]).stderr.contains("cannot write round.svg"));
}
