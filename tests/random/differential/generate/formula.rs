//! Random specs.

use super::Generator;
use super::vocabulary::{Scope, Ty, Variable};

/// Something that a formula can say things of: an instance, or a quantified variable.
#[derive(Clone, Debug)]
struct Subject {
    name: String,
    /// The number of its type, where there is only one.
    agent: Option<usize>,
}

impl Generator {
    /// A formula; now and then it begins with a quantifier.
    pub(super) fn spec(&mut self) -> String {
        let mut subjects = self.subjects();
        let depth = 1 + self.random.below(4);
        if self.random.percent(15) {
            let (prefix, bound) = self.quantifier("k");
            // Spoken of as often as all the others together.
            subjects = vec![bound; subjects.len()].into_iter().chain(subjects).collect();
            return format!("{prefix} {}", self.rooted(&subjects, depth));
        }
        self.rooted(&subjects, depth)
    }

    fn subjects(&self) -> Vec<Subject> {
        let instances = self.vocabulary.instances.iter();
        instances.map(|instance| Subject { name: instance.name.clone(), agent: Some(instance.agent) }).collect()
    }

    /// Fairness, mostly.
    pub(super) fn assumption(&mut self) -> String {
        let subjects = self.subjects();
        match self.random.weighted(&[30, 30, 20, 20]) {
            0 => self.fairness(&subjects),
            1 => {
                let word = *self.random.pick(&["weak", "strong"]);
                let (prefix, bound) = self.quantifier("k");
                format!("{prefix} {word}({})", bound.name)
            }
            2 => format!("(G (F ({}))) & {}", self.state_atom(&subjects), self.fairness(&subjects)),
            _ => self.rooted(&subjects, 1),
        }
    }

    fn fairness(&mut self, subjects: &[Subject]) -> String {
        let word = *self.random.pick(&["weak", "strong"]);
        format!("{word}({})", self.actor(subjects))
    }

    /// An instance, or one of its commands.
    fn actor(&mut self, subjects: &[Subject]) -> String {
        let Subject { name, agent } = self.random.pick(subjects).clone();
        let commands = agent.map(|agent| self.vocabulary.agents[agent].initiatives.clone()).unwrap_or_default();
        if commands.is_empty() || self.random.percent(50) {
            return name;
        }
        format!("{name}-{}", self.random.pick(&commands))
    }

    /// Often one of the shapes that people write: by chance alone most formulas are decided at once.
    fn rooted(&mut self, subjects: &[Subject], depth: usize) -> String {
        let (one, other) = (self.formula(subjects, depth / 2), self.formula(subjects, depth / 2));
        match self.random.weighted(&[30, 20, 15, 8, 8, 7, 6, 6, 6]) {
            0 => self.formula(subjects, depth),
            1 => format!("(G (!({one})))"),
            2 => format!("(G ({one} -> (F ({other}))))"),
            3 => format!("((G (F ({one}))) -> (G (F ({other}))))"),
            4 => format!("(F (G ({one})))"),
            5 => format!("(({one} U {other}) | (G ({one})))"),
            6 => format!("(G ({one} -> (X (!({one}) W {other}))))"),
            7 => format!("(({} {} {}) -> ({one}))", self.fairness(subjects), self.and(), self.fairness(subjects)),
            _ => format!("((F ({one})) -> (F ({other})))"),
        }
    }

    fn quantifier(&mut self, variable: &str) -> (String, Subject) {
        let agents = self.vocabulary.agents.len();
        let (domain, agent) = match self.random.weighted(&[70, 15, 15]) {
            0 => {
                let agent = self.random.below(agents);
                (format!("Agent{agent}"), Some(agent))
            }
            1 if agents > 1 => ("Agent0 | Agent1".to_owned(), None),
            _ => ("Agent".to_owned(), None),
        };
        let words = if self.classic() { ["/\\", "\\/"] } else { ["forall", "exists"] };
        let word = *self.random.pick(&words);
        (format!("{word} {variable} : {domain} ."), Subject { name: variable.to_owned(), agent })
    }

