//! The relations of a [`Question`] as SMT-LIB text.
//!
//! Values of finite sorts are integers, which every reader of Horn clauses and of VMT-LIB has; comments
//! say which number is which constant. A choice between two options, such as a promise of the tableau,
//! is a Boolean. Division rounds towards zero, which SMT-LIB's `div` does not for negative numbers.

use super::names::{Kind, Names};
use super::question::Question;
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{Vocabulary, Writer, application, between, in_domain, sort_name};
use crate::ts::system::EVENT;
use crate::ts::term::{InputId, Leaf, Term, VarId};

/// A question with names: the text of its parts.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub question: &'a Question,
    pub names: &'a Names,
    pub shared: &'a Shared,
}

impl Vocabulary for Text<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        self.names.leaf(leaf).to_owned()
    }

    fn is_flag(&self, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Input(id) => id != EVENT && self.question.system.inputs()[id.0 as usize].count == 2,
            Leaf::Var(_) => false,
        }
    }

    fn value(&self, _: Option<Leaf>, value: u32) -> String {
        value.to_string()
    }
}

impl Text<'_> {
    fn writer(&self) -> Writer<'_> {
        Writer { terms: self.question.system.terms(), vocabulary: self, shared: self.shared }
    }

    /// A term, by its name if it has one.
    pub fn term(&self, term: Term) -> String {
        self.writer().term(term)
    }

    /// A term in full.
    pub fn definition(&self, term: Term) -> String {
        self.writer().definition(term)
    }

    /// An input by name.
    pub fn input(&self, id: InputId) -> String {
        self.names.leaf(Leaf::Input(id)).to_owned()
    }

    /// The sort of an input.
    pub fn input_sort(&self, id: InputId) -> &'static str {
        if self.is_flag(Leaf::Input(id)) { "Bool" } else { "Int" }
    }

    /// The sort of a variable.
    pub fn sort(&self, id: VarId) -> &'static str {
        sort_name(self.question.system.variable(id).sort)
    }

    /// That the variables have values of their domains; nothing for those that cannot leave them.
    pub fn domains(&self) -> Vec<String> {
        let domain = |&id: &VarId| {
            let variable = self.question.system.variable(id);
            in_domain(self.names.variable(id), variable.sort, &variable.domain)
        };
        self.question.variables.iter().filter_map(domain).collect()
    }

    /// The initial condition.
    pub fn init(&self) -> Vec<String> {
        let domains = self.domains();
        domains.into_iter().chain(self.question.init.iter().map(|&term| self.term(term))).collect()
    }

    /// Which steps exist, over variables and inputs.
    pub fn possible(&self) -> Vec<String> {
        let system = &self.question.system;
        let mut list = self.domains();
        let choices = self.question.inputs.iter().filter(|&&id| id != EVENT && !self.is_flag(Leaf::Input(id)));
        list.extend(choices.map(|&id| {
            let count = system.inputs()[id.0 as usize].count;
            between(&self.input(id), 0, i64::from(count) - 1)
        }));
        let event = |(index, event): (usize, &crate::ts::system::Event)| {
            let chosen = application("=", &[self.input(EVENT), index.to_string()]);
            conjunction(&[chosen, self.term(event.guard)])
        };
        let alive = system.events().iter().enumerate().filter(|(_, event)| !system.terms().is_false(event.guard));
        list.push(application("or", &alive.map(event).collect::<Vec<_>>()));
        list.extend(system.constraints().iter().map(|&term| self.term(term)));
        list
    }

    /// The value of a variable after the step.
    pub fn next(&self, id: VarId) -> String {
        self.writer().next(id, self.question.system.update(id))
    }

    /// A comment on each name whose values are numbers for constants.
    pub fn legend(&self) -> Vec<String> {
        let mut kinds: Vec<(Kind, Vec<&str>)> = Vec::new();
        let variables = self.question.variables.iter().map(|&id| Leaf::Var(id));
        for leaf in variables.chain(self.question.inputs.iter().map(|&id| Leaf::Input(id))) {
            let kind = self.names.kind(leaf);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                _ if kind == Kind::Numbers => {}
                Some((_, leaves)) => leaves.push(self.names.leaf(leaf)),
                None => kinds.push((kind, vec![self.names.leaf(leaf)])),
            }
        }
        let line = |(kind, leaves): (Kind, Vec<&str>)| {
            let values = self.names.values(kind).iter().enumerate();
            let values: Vec<String> = values.map(|(number, name)| format!("{number} {name}")).collect();
            format!("{}: {}", leaves.join(", "), values.join(", "))
        };
        kinds.into_iter().map(line).collect()
    }
}

/// A conjunction without members that are true.
pub fn conjunction(list: &[String]) -> String {
    let list: Vec<String> = list.iter().filter(|member| *member != "true").cloned().collect();
    application("and", &list)
}
