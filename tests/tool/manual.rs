//! Texts for shells and `man`.

use crate::tool::Folder;
use std::process::Command;

/// The commands that `--help` lists.
pub fn commands(folder: &Folder) -> Vec<String> {
    let help = folder.run(0, &["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let name = |line: &str| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).map(str::to_owned);
    let names = listed.filter_map(name).filter_map(|line| line.split(' ').next().map(str::to_owned));
    names.filter(|name| name != "help").collect()
}

#[test]
fn shells_learn_every_command() {
    let folder = Folder::new("manual_completions");
    let commands = commands(&folder);
    assert!(commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(0, &["completions", shell]).stdout;
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
        folder.write(shell, script);
    }
    // The shell itself completes.
    let script = ". ./bash; complete=$(complete -p rcheck-smt | sed 's/.*-F \\([^ ]*\\).*/\\1/'); \
                  COMP_WORDS=(rcheck-smt $@); COMP_CWORD=$#; before=$(($# - 1)); \
                  $complete rcheck-smt \"${@: -1}\" ${COMP_WORDS[$before]}; echo ${COMPREPLY[@]}";
    let complete = |words: &[&str]| {
        let script = [&["-c", script, "bash"], words].concat();
        let done = Command::new("bash").args(script).current_dir(folder.path(".")).output().expect("bash runs");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{words:?}");
        String::from_utf8_lossy(&done.stdout).trim_end().to_owned()
    };
    assert_eq!(complete(&["si"]), "simulate");
    assert_eq!(complete(&["w"]), "", "only the tool itself begins workers");
    assert_eq!(complete(&["prove", "--en"]), "--engine");
    assert!(complete(&["prove", "--engine", "sp"]).contains("spacer"));
    assert!(folder.run(2, &["completions", "csh"]).stderr.contains("possible values"));
}

#[test]
fn every_command_has_a_page() {
    let folder = Folder::new("manual_pages");
    let main = folder.run(0, &["man"]).stdout;
    assert!(main.contains(".TH rcheck-smt 1"), "{main}");
    for command in commands(&folder) {
        let page = folder.run(0, &["man", &command]).stdout;
        assert!(page.contains(&format!(".TH rcheck-smt-{command} 1")), "{page}");
        // As roff writes a `-`.
        assert!(main.contains(&format!("rcheck\\-smt\\-{command}(1)")), "{command} is not in the list:\n{main}");
    }
    assert!(folder.run(2, &["man", "proof"]).stderr.contains("no command `proof`; there are check,"));
    assert!(folder.run(2, &["man", "worker"]).stderr.contains("no command `worker`"));
}
