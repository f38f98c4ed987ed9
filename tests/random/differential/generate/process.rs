//! Random behaviour: commands in sequences, choices and loops.

use super::Generator;
use super::vocabulary::{Agent, CommandKind, Scope, Ty, Variable};

const KINDS: [CommandKind; 4] = [CommandKind::Send, CommandKind::Receive, CommandKind::Get, CommandKind::Supply];

impl Generator {
    /// The process of an agent type; its labels are noted.
    pub(super) fn behaviour(&mut self, agent: usize) -> String {
        let count = 1 + self.random.below(6);
        let process = self.process(agent, count);
        format!("({process})")
    }

    fn process(&mut self, agent: usize, commands: usize) -> String {
        if commands == 1 {
            let command = self.command(agent);
            return if self.random.percent(6) { format!("rep ({command})") } else { command };
        }
        let first = 1 + self.random.below(commands - 1);
        let (left, right) = (self.process(agent, first), self.process(agent, commands - first));
        match self.random.weighted(&[33, 60, 7]) {
            0 => self.guarded(agent, format!("({left} ; {right})")),
            1 => self.guarded(agent, format!("({left} + {right})")),
            _ => format!("rep ({left} + {right})"),
        }
    }

    /// A process in parentheses; now and then with a guard before it, which may not stand before a loop.
    fn guarded(&mut self, agent: usize, process: String) -> String {
        if process.contains("rep ") || self.random.percent(85) {
            return process;
        }
        let scope = self.vocabulary.agents[agent].scope();
        let guard = self.boolean(&scope, 1);
        format!("{} {process}", self.bracketed(&guard))
    }

    fn bracketed(&self, guard: &str) -> String {
        if self.classic() { format!("<{guard}>") } else { format!("{{{guard}}}") }
    }

    fn command(&mut self, index: usize) -> String {
        let agent = self.vocabulary.agents[index].clone();
        let kind = KINDS[self.random.weighted(&self.vocabulary.commands)];
        let scope = agent.scope();
        let reading = if kind == CommandKind::Send { scope.clone() } else { self.with_messages(&scope) };
        let guard = self.command_guard(&reading);
        let updates = self.updates(&agent, &reading);
        let action = match kind {
            CommandKind::Send => {
                let (channel, send_guard) = (self.channel_of(&agent), self.send_guard(&scope));
                format!("{channel}! {send_guard}({})[{updates}]", self.data(&scope))
            }
            CommandKind::Receive => format!("{}? [{updates}]", self.channel_of(&agent)),
            CommandKind::Get => format!("GET@({})({})[{updates}]", self.get_target(&scope), self.data(&scope)),
            CommandKind::Supply => format!("SUPPLY@({})({})[{updates}]", self.supply_target(&scope), self.data(&scope)),
        };
        let label = if self.random.percent(85) {
            let label = format!("l{index}_{}", agent.labels.len());
            self.vocabulary.agents[index].labels.push(label.clone());
            if kind != CommandKind::Receive {
                self.vocabulary.agents[index].initiatives.push(label.clone());
            }
            format!("{label}: ")
        } else {
            String::new()
        };
        format!("{label}{} {action}", self.bracketed(&guard))
    }

    /// With some of the message variables, often with none.
    fn with_messages(&mut self, scope: &Scope) -> Scope {
        let chance = *self.random.pick(&[0, 30, 60, 90]);
        let messages = self.vocabulary.messages.clone();
        let chosen: Vec<Variable> = messages.into_iter().filter(|_| self.random.percent(chance)).collect();
        scope.with(chosen)
    }

    fn command_guard(&mut self, scope: &Scope) -> String {
        match self.random.weighted(&[55, 20, 15, 10]) {
            0 => self.truth(true),
            1 => self.boolean(scope, 0),
            2 => self.call(scope, self.vocabulary.guards.len()),
            _ => self.boolean(scope, 2),
        }
    }