    fn formula(&mut self, subjects: &[Subject], depth: usize) -> String {
        if depth == 0 {
            return self.state_atom(subjects);
        }
        let sub = |generator: &mut Generator| generator.formula(subjects, depth - 1);
        match self.random.weighted(&[10, 8, 12, 6, 14, 14, 8, 8, 5, 5, 14, 12, 3]) {
            0 => self.state_atom(subjects),
            1 => format!("!({})", sub(self)),
            2 => {
                let op = if self.random.percent(50) { self.and() } else { self.or() };
                format!("({} {op} {})", sub(self), sub(self))
            }
            3 => format!("({} {} {})", sub(self), self.random.pick(&["->", "<->"]).to_owned(), sub(self)),
            4 => format!("(G ({}))", sub(self)),
            5 => format!("(F ({}))", sub(self)),
            6 => format!("(X ({}))", sub(self)),
            7 => format!("({} U {})", sub(self), sub(self)),
            8 => format!("({} W {})", sub(self), sub(self)),
            9 => format!("({} R {})", sub(self), sub(self)),
            10 => self.observed(subjects, depth, ["<<", ">>"], ["<", ">"]),
            11 => self.observed(subjects, depth, ["[[", "]]"], ["[", "]"]),
            _ if self.classic() => {
                let variable = format!("k{depth}");
                let (prefix, bound) = self.quantifier(&variable);
                let subjects: Vec<Subject> = subjects.iter().cloned().chain([bound]).collect();
                format!("({prefix} {})", self.formula(&subjects, depth - 1))
            }
            _ => format!("(G (F ({})))", sub(self)),
        }
    }

    fn observed(&mut self, subjects: &[Subject], depth: usize, modern: [&str; 2], classic: [&str; 2]) -> String {
        let [open, close] = if self.classic() && self.random.percent(70) { classic } else { modern };
        let parts = self.random.below(3);
        let observation = self.observation(subjects, parts);
        let body = if self.random.percent(30) { self.truth(true) } else { self.formula(subjects, depth - 1) };
        format!("({open}{observation}{close} ({body}))")
    }

    /// A label, a comparison of locals, an automaton state, `deadlock`, the abilities or deeds of an agent.
    fn state_atom(&mut self, subjects: &[Subject]) -> String {
        let subject = self.random.pick(subjects).clone();
        let labels = subject.agent.map(|agent| self.vocabulary.agents[agent].labels.clone()).unwrap_or_default();
        match self.random.weighted(&[35, 45, 8, 6, 3, 3, 6, 6]) {
            0 if !labels.is_empty() => format!("{}-{}", subject.name, self.random.pick(&labels)),
            2 => {
                let op = *self.random.pick(&["=", "!=", "<", ">="]);
                format!("({}-automaton-state {op} {})", subject.name, self.random.below(4))
            }
            3 => "deadlock".to_owned(),
            4 => {
                let other = self.random.pick(subjects).name.clone();
                format!("({} {} {other})", subject.name, self.random.pick(&["=", "!="]))
            }
            5 => self.constant(&Ty::Bool, false),
            6 => self.aggregate(subjects),
            7 => {
                let word = *self.random.pick(&["enabled", "acts"]);
                format!("{word}({})", self.actor(subjects))
            }
            _ => {
                let scope = self.state_scope(subjects);
                self.boolean(&scope, 1)
            }
        }
    }

    /// A restriction of the initial values of all instances together, weak enough for most to remain.
    pub(super) fn restriction(&mut self) -> String {
        let instances = self.vocabulary.instances.clone();
        let subjects: Vec<Subject> =
            instances.into_iter().map(|it| Subject { name: it.name, agent: Some(it.agent) }).collect();
        let scope = self.state_scope(&subjects);
        let (one, other) = (self.boolean(&scope, 1), self.boolean(&scope, 1));
        if self.random.percent(50) {
            return format!(" where ({one} {} {other})", self.or());
        }
        let (prefix, bound) = self.quantifier("k");
        let scope = self.state_scope(&[bound.clone(), bound]);
        format!(" where {prefix} ({} {} {one})", self.boolean(&scope, 1), self.or())
    }

