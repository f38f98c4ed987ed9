//! Runs the tool in folders of their own.

use crate::common::PATIENCE;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Takes minutes from depth 9 on.
pub const HARD: &str = "specs/load_balancing.rcp";

/// The folder of the project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with models, for one test.
pub struct Folder {
    path: PathBuf,
}

/// The outcome of a run of the tool.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if path.exists() {
            fs::remove_dir_all(&path).expect("the folder of the last run can be removed");
        }
        fs::create_dir_all(&path).expect("the folder is writable");
        Folder { path }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Copies a file of the project; its place in the folder is its name.
    pub fn copy(&self, from: &str) {
        let from = project().join(from);
        fs::copy(&from, self.path.join(from.file_name().expect("a file"))).expect("the file is there");
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("inside of the folder")).expect("the folder is writable");
        fs::write(path, content).expect("the folder is writable");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The records of a file of results.
    pub fn records(&self, name: &str) -> Vec<Value> {
        records(&self.read(name))
    }

    /// The tool, with colours always or never.
    pub fn command(&self, arguments: &[&str], color: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rcheck-smt"));
        command.current_dir(&self.path).args(["--color", color]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the tool.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments, "never").spawn().expect("the tool starts")
    }

    /// Runs the tool, which must end with the code and without a panic.
    #[track_caller]
    pub fn run(&self, code: i32, arguments: &[&str]) -> Done {
        let done = end(self.start(arguments));
        assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
        done
    }
}

/// Waits for the end.
pub fn end(child: Child) -> Done {
    let output = child.wait_with_output().expect("the tool ends");
    let text = |bytes| String::from_utf8(bytes).expect("the tool prints UTF-8");
    let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {:?}", output.status));
    let done = Done { code, stdout: text(output.stdout), stderr: text(output.stderr) };
    assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    done
}

pub fn records(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// `model spec verdict` of each record.
pub fn verdicts(records: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let words = |record: &Value| ["model", "spec", "verdict"].map(|field| text(&record[field])).join(" ");
    records.iter().map(words).collect()
}

/// Sends a signal to a process.
pub fn kill(signal: &str, process: u32) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(sent.expect("kill runs").success(), "process {process} ended by itself");
}

/// The worker processes of a batch, as soon as there is one.
pub fn workers(batch: &Child) -> Vec<u32> {
    let parent = format!("PPid:\t{}", batch.id());
    let is_child = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line == parent)
    };
    let mut found = Vec::new();
    wait_until("a worker", || {
        let processes = fs::read_dir("/proc").expect("there is a /proc");
        let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        found = numbers.filter(is_child).collect();
        !found.is_empty()
    });
    found
}

/// True if a process is there and not just waiting to be buried.
pub fn is_alive(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

/// The processor time that a process took so far, in hundredths of seconds.
fn processor_time(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Its name, which may hold spaces, is in brackets.
    let fields: Vec<&str> = status.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let [user, system] = [11, 12].map(|place| fields.get(place).and_then(|field| field.parse::<u64>().ok()));
    user.unwrap_or(0) + system.unwrap_or(0)
}

/// Waits until a process has worked for a moment: who waits itself, takes no processor time.
pub fn wait_for_work(process: u32) {
    const MOMENT: u64 = 50;
    let before = processor_time(process);
    wait_until("work", || processor_time(process) >= before + MOMENT);
}

/// Reads up to a text, which must come.
pub fn read_until(source: &mut impl Read, expected: &str) -> String {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(expected.as_bytes()) {
        let count = source.read(&mut byte).expect("it is readable");
        assert!(count > 0, "`{expected}` never came:\n{}", String::from_utf8_lossy(&text));
        text.push(byte[0]);
    }
    String::from_utf8(text).expect("the tool prints UTF-8")
}

/// Waits, but not for ever.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "no {what} after {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
