//! Why responses come for all sizes, in certificates.

use super::part::read_term;
use crate::claim::sizes::{CaseClaim, Helper, ProgressClaim, WitnessClaim};
use crate::model::{EdgeId, InstanceId, Model};
use crate::ts::smtlib::symbols::{Symbols, command_name};
use crate::ts::smtlib::write::closed;
use crate::ts::term::{Sort, Term, Terms};
use serde::{Deserialize, Serialize};

/// That a member exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessDocument {
    /// Its representative.
    member: String,
    /// The condition under which there is one.
    when: String,
    /// If there is one for each number of a range: its beginning, its end (exclusive), and the number that a member stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<[String; 3]>,
    /// The condition that it satisfies.
    condition: String,
}

/// Why a response comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressDocument {
    /// The conditions that are true as long as the response is pending.
    pending: Vec<String>,
    /// The ranks that steps lower: the first one weighs most.
    ranks: Vec<String>,
    /// The agent that helps, and when.
    cases: Vec<CaseDocument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseDocument {
    condition: String,
    /// No agent in particular if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    helper: Option<HelperDocument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HelperDocument {
    agent: String,
    /// The command that is treated fairly; all that it can begin if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// The send that is enabled; a get or a supply if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// The model and the symbols that terms are written with.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// The reference instance.
    pub model: &'a Model,
    /// The names of the variables of its system.
    pub symbols: &'a Symbols,
}

impl Written<'_> {
    fn instance(&self, name: &str) -> Result<InstanceId, String> {
        let found = self.model.instance_ids().find(|id| self.model.instances[id.index()].name == name);
        found.ok_or_else(|| format!("no agent is called `{name}`"))
    }

    fn name(&self, instance: InstanceId) -> String {
        self.model.instances[instance.index()].name.clone()
    }

    fn command(&self, instance: InstanceId, name: &str) -> Result<EdgeId, String> {
        let mut edges = (0..self.model.agent_of(instance).edges.len() as u32).map(EdgeId);
        let found = edges.find(|edge| command_name(self.model, instance, *edge) == name);
        found.ok_or_else(|| format!("there is no command `{name}`"))
    }
}

impl WitnessDocument {
    /// Of a claim.
    pub fn new(written: Written, terms: &Terms, claim: &WitnessClaim) -> WitnessDocument {
        let text = |term: &Term| closed(terms, written.symbols, *term);
        WitnessDocument {
            member: written.name(claim.member),
            when: text(&claim.when),
            range: claim.range.as_ref().map(|range| range.each_ref().map(text)),
            condition: text(&claim.condition),
        }
    }

    /// The claim that it makes.
    pub fn claim(&self, written: Written, terms: &mut Terms) -> Result<WitnessClaim, String> {
        let mut read = |text: &str, sort| read_term(terms, written.symbols, text, &[sort]);
        let range = match &self.range {
            None => None,
            Some([low, high, number]) => {
                Some([read(low, Sort::Int)?, read(high, Sort::Int)?, read(number, Sort::Int)?])
            }
        };
        let (when, condition) = (read(&self.when, Sort::Bool)?, read(&self.condition, Sort::Bool)?);
        Ok(WitnessClaim { member: written.instance(&self.member)?, when, range, condition })
    }
}

impl ProgressDocument {
    /// Of a claim.
    pub fn new(written: Written, terms: &Terms, claim: &ProgressClaim) -> ProgressDocument {
        let text = |term: &Term| closed(terms, written.symbols, *term);
        let helper = |helper: Helper| match helper {
            Helper::Any => None,
            Helper::Agent { instance, command, by } => {
                let name = |edge| command_name(written.model, instance, edge);
                Some(HelperDocument { agent: written.name(instance), command: command.map(name), by: by.map(name) })
            }
        };
        let case = |case: &CaseClaim| CaseDocument { condition: text(&case.condition), helper: helper(case.helper) };
        ProgressDocument {
            pending: claim.pending.iter().map(text).collect(),
            ranks: claim.ranks.iter().map(text).collect(),
            cases: claim.cases.iter().map(case).collect(),
        }
    }

    /// The claim that it makes.
    pub fn claim(&self, written: Written, terms: &mut Terms) -> Result<ProgressClaim, String> {
        let mut read = |text: &String, sorts: &[Sort]| read_term(terms, written.symbols, text, sorts);
        let pending = self.pending.iter().map(|text| read(text, &[Sort::Bool])).collect::<Result<_, _>>()?;
        let ranks = self.ranks.iter().map(|text| read(text, &[Sort::Int, Sort::Bool])).collect::<Result<_, _>>()?;
        let mut cases = Vec::new();
        for case in &self.cases {
            let condition = read(&case.condition, &[Sort::Bool])?;
            let helper = case.helper.as_ref().map_or(Ok(Helper::Any), |helper| helper.claim(written))?;
            cases.push(CaseClaim { condition, helper });
        }
        Ok(ProgressClaim { pending, ranks, cases })
    }
}

impl HelperDocument {
    fn claim(&self, written: Written) -> Result<Helper, String> {
        let instance = written.instance(&self.agent)?;
        let command = |name: &Option<String>| name.as_ref().map(|name| written.command(instance, name)).transpose();
        Ok(Helper::Agent { instance, command: command(&self.command)?, by: command(&self.by)? })
    }
}
