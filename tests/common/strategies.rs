//! All strategies of a group by definition, for small models: each member offers any of its commands in each state, and takes each message
//! in one of the ways that are possible.

use rcheck_smt::model::eval::decisions::SeenMessage;
use rcheck_smt::model::eval::{Choice, Semantics, State, Step};
use rcheck_smt::model::{EdgeId, InstanceId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A question that a member decides in a state.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Question {
    /// A command that is offered, or not: the second answer is yes.
    Offer(State, InstanceId, EdgeId),
    /// By which command a message is taken.
    Take(State, InstanceId, SeenMessage),
}

/// Strategies by numbers.
pub struct Strategies<'a> {
    semantics: &'a Semantics<'a>,
    group: &'a [InstanceId],
    /// Per question its place, and the answers to a [`Question::Take`].
    questions: FxHashMap<Question, (usize, Vec<EdgeId>)>,
    /// Per question the number of answers.
    answers: Vec<u64>,
}

impl<'a> Strategies<'a> {
    pub fn new(semantics: &'a Semantics<'a>, states: &[State], group: &'a [InstanceId]) -> Strategies<'a> {
        let mut found: Vec<(Question, BTreeSet<EdgeId>)> = Vec::new();
        let mut strategies = Strategies { semantics, group, questions: FxHashMap::default(), answers: Vec::new() };
        for state in states {
            for step in semantics.steps(state) {
                for (question, answer) in strategies.asked(state, &step) {
                    match found.iter_mut().find(|(known, _)| *known == question) {
                        Some((_, answers)) => drop(answers.insert(answer)),
                        None => found.push((question, BTreeSet::from([answer]))),
                    }
                }
            }
        }
        for (question, answers) in found {
            let count = if matches!(question, Question::Offer(..)) { 2 } else { answers.len() as u64 };
            strategies.questions.insert(question, (strategies.answers.len(), answers.into_iter().collect()));
            strategies.answers.push(count);
        }
        strategies
    }

    /// How many there are, unless there are more than that.
    pub fn count(&self, most: u64) -> Option<u64> {
        self.answers.iter().try_fold(1, |all: u64, answers| all.checked_mul(*answers).filter(|all| *all <= most))
    }

    /// True if a step agrees with the strategy of a number.
    pub fn agrees(&self, number: u64, state: &State, step: &Step) -> bool {
        self.asked(state, step).into_iter().all(|(question, answer)| {
            let (place, answers) = &self.questions[&question];
            let before: u64 = self.answers[..*place].iter().product();
            let chosen = number / before % self.answers[*place];
            match question {
                Question::Offer(..) => chosen == 1,
                Question::Take(..) => answers[chosen as usize] == answer,
            }
        })
    }

    /// The questions to members about a step, and the answers with which it is taken.
    fn asked(&self, state: &State, step: &Step) -> Vec<(Question, EdgeId)> {
        let is_member = |instance: &InstanceId| self.group.contains(instance);
        let data = |instance, edge| self.semantics.data_sent(state, instance, edge);
        let (begins, message, takes) = match &step.choice {
            Choice::Send { sender, edge, receivers } => {
                let message = SeenMessage { channel: step.channel.clone(), data: step.data.clone() };
                ((*sender, *edge), message, receivers.clone())
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let message = SeenMessage { channel: None, data: data(*getter, *get) };
                ((*getter, *get), message, vec![(*supplier, *supply)])
            }
            Choice::Stutter => return Vec::new(),
            Choice::Joint(_) => unreachable!("they do not act all at once"),
        };
        let offered = is_member(&begins.0).then(|| (Question::Offer(state.clone(), begins.0, begins.1), begins.1));
        let taken = takes.into_iter().filter(|(instance, _)| is_member(instance));
        let taken = taken.map(|(instance, edge)| (Question::Take(state.clone(), instance, message.clone()), edge));
        offered.into_iter().chain(taken).collect()
    }
}
