//! Formulas of CTL, LTL, CTL* and ATL with knowledge, as formulas of the model.

use super::super::ast::{Formula as Written, FormulaKind, GroupKnowledge, Ident, Item, Logic, Temporal};
use super::Context;
use super::names::{meant_or, shown};
use crate::diag::{Code, Diagnostic};
use crate::model::branching::{Branching, Information, Knowledge, Objective, Operator};
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, InstanceId};

/// Propositions about an agent that formulas can read without a definition.
pub const STANDARD: [&str; 2] = ["RedStates", "GreenStates"];

impl Context<'_> {
    /// A formula of `Formulae`.
    pub fn item(&mut self, item: &Item) -> Option<Formula> {
        let formula = self.formula(&item.formula, item.logic)?;
        if item.logic != Logic::Ltl && !formula.is_about_state() {
            self.about_runs(&item.formula, item.logic);
            return None;
        }
        Some(formula)
    }

    /// A formula without temporal operators, knowledge and the like.
    pub fn propositional(&mut self, formula: &Written) -> Option<Formula> {
        let read = self.formula(formula, Logic::CtlStar)?;
        if read.is_branching() || !read.is_about_state() {
            let message = "a condition of fairness is about propositions only";
            let finding = Diagnostic::new(Code::NotAllowedHere, formula.span, message);
            self.report(finding.help("it says of states what runs that count visit again and again"));
            return None;
        }
        Some(read)
    }

    fn about_runs(&mut self, formula: &Written, logic: Logic) {
        let message = "this is about a run, and says not which";
        let finding = Diagnostic::new(Code::NotAllowedHere, formula.span, message);
        let help = match logic {
            Logic::CtlStar => "put `A` or `E` before it",
            _ => "put `A` or `E` before the temporal operator, or begin the formula with `LTL`",
        };
        self.report(finding.help(help));
    }

    fn formula(&mut self, written: &Written, logic: Logic) -> Option<Formula> {
        match &written.kind {
            FormulaKind::Proposition(name) => self.proposition(name),
            FormulaKind::Standard(agent, name) => self.standard(agent, name),
            FormulaKind::Not(inner) => Some(self.formula(inner, logic)?.not()),
            FormulaKind::And(list) => Some(Formula::And(self.all(list, logic)?)),
            FormulaKind::Or(list) => Some(Formula::Or(self.all(list, logic)?)),
            FormulaKind::Implies(left, right) => {
                let (left, right) = self.both(left, right, logic)?;
                Some(left.implies(right))
            }
            FormulaKind::Iff(left, right) => {
                let (left, right) = self.both(left, right, logic)?;
                Some(left.iff(right))
            }
            FormulaKind::Temporal(operator, inner) => {
                let read = self.formula(inner, logic)?;
                let inner = self.operand(inner, read, logic)?;
                Some(match operator {
                    Temporal::Next => inner.next(),
                    Temporal::Finally => inner.finally(),
                    Temporal::Globally => inner.globally(),
                })
            }
            FormulaKind::Until(left, right) => {
                let (one, other) = (self.formula(left, logic), self.formula(right, logic));
                let (one, other) = (self.operand(left, one?, logic), self.operand(right, other?, logic));
                Some(one?.until(other?))
            }
            FormulaKind::Path(all, inner) => {
                if logic == Logic::Ltl {
                    let message = "a linear formula has no path quantifiers";
                    let finding = Diagnostic::new(Code::NotAllowedHere, written.span, message);
                    self.report(finding.help("begin the formula with `CTL*`"));
                    return None;
                }
                let body = self.path(written, inner, logic)?;
                Some(branching(if *all { Operator::All } else { Operator::Some }, body))
            }
            FormulaKind::Strategy(group, inner) => {
                let body = self.path(written, inner, if logic == Logic::Ltl { Logic::Ctl } else { logic });
                let members = self.group(group);
                if body.as_ref().is_some_and(|body| Objective::of(body).is_none()) {
                    let message = "behind a group stands one temporal operator, over formulas about states";
                    let finding = Diagnostic::new(Code::NotAllowedHere, inner.span, message);
                    self.report(finding.help("write `<g>X f`, `<g>F f`, `<g>G f` or `<g>(f U h)`"));
                    return None;
                }
                Some(branching(Operator::Strategy(Information::Full, members?), body?))
            }
            FormulaKind::Knows(known, who, body) => self.knows(*known, who, body, logic),
        }
    }

    fn all(&mut self, list: &[Written], logic: Logic) -> Option<Vec<Formula>> {
        let list: Vec<Option<Formula>> = list.iter().map(|part| self.formula(part, logic)).collect();
        list.into_iter().collect()
    }

    fn both(&mut self, left: &Written, right: &Written, logic: Logic) -> Option<(Formula, Formula)> {
        let (left, right) = (self.formula(left, logic), self.formula(right, logic));
        Some((left?, right?))
    }

    /// The operand of a temporal operator: in CTL a formula about a state.
    fn operand(&mut self, written: &Written, formula: Formula, logic: Logic) -> Option<Formula> {
        if logic == Logic::Ctl && !formula.is_about_state() {
            self.about_runs(written, logic);
            return None;
        }
        Some(formula)
    }

    /// The body of a path quantifier: in CTL one temporal operator.
    fn path(&mut self, written: &Written, inner: &Written, logic: Logic) -> Option<Formula> {
        let body = self.formula(inner, logic)?;
        let is_temporal = matches!(inner.kind, FormulaKind::Temporal(..) | FormulaKind::Until(..));
        if logic == Logic::Ctl && !is_temporal {
            let message = "in CTL, a temporal operator stands behind each path quantifier";
            let finding = Diagnostic::new(Code::NotAllowedHere, written.span, message);
            self.report(finding.help("write `AG`, `AF`, `AX`, `A(f U g)`, .., or begin the formula with `CTL*`"));
            return None;
        }
        Some(body)
    }

    /// `K(i, f)`, `O(i, f)`, ..
    fn knows(&mut self, known: GroupKnowledge, who: &Ident, body: &Written, logic: Logic) -> Option<Formula> {
        let members = match known {
            GroupKnowledge::Own | GroupKnowledge::Obliged => self.agent_named(who).map(|agent| vec![InstanceId(agent)]),
            _ => self.group(who),
        };
        let read = self.formula(body, logic)?;
        let members = members?;
        let read = match read.is_about_state() {
            true => read,
            false if logic == Logic::Ctl => {
                self.about_runs(body, logic);
                return None;
            }
            // Knowledge of a formula about runs is knowledge that all runs satisfy it.
            false => branching(Operator::All, read),
        };
        Some(match known {
            GroupKnowledge::Own => branching(Operator::Known(Knowledge::Own, members), read),
            GroupKnowledge::Everybody => branching(Operator::Known(Knowledge::Everybody, members), read),
            GroupKnowledge::Distributed => branching(Operator::Known(Knowledge::Distributed, members), read),
            GroupKnowledge::Common => branching(Operator::Known(Knowledge::Common, members), read),
            GroupKnowledge::Obliged => {
                let red = self.red(members[0])?;
                // All states in which the agent does as it should: an empty group tells no states apart.
                let read = Formula::Or(vec![Formula::Atom(red), read]);
                branching(Operator::Known(Knowledge::Distributed, Vec::new()), read)
            }
        })
    }

    fn group(&mut self, name: &Ident) -> Option<Vec<InstanceId>> {
        if let Some((_, members)) = self.groups.get(name.name.as_str()) {
            return Some(members.iter().copied().map(InstanceId).collect());
        }
        if self.names.unread.groups {
            return None;
        }
        let finding = Diagnostic::new(Code::UnknownName, name.span, format!("no group is called `{}`", name.name));
        let groups = self.file.groups.iter().map(|group| group.name.name.as_str());
        let help = if self.names.agents.contains_key(name.name.as_str()) {
            format!("`{}` is an agent: declare a group in `Groups`, as in `g = {{{0}}};`", name.name)
        } else {
            meant_or(name, self.groups.keys().copied(), || match self.groups.is_empty() {
                true => "declare it in `Groups`".to_owned(),
                false => format!("the groups are {}", shown(groups)),
            })
        };
        self.unknown("group", &name.name, finding.help(help));
        None
    }

    /// The states of an agent in which it does not do as it should.
    fn red(&mut self, agent: InstanceId) -> Option<Expr<StateLeaf>> {
        let declared = &self.file.agents[agent.index()];
        match &declared.red {
            Some(red) => self.local_condition(red, agent.0),
            // No state is one, or the condition could not be read, which was reported.
            None => Some(Expr::FALSE),
        }
    }

    fn standard(&mut self, agent: &Ident, name: &Ident) -> Option<Formula> {
        let number = self.agent_named(agent);
        if !STANDARD.contains(&name.name.as_str()) {
            let message = format!("formulas do not read `{}.{}`", agent.name, name.name);
            let finding = Diagnostic::new(Code::NotAllowedHere, agent.span.to(name.span), message);
            self.report(finding.help(format!(
                "declare a proposition in `Evaluation`, as in `p if {}.{} = ..;`",
                agent.name, name.name
            )));
            return None;
        }
        let red = self.red(InstanceId(number?))?;
        let red = if name.name == "RedStates" { red } else { Expr::Not(Box::new(red)) };
        Some(Formula::Atom(red))
    }

    fn proposition(&mut self, name: &Ident) -> Option<Formula> {
        if let Some((_, condition)) = self.propositions.get(name.name.as_str()) {
            return Some(Formula::Atom(condition.clone().unwrap_or(Expr::TRUE)));
        }
        if let "true" | "false" = name.name.as_str() {
            return Some(Formula::Atom(if name.name == "true" { Expr::TRUE } else { Expr::FALSE }));
        }
        // Errors around it are reported, too.
        let unread = Some(Formula::Atom(Expr::TRUE));
        if self.names.unread.propositions {
            return unread;
        }
        let finding =
            Diagnostic::new(Code::UnknownName, name.span, format!("no proposition is called `{}`", name.name));
        let help = meant_or(name, self.propositions.keys().copied(), || match name.name.as_str() {
            "True" | "False" | "TRUE" | "FALSE" => format!("write `{}`", name.name.to_lowercase()),
            _ => "declare it in `Evaluation`, as in `p if Agent.x = 1;`".to_owned(),
        });
        self.unknown("proposition", &name.name, finding.help(help));
        unread
    }
}

fn branching(operator: Operator, body: Formula) -> Formula {
    Formula::Branching(Box::new(Branching { operator, body, among: None }))
}
