//! Every block `console` of the book and of README.md is run, and what it prints is compared.
//!
//! A line `$ COMMAND` is run by the shell, in a folder with `specs/` and the models of the page that have a name
//! (`rcp,file=room.rcp`), and the lines `> TEXT` below it are its input. The other lines are what it prints, on standard
//! output and standard error: a line `...` stands for any lines, `[..]` for anything within a line. `RCHECK_BOOK=write`
//! puts what is printed in place of what does not fit.

use super::page::{Block, Page};
use crate::tool::{Folder, project};
use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A command and what it shall print.
struct Example<'a> {
    command: &'a str,
    input: String,
    printed: Vec<&'a str>,
}

fn examples(block: &Block) -> Vec<Example<'_>> {
    let mut examples: Vec<Example> = Vec::new();
    for line in block.text.lines() {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push(Example { command, input: String::new(), printed: Vec::new() }),
            (None, Some(example)) => {
                if let Some(input) = line.strip_prefix("> ") {
                    example.input += &format!("{input}\n");
                }
                example.printed.push(line);
            }
            (None, None) => panic!("a block `console` begins with a command: {line}"),
        }
    }
    examples
}

/// A core that this process may use.
fn core() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a /proc");
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("Linux says so");
    cores.trim().chars().take_while(char::is_ascii_digit).collect()
}

/// Runs a command; what it prints, in the order in which a terminal shows it.
fn run(folder: &Folder, example: &Example) -> String {
    let tool = std::path::Path::new(env!("CARGO_BIN_EXE_rcheck-smt"));
    let tools = tool.parent().expect("it is in a folder").display();
    let (mut reader, writer) = std::io::pipe().expect("there are pipes");
    // On one core results come in the order of the specs.
    let mut command = Command::new("taskset");
    command
        .args(["--cpu-list", &core(), "sh", "-c", example.command])
        .current_dir(folder.path("."))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1");
    command.env("PATH", format!("{tools}:{}", std::env::var("PATH").expect("there is a PATH")));
    command.stdin(Stdio::piped()).stdout(writer.try_clone().expect("a pipe")).stderr(writer);
    let mut child = command.spawn().expect("a shell starts");
    drop(command);
    child.stdin.take().expect("it is a pipe").write_all(example.input.as_bytes()).expect("it reads its input");
    let mut printed = String::new();
    reader.read_to_string(&mut printed).expect("it prints UTF-8");
    let code = child.wait().expect("it ends").code();
    assert!(code.is_some_and(|code| code != 3 && code < 100), "{} ends with {code:?}:\n{printed}", example.command);
    printed
}

/// True if the lines are as a page shows them.
fn fits(expected: &[&str], printed: &[&str]) -> bool {
    match (expected, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..])),
        ([first, expected @ ..], [line, printed @ ..]) => line_fits(first, line.trim_end()) && fits(expected, printed),
        _ => false,
    }
}

fn line_fits(expected: &str, line: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected.trim_end() == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| line_fits(after, &rest[at..]))
        }),
    }
}

/// Runs the examples of a page; what does not fit, with the text that would.
fn differences(page: &Page) -> Vec<(Range<usize>, usize, String)> {
    let folder = Folder::new(&format!("book_{}", page.path.replace('/', "_")));
    std::os::unix::fs::symlink(project().join("specs"), folder.path("specs")).expect("the folder is writable");
    let mut found = Vec::new();
    for block in page.blocks() {
        if let Some(name) = block.words.iter().find_map(|word| word.strip_prefix("file=")) {
            folder.write(name, &block.text);
        }
        if block.language != "console" {
            continue;
        }
        let (mut text, mut is_right) = (String::new(), true);
        for example in examples(&block) {
            let printed = run(&folder, &example);
            let lines: Vec<&str> = printed.lines().collect();
            let as_shown = fits(&example.printed, &lines);
            is_right &= as_shown;
            let shown = if as_shown { &example.printed } else { &lines };
            text += &format!("$ {}\n", example.command);
            shown.iter().for_each(|line| text += &format!("{}\n", line.trim_end()));
        }
        if !is_right {
            found.push((block.range, block.line, text));
        }
    }
    found
}

#[test]
fn commands_print_what_pages_say() {
    let mut pages = Page::of_book();
    pages.push(Page::read("README.md"));
    let (waiting, wrong) = (Mutex::new(pages), Mutex::new(Vec::new()));
    let next = || waiting.lock().expect("no panic").pop();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(page) = next() {
                    let found = differences(&page);
                    if std::env::var("RCHECK_BOOK").is_ok_and(|wish| wish == "write") {
                        let mut text = page.text.clone();
                        found.iter().rev().for_each(|(range, _, right)| text.replace_range(range.clone(), right));
                        std::fs::write(project().join(&page.path), text).expect("the page is writable");
                    }
                    let report = |(_, line, text)| format!("{}:{line} should be\n{text}", page.path);
                    wrong.lock().expect("no panic").extend(found.into_iter().map(report));
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dots_stand_for_what_a_page_leaves_out() {
    let printed = ["one", "two 17", "three"];
    for expected in [
        &["one", "two 17", "three"][..],
        &["..."],
        &["one", "..."],
        &["...", "two [..]", "..."],
        &["one", "...", "three"],
    ] {
        assert!(fits(expected, &printed), "{expected:?}");
    }
    for expected in [&["one", "three"][..], &["...", "two"], &["one", "two [..]"], &[], &["one", "[..] 18", "..."]] {
        assert!(!fits(expected, &printed), "{expected:?}");
    }
}
