//! The behaviour of agents: one command to a line, parentheses on lines of their own.

use super::expression::{Names, expression};
use super::layout::Layout;
use crate::source::Span;
use crate::syntax::ast::{Action, Assignment, Command, Expr, Process, ProcessKind, SupplyTarget};

/// Writes the section `repeat:`.
pub fn behaviour(layout: &mut Layout, process: &Process, names: &Names) {
    layout.before(Span { start: process.span.start, end: process.span.start });
    parenthesised(layout, "repeat: (", process, ")", names);
}

/// Writes a process so that it stands by itself: what is around it has set parentheses, or is nothing.
fn write(layout: &mut Layout, process: &Process, names: &Names) {
    match &process.kind {
        ProcessKind::Error => layout.line("?"),
        ProcessKind::Command(command) => self::command(layout, command, "", names),
        ProcessKind::Rep(body) => parenthesised(layout, "rep (", body, ")", names),
        ProcessKind::Sequence(..) => {
            let steps = chain(process, |kind| match kind {
                ProcessKind::Sequence(left, right) => Some((left, right)),
                _ => None,
            });
            for (index, step) in steps.iter().enumerate() {
                part(layout, step, if index + 1 < steps.len() { ";" } else { "" }, names);
            }
        }
        ProcessKind::Choice(..) => {
            let choices = chain(process, |kind| match kind {
                ProcessKind::Choice(left, right) => Some((left, right)),
                _ => None,
            });
            for (index, choice) in choices.iter().enumerate() {
                if index > 0 {
                    layout.line("+");
                }
                part(layout, choice, "", names);
            }
        }
    }
}

/// The members of a chain that groups to the left.
fn chain<'a>(
    process: &'a Process,
    parts: impl Fn(&'a ProcessKind) -> Option<(&'a Process, &'a Process)>,
) -> Vec<&'a Process> {
    let mut members = Vec::new();
    let mut rest = process;
    while let Some((left, right)) = parts(&rest.kind) {
        members.push(right);
        rest = left;
    }
    members.push(rest);
    members.reverse();
    members
}

/// Writes a member of a chain, with what separates it from the next one.
fn part(layout: &mut Layout, process: &Process, separator: &str, names: &Names) {
    match &process.kind {
        ProcessKind::Command(command) => self::command(layout, command, separator, names),
        _ => parenthesised(layout, "(", process, &format!("){separator}"), names),
    }
}

/// Writes a process between two lines, with the comments at its end.
fn parenthesised(layout: &mut Layout, open: &str, process: &Process, close: &str, names: &Names) {
    layout.line(open);
    layout.indented(|layout| {
        write(layout, process, names);
        layout.before(Span { start: process.span.end, end: process.span.end });
    });
    layout.line(close);
}

/// Writes a command on one line, or on two if it is too long for one.
fn command(layout: &mut Layout, command: &Command, separator: &str, names: &Names) {
    let label = command.label.as_ref().map_or(String::new(), |label| format!("{}: ", label.name));
    let guard = format!("{label}{{{}}}", expression(&command.guard, names));
    let action = format!("{}{separator}", action(command, names));
    layout.before(command.span);
    let one_line = format!("{guard} {action}");
    if layout.fits(&one_line) {
        layout.line(&one_line);
    } else {
        layout.line(&guard);
        layout.indented(|layout| layout.line(&action));
    }
    layout.behind(command.span);
}

fn action(command: &Command, names: &Names) -> String {
    let text = |expr: &Expr| expression(expr, names);
    let list = |list: &[Assignment]| {
        let texts: Vec<String> =
            list.iter().map(|assignment| format!("{} := {}", assignment.name.name, text(&assignment.value))).collect();
        texts.join(", ")
    };
    let (data, updates) = (list(&command.data), list(&command.updates));
    match &command.action {
        Action::Send { channel, guard } => format!("{}! ({})({data})[{updates}]", text(channel), text(guard)),
        Action::Receive { channel } => format!("{}? [{updates}]", text(channel)),
        Action::Get { target } => format!("GET@({})({data})[{updates}]", text(target)),
        Action::Supply { to: SupplyTarget::Myself } => format!("SUPPLY@(myself)({data})[{updates}]"),
        Action::Supply { to: SupplyTarget::Name(name) } => format!("SUPPLY@({})({data})[{updates}]", name.name),
    }
}
