//! Files that are none, or never end, and numbers that cannot have been meant.

use crate::tool::{Done, Folder, end, kill, read_until, wait_until};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

/// A folder with a model, and one of everything that is no file.
fn folder(name: &str) -> (Folder, UnixListener) {
    let folder = Folder::new(name);
    folder.copy("tests/fixtures/cli/relay.rcp");
    let pipes = ["pipe.rcp", "pipe.smt2", "pipe.json", "certificates/pipe.json"];
    fs::create_dir_all(folder.path("certificates/folder.json")).expect("the folder is writable");
    for pipe in pipes {
        let made = Command::new("mkfifo").arg(folder.path(pipe)).status();
        assert!(made.expect("there are pipes").success());
    }
    let endless = File::create(folder.path("endless.rcp")).expect("the folder is writable");
    endless.set_len(1 << 40).expect("holes are possible");
    // The path of a socket has to be short.
    let socket = UnixListener::bind(folder.path("socket.rcp")).expect("there are sockets");
    (folder, socket)
}

/// Runs the tool, which must end.
fn run(folder: &Folder, code: i32, arguments: &[&str]) -> Done {
    let mut child = folder.command(arguments, "never").spawn().expect("the tool starts");
    wait_until("end", || child.try_wait().expect("it is ours").is_some());
    let done = end(child);
    assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    done
}

#[test]
fn only_regular_files_are_read() {
    let (folder, _socket) = folder("inputs");
    for (arguments, complaint) in [
        (&["check", "pipe.rcp"][..], "pipe.rcp is a pipe, no regular file"),
        (&["check", "socket.rcp"], "socket.rcp is a socket, no regular file"),
        (&["fmt", "/dev/zero"], "/dev/zero is a device, no regular file"),
        (&["bmc", "certificates"], "certificates is a folder"),
        (&["prove", "endless.rcp"], "endless.rcp is larger than 64 MB, the most that is read"),
        (&["graph", "pipe.rcp"], "pipe.rcp is a pipe"),
        (&["export", "--to", "smv", "/dev/random"], "/dev/random is a device"),
        (&["simulate", "relay.rcp", "--trace", "pipe.json"], "pipe.json is a pipe"),
        (&["certify", "relay.rcp", "pipe.json"], "pipe.json is a pipe"),
        (&["certify", "relay.rcp", "certificates"], "certificates/pipe.json is a pipe"),
        (&["certify", "relay.rcp", "endless.rcp"], "endless.rcp is larger than 1024 MB"),
        (&["report", "pipe.json", "/dev/zero"], "/dev/zero is a device"),
    ] {
        let done = run(&folder, 2, arguments);
        assert!(done.stderr.contains(complaint), "{arguments:?}\n{}", done.stderr);
        assert!(!done.stderr.contains("folder.json"), "{arguments:?}\n{}", done.stderr);
    }
    let done = run(&folder, 2, &["batch", "."]);
    for file in ["pipe.rcp", "pipe.smt2", "socket.rcp"] {
        assert!(done.stdout.contains(&format!("{file} (file): error (it is no regular file)")), "{}", done.stdout);
    }
}

/// A page shows the models that its results name.
#[test]
fn pages_read_regular_files_only() {
    let (folder, _socket) = folder("inputs_page");
    folder.run(0, &["batch", "relay.rcp", "--output", "r.jsonl"]);
    for file in ["pipe.rcp", "endless.rcp", "/dev/zero", "certificates"] {
        let forged = folder.records("r.jsonl").into_iter().map(|mut record| {
            record["model"] = file.into();
            record.to_string() + "\n"
        });
        folder.write("forged.jsonl", forged.collect::<String>());
        run(&folder, 0, &["report", "forged.jsonl", "--html", "r.html"]);
        let page = folder.read("r.html");
        assert!(page.contains(&format!("No chart: {file} is")), "{file}:\n{page}");
    }
}

#[test]
fn scripts_end() {
    let (folder, _socket) = folder("inputs_script");
    let mut command = folder.command(&["simulate", "relay.rcp"], "never");
    let zero = File::open("/dev/zero").expect("there is a source of zeros");
    let done = end(command.stdin(zero).spawn().expect("the tool starts"));
    assert_eq!((done.code, done.stderr.contains("a line of the script is longer than")), (2, true), "{}", done.stderr);
}

#[test]
fn numbers_beyond_all_measure() {
    let (folder, _socket) = folder("inputs_numbers");
    folder.run(0, &["batch", "relay.rcp", "--output", "r.jsonl"]);
    let honest = folder.records("r.jsonl");
    for (path, number) in [
        ("/seconds/wall", 1e308),
        ("/seconds/wall", -1.0),
        ("/seconds/solving", 1e300),
        ("/peak_memory", 1e300),
        ("/timeout", 1e300),
    ] {
        let mut records = honest.clone();
        *records[0].pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = number.into();
        folder.write("forged.jsonl", records.iter().map(|record| record.to_string() + "\n").collect::<String>());
        let done = run(&folder, 2, &["report", "forged.jsonl", "--html", "r.html", "--csv", "r.csv"]);
        assert!(done.stderr.contains("line 1: it is no result: "), "{path}\n{}", done.stderr);
        assert!(folder.read("r.html").len() < 1 << 20 && done.stdout.contains("4 specs"), "{}", done.stdout);
    }
    for arguments in [["--memory", "4294967295"], ["--timeout", "1e19"], ["--timeout", "18446744073709551615h"]] {
        let done = run(&folder, 2, &[&["bmc", "relay.rcp"][..], &arguments].concat());
        assert!(done.stderr.contains("leave the limit out"), "{}", done.stderr);
    }
}

#[test]
fn too_many_jobs_are_not_started() {
    let (folder, _socket) = folder("inputs_jobs");
    let done = run(&folder, 0, &["batch", "relay.rcp", "--jobs", "60000"]);
    assert!(done.stderr.contains("jobs run at the same time, not 60000"), "{}", done.stderr);
    run(&folder, 0, &["bmc", "relay.rcp", "--jobs", "60000"]);
}

#[test]
fn too_little_memory_to_start_is_said() {
    let (folder, _socket) = folder("inputs_start");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 200000; exec \"$0\" check relay.rcp", env!("CARGO_BIN_EXE_rcheck-smt")]);
    shell.current_dir(folder.path(".")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = end(shell.spawn().expect("there is a shell"));
    assert_eq!((done.code, done.stderr.contains("error: cannot start")), (2, true), "{}", done.stderr);
}

/// Whatever a command is doing.
#[test]
fn an_interrupt_has_a_code_of_its_own() {
    let (folder, _socket) = folder("inputs_interrupt");
    let mut child =
        folder.command(&["simulate", "relay.rcp"], "never").stdin(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"specs\n").expect("it reads");
    read_until(child.stdout.as_mut().expect("piped"), "> specs");
    kill("INT", child.id());
    assert_eq!(end(child).code, 130);
}