    /// A constant, `*`, or a local.
    fn channel_of(&mut self, agent: &Agent) -> String {
        let locals: Vec<&Variable> = agent.locals.iter().filter(|local| local.ty == Ty::Channel).collect();
        match self.random.weighted(&[35, 40, 40]) {
            0 => "*".to_owned(),
            2 if !locals.is_empty() => self.random.pick(&locals).name.clone(),
            _ => self.random.pick(&self.vocabulary.channels).clone(),
        }
    }

    fn send_guard(&mut self, scope: &Scope) -> String {
        let depth = 1 + self.random.below(2);
        let guard = match self.random.weighted(&[35, 50, 15]) {
            0 => self.truth(true),
            1 => {
                let scope = self.with_properties(scope);
                self.boolean(&scope, depth)
            }
            _ => {
                let chan = Variable { name: self.chan().to_owned(), ty: Ty::Channel };
                let scope = self.with_properties(scope).with([chan]);
                self.boolean(&scope, depth)
            }
        };
        format!("({guard})")
    }

    fn with_properties(&mut self, scope: &Scope) -> Scope {
        let properties: Vec<Variable> = self
            .vocabulary
            .properties
            .iter()
            .map(|property| Variable { name: format!("@{}", property.name), ty: property.ty.clone() })
            .collect();
        // Twice, so that they are read often.
        scope.with(properties.clone()).with(properties)
    }

    /// Data for most message variables.
    fn data(&mut self, scope: &Scope) -> String {
        let chance = *self.random.pick(&[40, 75, 100]);
        let mut data = Vec::new();
        for message in self.vocabulary.messages.clone() {
            if self.random.percent(chance) {
                data.push(format!("{} := {}", message.name, self.value(scope, &message.ty, 1)));
            }
        }
        data.join(", ")
    }

    fn updates(&mut self, agent: &Agent, scope: &Scope) -> String {
        let chance = *self.random.pick(&[20, 50, 80]);
        let mut updates = Vec::new();
        for local in &agent.locals {
            if self.random.percent(chance) {
                updates.push(format!("{} := {}", local.name, self.value(scope, &local.ty, 2)));
            }
        }
        updates.join(", ")
    }

    fn get_target(&mut self, scope: &Scope) -> String {
        let locals: Vec<&Variable> = scope.variables.iter().filter(|local| local.ty == Ty::Location).collect();
        match self.random.weighted(&[60, 25, 1, 25, 35]) {
            0 if !locals.is_empty() => self.random.pick(&locals).name.clone(),
            0 | 1 => self.random.pick(&self.vocabulary.instances).name.clone(),
            2 => "myself".to_owned(),
            3 => self.truth(true),
            _ => {
                let scope = self.with_properties(scope);
                format!("({})", self.boolean(&scope, 1))
            }
        }
    }

    fn supply_target(&mut self, scope: &Scope) -> String {
        let locals: Vec<&Variable> = scope.variables.iter().filter(|local| local.ty == Ty::Location).collect();
        match self.random.weighted(&[40, 25, 15, 60]) {
            0 => "any".to_owned(),
            1 => "myself".to_owned(),
            3 if !locals.is_empty() => self.random.pick(&locals).name.clone(),
            _ => self.random.pick(&self.vocabulary.instances).name.clone(),
        }
    }

    /// Sometimes omitted.
    pub(super) fn receive_guard(&mut self, agent: &Agent) -> Option<String> {
        let chan = Variable { name: self.chan().to_owned(), ty: Ty::Channel };
        let scope = agent.scope().with([chan.clone()]);
        let channel = self.random.pick(&self.vocabulary.channels).clone();
        Some(match self.random.weighted(&[15, 35, 20, 15, 15]) {
            0 => return None,
            1 => format!("({} = {channel})", chan.name),
            2 => {
                let local = agent.locals.iter().find(|local| local.ty == Ty::Channel);
                let channel = local.map_or(channel, |local| local.name.clone());
                format!("({} = {channel})", chan.name)
            }
            3 => self.boolean(&scope, 1),
            _ => format!("(({} = {channel}) {} {})", chan.name, self.and(), self.boolean(&scope, 1)),
        })
    }
}
