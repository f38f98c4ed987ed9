//! All strategies of a group by definition, for small models: each member offers any of its commands in each state, or in each of its
//! local states, and takes each message in one of the ways that are possible.

use rcheck_smt::model::branching::Information;
use rcheck_smt::model::eval::{Choice, Semantics, State, Step};
use rcheck_smt::model::{EdgeId, InstanceId, LocalId, MessageId, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The things by which a member decides.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Known {
    Whole(State),
    /// Its automaton state and its locals.
    Own(u32, Vec<Value>),
}

/// The channel of a send, and the data.
type Message = (Option<Value>, Vec<(MessageId, Value)>);

/// A question that a member decides.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Question {
    /// A command that is offered, or not: the second answer is yes.
    Offer(Known, InstanceId, EdgeId),
    /// By which command a message is taken: of a get, one of these is possible.
    Take(Known, InstanceId, Message, Vec<EdgeId>),
}

/// Strategies by numbers.
pub struct Strategies<'a> {
    semantics: &'a Semantics<'a>,
    group: &'a [InstanceId],
    information: Information,
    /// Per question its place, and the answers to a [`Question::Take`].
    questions: FxHashMap<Question, (usize, Vec<EdgeId>)>,
    /// Per question the number of answers.
    answers: Vec<u64>,
}

impl<'a> Strategies<'a> {
    pub fn new(
        semantics: &'a Semantics<'a>,
        states: &[State],
        (group, information): (&'a [InstanceId], Information),
    ) -> Strategies<'a> {
        let mut found: Vec<(Question, BTreeSet<EdgeId>)> = Vec::new();
        let mut strategies =
            Strategies { semantics, group, information, questions: FxHashMap::default(), answers: Vec::new() };
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

    fn chosen(&self, number: u64, question: &Question) -> (u64, &[EdgeId]) {
        let (place, answers) = &self.questions[question];
        let before: u64 = self.answers[..*place].iter().product();
        (number / before % self.answers[*place], answers)
    }

    /// How many there are, unless there are more than that.
    pub fn count(&self, most: u64) -> Option<u64> {
        self.answers.iter().try_fold(1, |all: u64, answers| all.checked_mul(*answers).filter(|all| *all <= most))
    }

    /// True if a step agrees with the strategy of a number.
    pub fn agrees(&self, number: u64, state: &State, step: &Step) -> bool {
        self.asked(state, step).into_iter().all(|(question, answer)| {
            let (chosen, answers) = self.chosen(number, &question);
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
                let message = (step.channel.clone(), step.data.clone());
                ((*sender, *edge), message, receivers.clone())
            }
            Choice::GetSupply { getter, get, supplier, supply } => {
                let message = (None, data(*getter, *get));
                ((*getter, *get), message, vec![(*supplier, *supply)])
            }
            Choice::Stutter => return Vec::new(),
            Choice::Joint(_) => unreachable!("they do not act all at once"),
        };
        let known = |member: InstanceId| match self.information {
            Information::Full => Known::Whole(state.clone()),
            Information::Protocols => unreachable!("they do not act all at once"),
            Information::Own => {
                let locals = (0..self.semantics.model().agent_of(member).locals.len() as u32).map(LocalId);
                Known::Own(state.automaton(member), locals.map(|local| state.local(member, local).clone()).collect())
            }
        };
        let offered = is_member(&begins.0).then(|| (Question::Offer(known(begins.0), begins.0, begins.1), begins.1));
        let taken = takes.into_iter().filter(|(instance, _)| is_member(instance));
        let taken = taken.map(|(instance, edge)| {
            let ready = self.ready(state, &step.choice, instance);
            (Question::Take(known(instance), instance, message.clone(), ready), edge)
        });
        offered.into_iter().chain(taken).collect()
    }

    /// The commands by which a message that comes by a choice can be taken by an agent, ascending.
    fn ready(&self, state: &State, choice: &Choice, taker: InstanceId) -> Vec<EdgeId> {
        let other = |other: &Choice| match (choice, other) {
            (Choice::Send { sender, edge, .. }, Choice::Send { sender: who, edge: sent, receivers }) => {
                let taken = receivers.iter().find(|(receiver, _)| *receiver == taker);
                taken.filter(|_| (sender, edge) == (who, sent)).map(|(_, edge)| *edge)
            }
            (
                Choice::GetSupply { getter, get, supplier, .. },
                Choice::GetSupply { getter: who, get: asked, supplier: by, supply },
            ) => ((getter, get, supplier) == (who, asked, by)).then_some(*supply),
            _ => None,
        };
        let steps = self.semantics.steps(state);
        let ready: BTreeSet<EdgeId> = steps.iter().filter_map(|step| other(&step.choice)).collect();
        ready.into_iter().collect()
    }
}
