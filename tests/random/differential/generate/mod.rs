//! Random small models as text, in both dialects.
//!
//! Whatever is generated is well typed. Only relabellings may be missing where they are asked for:
//! whether they are is a question to the elaboration, and the caller draws again where it says so.

mod expression;
mod formula;
mod process;
mod vocabulary;

use crate::common::random::Random;
use std::fmt::Write;
pub use vocabulary::Dialect;
use vocabulary::{Ty, Variable, Vocabulary};

/// A random model with so many specs.
pub fn model(seed: u64, specs: usize) -> String {
    let mut random = Random::new(seed);
    let vocabulary = Vocabulary::new(&mut random);
    let mut generator = Generator { random, vocabulary };
    let mut text = generator.globals();
    for index in 0..generator.vocabulary.agents.len() {
        text += &generator.agent(index);
    }
    text += &generator.system();
    for _ in 0..specs {
        if generator.random.percent(8) {
            writeln!(text, "ASSUME {};", generator.assumption()).expect("strings can be written");
        }
        let formula = generator.spec();
        writeln!(text, "SPEC {formula};").expect("strings can be written");
    }
    text
}

/// Draws text over a vocabulary.
struct Generator {
    random: Random,
    vocabulary: Vocabulary,
}

impl Generator {
    fn classic(&self) -> bool {
        self.vocabulary.dialect == Dialect::Classic
    }

    fn globals(&mut self) -> String {
        let mut text = String::new();
        let Vocabulary { enums, channels, messages, properties, .. } = &self.vocabulary;
        let channels = channels.join(", ");
        if self.classic() {
            text += &format!("channels: {channels}\n");
        } else {
            text += &format!("enum channel {{{channels}}}\n");
        }
        for (index, (name, value)) in self.vocabulary.constants.iter().enumerate() {
            let earlier = self.vocabulary.constants[..index].last();
            match earlier {
                Some((other, number)) => text += &format!("const {name} = {other} + ({});\n", value - number),
                None => text += &format!("const {name} = {value};\n"),
            }
        }
        for (index, constants) in enums.iter().enumerate() {
            text += &format!("enum e{index} {{{}}}\n", constants.join(", "));
        }
        text += *self.random.pick(&[
            "",
            "",
            "point-to-point: tool\n",
            "point-to-point: paper\n",
            "point-to-point: paper\n",
        ]);
        text += &format!("message-structure: {}\n", declarations(messages));
        let keyword = if self.classic() { "communication-variables" } else { "property-variables" };
        if self.classic() || !properties.is_empty() {
            text += &format!("{keyword}: {}\n", declarations(properties));
        }
        for index in 0..self.vocabulary.guards.len() {
            let guard = self.vocabulary.guards[index].clone();
            // A guard calls only those before it.
            let body = self.guard_body(index, &guard);
            text += &format!("guard g{index}({}) := {body};\n", declarations(&guard.parameters));
        }
        text
    }

    fn agent(&mut self, index: usize) -> String {
        let agent = self.vocabulary.agents[index].clone();
        let mut text = format!("\nagent {}\n", agent.name);
        if !agent.locals.is_empty() {
            text += &format!("    local: {}\n", declarations(&agent.locals));
        }
        text += &format!("    init: {}\n", self.initial(&agent.locals));
        let missing = if self.random.percent(5) { self.random.below(4) } else { usize::MAX };
        let properties = self.vocabulary.properties.clone();
        let relabelled = || properties.iter().enumerate().filter(|(index, _)| *index != missing);
        if relabelled().next().is_some() {
            text += "    relabel:\n";
        }
        for (_, property) in relabelled() {
            let value = self.value(&agent.scope(), &property.ty, 1);
            text += &format!("        {} <- {value}\n", property.name);
        }
        if let Some(guard) = self.receive_guard(&agent) {
            text += &format!("    receive-guard: {guard}\n");
        }
        text + &format!("    repeat: {}\n", self.behaviour(index))
    }

    /// Most locals are fixed; some may have a few values. Big domains are always fixed.
    fn initial(&mut self, locals: &[Variable]) -> String {
        let mut conjuncts = Vec::new();
        for local in locals {
            let fixed = matches!(local.ty, Ty::Int) || local.ty.is_wide();
            match if fixed { 0 } else { self.random.weighted(&[70, 15, 15]) } {
                0 => conjuncts.push(self.equals(&local.name, &local.ty)),
                1 => {
                    let (one, other) = (self.equals(&local.name, &local.ty), self.equals(&local.name, &local.ty));
                    conjuncts.push(format!("({one} {} {other})", self.or()));
                }
                _ => {}
            }
        }
        if self.random.percent(10) {
            let scope = vocabulary::Scope { locals: locals.to_vec(), ..vocabulary::Scope::of(locals.to_vec()) };
            conjuncts.push(self.boolean(&scope, 1));
        }
        conjuncts.into_iter().reduce(|all, next| format!("({all} {} {next})", self.and())).unwrap_or(self.truth(true))
    }

    fn equals(&mut self, name: &str, ty: &Ty) -> String {
        if *ty == Ty::Bool {
            return if self.random.percent(60) { format!("!{name}") } else { name.to_owned() };
        }
        let (equal, value) = (self.equal_sign(), self.constant(ty, false));
        format!("({name} {equal} {value})")
    }

    fn system(&mut self) -> String {
        let instances = self.vocabulary.instances.clone();
        let is_first = |instance: &&vocabulary::Instance| match &instance.family {
            Some((_, number)) => *number == first_number(&instances, instance),
            None => true,
        };
        let written: Vec<String> = instances
            .iter()
            .filter(is_first)
            .map(|instance| {
                let agent = self.vocabulary.agents[instance.agent].clone();
                let free: Vec<&Variable> = agent.locals.iter().filter(|local| !local.ty.is_wide()).collect();
                let condition = if free.is_empty() || self.random.percent(75) {
                    self.truth(true)
                } else {
                    let local = *self.random.pick(&free);
                    let (name, not_equal) = (&local.name, "!=");
                    if local.ty == Ty::Bool {
                        format!("({name} {} !{name})", self.or())
                    } else if instance.family.is_some() && local.ty.is_integer() {
                        format!("({name} {not_equal} index)")
                    } else {
                        format!("({name} {not_equal} {})", self.constant(&local.ty, true))
                    }
                };
                let name = match &instance.family {
                    Some((family, first)) => {
                        let members = instances.iter().filter(|other| other.agent == instance.agent).count();
                        format!("{family}[{first}..{}]", first + members - 1)
                    }
                    None => instance.name.clone(),
                };
                format!("{}({name}, {condition})", agent.name)
            })
            .collect();
        let parallel = if self.classic() && self.random.percent(50) { " | " } else { " || " };
        let restriction = if self.random.percent(15) { self.restriction() } else { String::new() };
        format!("\nsystem = {}{restriction}\n\n", written.join(parallel))
    }
}

/// The number of the first member of the family of an instance.
fn first_number(instances: &[vocabulary::Instance], member: &vocabulary::Instance) -> usize {
    let family = instances.iter().filter(|other| other.agent == member.agent);
    family.filter_map(|other| other.family.as_ref()).map(|(_, number)| *number).min().expect("it is a member itself")
}

/// `x : bool, y : 0..3`
fn declarations(variables: &[Variable]) -> String {
    let declared: Vec<String> =
        variables.iter().map(|variable| format!("{} : {}", variable.name, variable.ty)).collect();
    declared.join(", ")
}
