//! Why responses come for all sizes.

use super::uniform::with_names;
use crate::check::sizes::Uniform;
use crate::check::sizes::progress::{Case, Progress};
use crate::check::sizes::witness::Witness;
use crate::claim::sizes::Helper;
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, Expr, InstanceId, Model};
use crate::ts::smtlib::symbols::command_name;
use std::io::{self, Write};

/// Writes who exists, and for each response what becomes less and who helps.
pub(super) fn write(out: &mut dyn Write, uniform: &Uniform) -> io::Result<()> {
    let (reference, evidence) = (uniform.reference(), uniform.evidence());
    for witness in &evidence.witnesses {
        writeln!(out, "    in every state, {}", exists(reference, witness))?;
    }
    for progress in &evidence.progress {
        of_response(out, reference, progress)?;
    }
    Ok(())
}

/// `when desk-busy, there is some j : Client with j-inside`
fn exists(reference: &Model, witness: &Witness) -> String {
    let named = with_names(reference, &[(witness.member, "j".to_owned())]);
    let show = |expr: &Expr<StateLeaf>| named.show_state_expr(expr);
    let family = reference.place_of_member(witness.member).map_or(0, |(family, _)| family);
    let agent = &reference.agents[reference.families()[family].agent.index()].name;
    let when = if witness.when == Expr::TRUE { String::new() } else { format!("if {}, ", show(&witness.when)) };
    let number = witness.range.as_ref().map_or(String::new(), |[low, high, number]| {
        format!("for each number from {} on and below {} ({}), ", show(low), show(high), show(number))
    });
    format!("{when}{number}there is some j : {agent} with {}", show(&witness.condition))
}

fn of_response(out: &mut dyn Write, reference: &Model, progress: &Progress) -> io::Result<()> {
    let letters = ["k", "l", "m", "n"].map(str::to_owned).into_iter().chain((1..).map(|number| format!("k{number}")));
    let names: Vec<(InstanceId, String)> = progress.members.iter().copied().zip(letters).collect();
    let named = with_names(reference, &names);
    let show = |expr: &Expr<StateLeaf>| named.show_state_expr(expr);
    let who: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    let whose = if who.is_empty() { String::new() } else { format!(" of {}", who.join(" and ")) };
    writeln!(out, "    from {} on, sooner or later {}:", show_part(&named, &progress.response.start), {
        show_part(&named, &progress.response.goal)
    })?;
    if !progress.pending.is_empty() {
        let pending: Vec<String> = progress.pending.iter().map(show).collect();
        writeln!(out, "      until then {}", pending.join(", "))?;
    }
    if !progress.ranks.is_empty() {
        let ranks: Vec<String> = progress.ranks.iter().map(show).collect();
        writeln!(out, "      no step makes greater{whose}: {}", ranks.join(", then "))?;
    }
    for case in &progress.cases {
        writeln!(out, "      {}", helps(&named, progress, case))?;
    }
    Ok(())
}

fn show_part(model: &Model, part: &crate::model::Formula) -> String {
    if *part == crate::model::Formula::TRUE {
        "the start".to_owned()
    } else {
        format!("`{}`", model.show_formula(part))
    }
}

/// `while j-inside for some j : Client, j makes that less by j-leave`
fn helps(model: &Model, progress: &Progress, case: &Case) -> String {
    let (who, named) = match case.helper {
        Helper::Any => ("who can act".to_owned(), model.clone()),
        Helper::Agent { instance, command, by } => {
            let other = case.other(model, &progress.members);
            let named = other.map_or_else(|| model.clone(), |other| with_names(model, &[(other, "j".to_owned())]));
            let name = named.instances[instance.index()].name.clone();
            let step = |edge: EdgeId| format!(" by {}", command_name(&named, instance, edge));
            (format!("{name}{}", command.or(by).map_or(String::new(), step)), named)
        }
    };
    let lowers = if progress.ranks.is_empty() { "brings that about" } else { "makes that less, or brings it about" };
    match &case.condition {
        always if *always == Expr::TRUE => format!("{who} {lowers}"),
        condition => format!("while {}, {who} {lowers}", named.show_state_expr(condition)),
    }
}
