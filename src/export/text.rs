//! [`Relations`] as SMT-LIB text.
//!
//! Values of finite sorts are integers, which every reader of Horn clauses and of VMT-LIB has; comments
//! say which number is which constant. A choice between two options, such as a promise of the tableau,
//! is a Boolean. Division rounds towards zero, which SMT-LIB's `div` does not for negative numbers.

use super::names::ExportNames;
use super::relations::Relations;
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{Vocabulary, Writer, application, between, in_domain, sort_name};
use crate::ts::system::{EVENT, Event};
use crate::ts::term::{InputId, Leaf, Term, VarId};

/// Relations with names: the text of their parts.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub relations: &'a Relations,
    /// The names of variables and inputs.
    pub names: &'a ExportNames,
    /// The terms that are written by name.
    pub shared: &'a Shared,
}

impl Vocabulary for Text<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        self.names.leaf(leaf).to_owned()
    }

    fn is_flag(&self, leaf: Leaf) -> bool {
        match leaf {
            Leaf::Input(id) => id != EVENT && self.relations.system.inputs()[id.0 as usize].count == 2,
            Leaf::Var(_) => false,
        }
    }
}

impl Text<'_> {
    fn writer(&self) -> Writer<'_> {
        Writer { terms: self.relations.system.terms(), vocabulary: self, shared: self.shared }
    }

    /// A term, by its name if it has one.
    pub fn term(&self, term: Term) -> String {
        self.writer().term(term)
    }

    /// A term in full.
    pub fn definition(&self, term: Term) -> String {
        self.writer().definition(term)
    }

    pub fn variable(&self, id: VarId) -> String {
        self.leaf(Leaf::Var(id))
    }

    pub fn input(&self, id: InputId) -> String {
        self.leaf(Leaf::Input(id))
    }

    pub fn input_sort(&self, id: InputId) -> &'static str {
        if self.is_flag(Leaf::Input(id)) { "Bool" } else { "Int" }
    }

    pub fn sort(&self, id: VarId) -> &'static str {
        sort_name(self.relations.system.variable(id).sort)
    }

    /// That the variables have values of their domains; nothing for those that cannot leave them.
    fn domains(&self) -> Vec<String> {
        let domain = |&id: &VarId| {
            let variable = self.relations.system.variable(id);
            in_domain(&self.variable(id), variable.sort, &variable.domain)
        };
        self.relations.variables.iter().filter_map(domain).collect()
    }

    pub fn init(&self) -> Vec<String> {
        let mut list = self.domains();
        list.extend(self.relations.init.iter().map(|&term| self.term(term)));
        list
    }

    pub fn bad(&self) -> Vec<String> {
        let mut list = self.domains();
        list.push(self.term(self.relations.bad));
        list
    }

    /// Which steps exist, over variables and inputs.
    pub fn possible(&self) -> Vec<String> {
        let system = &self.relations.system;
        let mut list = self.domains();
        let choices = self.relations.inputs.iter().filter(|&&id| id != EVENT && !self.is_flag(Leaf::Input(id)));
        list.extend(choices.map(|&id| {
            let count = system.inputs()[id.0 as usize].count;
            between(&self.input(id), 0, i64::from(count) - 1)
        }));
        let event = |(index, event): (usize, &Event)| {
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
        self.writer().next(id, self.relations.system.update(id))
    }
}

/// A conjunction without members that are true.
fn conjunction(list: &[String]) -> String {
    let list: Vec<String> = list.iter().filter(|member| *member != "true").cloned().collect();
    application("and", &list)
}