    /// A comparison of a number over all instances of a type.
    fn aggregate(&mut self, subjects: &[Subject]) -> String {
        let agent = self.random.below(self.vocabulary.agents.len());
        let member = Subject { name: "m".to_owned(), agent: Some(agent) };
        let all: Vec<Subject> = [member.clone(), member].into_iter().chain(subjects.iter().cloned()).collect();
        let scope = self.state_scope(&all);
        let aggregate = if self.random.percent(50) {
            format!("(sum m : Agent{agent} . {})", self.value(&scope, &Ty::Range(-2, 3), 1))
        } else {
            format!("(count m : Agent{agent} . {})", self.counted(&all))
        };
        let right = match self.random.below(3) {
            0 => self.size(),
            _ => self.constant(&Ty::Int, false),
        };
        format!("({aggregate} {} {right})", self.random.pick(&["=", "!=", "<", "<=", ">", ">="]))
    }

    /// A condition to count: sometimes a quantified formula over states.
    fn counted(&mut self, subjects: &[Subject]) -> String {
        if self.random.percent(70) {
            let scope = self.state_scope(subjects);
            return self.boolean(&scope, 1);
        }
        let (prefix, bound) = self.quantifier("q");
        let scope = self.state_scope(&[&[bound.clone(), bound][..], subjects].concat());
        format!("({prefix} {})", self.boolean(&scope, 1))
    }

    fn state_scope(&self, subjects: &[Subject]) -> Scope {
        let mut variables = Vec::new();
        for subject in subjects {
            let Some(agent) = subject.agent else { continue };
            for local in &self.vocabulary.agents[agent].locals {
                variables.push(Variable { name: format!("{}-{}", subject.name, local.name), ty: local.ty.clone() });
            }
        }
        Scope::of(variables)
    }

    fn observation(&mut self, subjects: &[Subject], depth: usize) -> String {
        if depth == 0 {
            return self.observation_atom(subjects);
        }
        match self.random.weighted(&[30, 30, 25, 8, 7]) {
            0 => format!("!({})", self.observation(subjects, depth - 1)),
            1 => {
                let op = self.and();
                format!("({} {op} {})", self.observation(subjects, depth - 1), self.observation(subjects, depth - 1))
            }
            2 => {
                let op = self.or();
                format!("({} {op} {})", self.observation(subjects, depth - 1), self.observation(subjects, depth - 1))
            }
            index => {
                let op = if index == 3 { "->" } else { "<->" };
                format!("({} {op} {})", self.observation(subjects, depth - 1), self.observation(subjects, depth - 1))
            }
        }
    }

    fn observation_atom(&mut self, subjects: &[Subject]) -> String {
        match self.random.weighted(&[30, 8, 15, 20, 10, 10, 7, 15]) {
            0 => {
                let role = *self.random.pick(&["sender", "getter", "supplier", "initiator", "producer"]);
                let (equal, subject) = (self.equal_sign(), self.random.pick(subjects).name.clone());
                let op = if self.random.percent(75) { equal } else { "!=" };
                format!("({role} {op} {subject})")
            }
            1 => "p2p".to_owned(),
            2 => {
                let (chan, channel) = (self.chan(), self.constant(&Ty::Channel, false));
                format!("({chan} {} {channel})", self.random.pick(&["=", "!="]))
            }
            3 => {
                let scope = Scope::of(self.vocabulary.messages.clone());
                self.boolean(&scope, 1)
            }
            4 => {
                let scope = Scope::of(self.vocabulary.properties.clone());
                self.boolean(&scope, 1)
            }
            5 => {
                let properties = self.vocabulary.properties.clone();
                let scope = Scope::of(self.vocabulary.messages.clone()).with(properties.clone()).with(properties);
                let word = *self.random.pick(&["exists", "forall"]);
                format!("{word}({})", self.boolean(&scope, 2))
            }
            7 => {
                let subject = self.random.pick(subjects).name.clone();
                let name = if self.random.percent(40) { "any".to_owned() } else { subject };
                format!("(locality {} {name})", self.random.pick(&["=", "!="]))
            }
            _ => self.constant(&Ty::Bool, false),
        }
    }
}
