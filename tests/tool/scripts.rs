//! Scripts of the checkout: each answers `--help`, and does nothing else then.

use crate::tool::{Folder, project};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().map(|entry| entry.expect("it can be read"));
    entries.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect()
}

#[test]
fn each_script_answers_help_and_does_nothing_else() {
    let folder = Folder::new("scripts-help");
    for part in ["scripts", "benchmarks", "fuzz/run"] {
        for file in files(&project().join(part)) {
            let name = file.strip_prefix(project()).expect("it is of the project");
            let copy = folder.path(".").join(name);
            fs::create_dir_all(copy.parent().expect("it is in a folder")).expect("the folder is writable");
            fs::copy(&file, copy).expect("the folder is writable");
        }
    }
    let before = files(&folder.path("."));
    let starts = |script: &PathBuf| fs::read(script).is_ok_and(|text| text.starts_with(b"#!"));
    let scripts: Vec<&PathBuf> = before.iter().filter(|script| starts(script)).collect();
    assert!(scripts.len() > 30, "{scripts:?}");
    for script in scripts {
        for option in ["--help", "-h"] {
            let shell = if script.extension().is_some_and(|it| it == "py") { "python3" } else { "bash" };
            let done = Command::new(shell)
                .arg(script)
                .arg(option)
                .current_dir(folder.path("."))
                .env("CARGO_TARGET_DIR", folder.path("target"))
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .output()
                .expect("bash and python3 are there");
            let (text, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success(), "{} {option}: {text}{errors}", script.display());
            let name = script.file_stem().expect("it has a name").to_string_lossy();
            assert!(
                text.to_lowercase().contains("usage: ") || text.contains("Usage:\n"),
                "{}: {text}",
                script.display()
            );
            assert!(text.contains(&*name), "{}: {text}", script.display());
            assert_eq!(errors, "", "{}", script.display());
        }
    }
    assert_eq!(files(&folder.path(".")), before, "nothing is made");
}
