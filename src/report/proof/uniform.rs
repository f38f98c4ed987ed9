//! Invariants for all sizes.

use super::invariant::as_implication;
use super::{CLAUSES, progress};
use crate::check::sizes::Uniform;
use crate::check::sizes::clause::Clause;
use crate::model::scheme::TypeRefusal;
use crate::model::{Agent, InstanceId, Model, Type};
use crate::report::strategies::write_refusal;
use crate::words::count;
use std::io::{self, Write};

/// Writes the clauses, and why responses come.
pub(super) fn write(out: &mut dyn Write, uniform: &Uniform, whole: &str) -> io::Result<()> {
    if uniform.is_strategic() {
        write_table(out, uniform)?;
    }
    let mut clauses: Vec<String> = uniform.clauses().iter().map(|clause| shown(uniform.reference(), clause)).collect();
    clauses.sort_by_cached_key(|clause| (clause.chars().count(), clause.clone()));
    let waits = !uniform.evidence().progress.is_empty();
    if clauses.is_empty() && !waits {
        return writeln!(out, "    no state violates it, whether it can be reached or not, however many there are");
    }
    let so = if waits { "" } else { "no step violates it, because " };
    if !clauses.is_empty() {
        writeln!(out, "    {so}these are true at the start and kept by every step, however many there are:")?;
    }
    for clause in clauses.iter().take(CLAUSES) {
        writeln!(out, "      {clause}")?;
    }
    match clauses.len().saturating_sub(CLAUSES) {
        0 => {}
        more => writeln!(out, "      .. and {} more; {whole}", count(more, "clause"))?,
    }
    if waits { progress::write(out, uniform) } else { Ok(()) }
}

/// Writes what agents do not offer, whatever the sizes are.
fn write_table(out: &mut dyn Write, uniform: &Uniform) -> io::Result<()> {
    let (model, table) = (uniform.model(), &uniform.claim().table);
    if table.is_empty() {
        return writeln!(out, "    the strategy offers every command wherever it is possible");
    }
    writeln!(out, "    by this strategy, however many there are:")?;
    for TypeRefusal { agent, edge, when } in table {
        let Agent { name, edges, .. } = &model.agents[agent.index()];
        let command = match &edges[edge.index()].label {
            Some(label) => format!("`{label}` of each `{name}`"),
            None => format!("command {} of each `{name}`", edge.0 + 1),
        };
        write_refusal(out, &command, &model.show_expr(*agent, when, Type::Bool))?;
    }
    writeln!(out, "      everything else is offered")
}

/// The channels that a member has of its own.
fn own_channels(model: &Model, member: InstanceId) -> Vec<u32> {
    let Some((family, place)) = model.place_of_member(member) else { return Vec::new() };
    model.families()[family].channels.iter().map(|channels| channels[place as usize]).collect()
}

/// `forall distinct i, j : Client . !(i-inside & j-inside)`
fn shown(reference: &Model, clause: &Clause) -> String {
    let taken = |model: &Model, name: &str| model.instances.iter().any(|instance| instance.name == name);
    let mut names = ('i'..='z').map(String::from).chain((1..).map(|number| format!("i{number}")));
    let mut name = || names.by_ref().find(|name| !taken(reference, name)).expect("numbers do not end");
    let names: Vec<(InstanceId, String)> = clause.members.iter().map(|&member| (member, name())).collect();
    let mut quantifiers = String::new();
    for family in reference.families() {
        let of_family = names.iter().filter(|(member, _)| family.members().any(|other| other == *member));
        let variables: Vec<&str> = of_family.map(|(_, name)| name.as_str()).collect();
        let has_type = reference.families().iter().filter(|other| other.agent == family.agent).count();
        // Of several families of a type, the one that is meant.
        let agent = match has_type {
            1 => reference.agents[family.agent.index()].name.clone(),
            _ => format!("{}[*]", family.name),
        };
        match variables[..] {
            [] => {}
            [only] => quantifiers += &format!("forall {only} : {agent} . "),
            _ => quantifiers += &format!("forall distinct {} : {agent} . ", variables.join(", ")),
        }
    }
    quantifiers + &with_names(reference, &names).show_state_expr(&as_implication(clause.expr.clone()))
}

/// The model with other names for members, and for the channels that they have of their own.
pub(super) fn with_names(reference: &Model, names: &[(InstanceId, String)]) -> Model {
    let mut named = reference.clone();
    for (member, name) in names {
        for own in own_channels(reference, *member) {
            named.channels[own as usize] = format!("own channel of {name}");
        }
        named.instances[member.index()].name.clone_from(name);
    }
    named
}
