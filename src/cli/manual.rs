//! `rcheck-smt completions` and `rcheck-smt man`: what shells and `man` know of the commands.

use crate::cli::help;
use crate::cli::io::out::document;
use crate::cli::status::Status;
use anyhow::{Context, Result, anyhow};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man as Page;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// The command; without it, the page lists all of them.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Prints a script for the shell.
pub fn complete(command: &Completions) -> Result<Status> {
    let (mut script, all) = (Vec::new(), help::command());
    let name = all.get_name().to_owned();
    let mut shown = Command::new("rcheck-smt")
        .args(all.get_arguments().cloned())
        .subcommands(all.get_subcommands().filter(|command| !command.is_hide_set()).cloned());
    clap_complete::generate(command.shell, &mut shown, &name, &mut script);
    let mut script = String::from_utf8(script).context("the script is no text")?;
    if command.shell == Shell::Bash {
        // If a name has a hyphen, clap_complete 4.6 takes it in one place for a command inside of another.
        script = script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"));
    }
    document(script.as_bytes());
    Ok(Status::Clear)
}

/// Prints a page, in the language of `man`.
pub fn show(command: &Man) -> Result<Status> {
    let mut all = help::command().disable_help_subcommand(true);
    all.build();
    let asked = match &command.command {
        None => all,
        Some(name) => {
            let visible: Vec<_> = all.get_subcommands().filter(|command| !command.is_hide_set()).collect();
            let names = || visible.iter().map(|command| command.get_name()).collect::<Vec<_>>().join(", ");
            let unknown = || anyhow!("no command `{name}`; there are {}", names());
            let &found = visible.iter().find(|command| command.get_name() == name).ok_or_else(unknown)?;
            found.clone()
        }
    };
    let mut page = Vec::new();
    Page::new(asked).render(&mut page).context("cannot make the page")?;
    document(&page);
    Ok(Status::Clear)
}
