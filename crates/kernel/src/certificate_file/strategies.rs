//! Uniform strategies in certificates.

use super::recheck::{CertificateError, replayed};
use super::recurrent::{read_condition, written_condition};
use super::{EvidenceDocument, run_document};
use crate::check::strategies::{self, Answer, Answers, Piece, PieceBy, Stuck, View, Why};
use crate::claim::strategies::{CanClaim, Failure, NoStrategy, PieceClaim, PieceEvidence, Shows, StrategiesClaim};
use crate::claim::{Evidence, Trace};
use crate::model::branching::{Branching, Information, Operator};
use crate::model::eval::{Influence, Run, SeenMessage, Semantics};
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Beginning, Decision, Refusal, Strategy};
use crate::model::{EdgeId, Expr, InstanceId, LocalId, MessageId, Model, Type, Value};
use crate::trace_file::{state_from_json, state_to_json, value_from_json, value_to_json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The evidence about a spec with `can(g, f)` at its beginning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategiesDocument {
    /// Per branching formula that has to be known before, where it is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<PieceDocument>,
    /// Per `can(g, f)`, its truth.
    answers: Vec<AnswerDocument>,
    /// The evidence for the rest of the spec.
    rest: Box<EvidenceDocument>,
}

/// A condition, as an SMT-LIB term, and evidence that it is true where a branching formula is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PieceDocument {
    condition: String,
    #[serde(flatten)]
    evidence: PieceEvidenceDocument,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum PieceEvidenceDocument {
    /// That both are always equivalent.
    Equivalent(EvidenceDocument),
    /// Of `can(g, f)`, its truth for states that the group has to reckon with.
    Views(Vec<ViewDocument>),
}

/// The truth of `can(g, f)` where the group has to reckon with these states: the values of all variables, by their instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewDocument {
    states: Vec<Json>,
    answer: AnswerDocument,
}

/// Why `can(g, f)` is true or false.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum AnswerDocument {
    /// A strategy, and evidence about its outcome: that what is to be brought about holds, and that it counts under the assumptions.
    Can {
        /// The commands that are not offered.
        refused: Vec<RefusalDocument>,
        /// By which commands messages are not taken.
        #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "not-taken")]
        not_taken: Vec<DecisionDocument>,
        evidence: Vec<EvidenceDocument>,
    },
    /// Strategies that fail, with runs of which each strategy has one in its outcome, and clauses that show it.
    Cannot { decisions: Vec<DecisionDocument>, failures: Vec<FailureDocument>, learnt: Vec<Vec<i32>> },
}

/// A command that a member does not offer, under a condition on its locals: an SMT-LIB term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusalDocument {
    agent: String,
    /// Its number among the commands of the agent, from 0.
    command: u32,
    when: String,
}

/// A decision in one local state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionDocument {
    agent: String,
    /// Its number among the commands of the agent, from 0.
    command: u32,
    /// The values of its locals.
    locals: Map<String, Json>,
    /// The message that it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<MessageDocument>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageDocument {
    /// None for a get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channel: Option<Json>,
    data: Map<String, Json>,
    /// Of a get, the numbers of the commands that could answer it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ready: Vec<u32>,
}

/// Why the strategy fails that refuses some decisions, given by their numbers, from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FailureDocument {
    refused: Vec<u32>,
    /// A run of its outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<Json>,
    /// Of the beginning of a run, evidence that the strategy does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stuck: Option<EvidenceDocument>,
    /// Of deterministic protocols without a run, evidence that the model with them violates the spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    violated: Option<EvidenceDocument>,
}

impl StrategiesDocument {
    pub(super) fn new(model: &Model, file: &str, answers: &Answers, rest: EvidenceDocument) -> StrategiesDocument {
        let (mut pieces, mut conditions) = (Vec::new(), Vec::new());
        for piece in answers.pieces() {
            pieces.push(PieceDocument {
                condition: written_condition(model, piece.condition()),
                evidence: PieceEvidenceDocument::new(model, file, piece, &conditions),
            });
            conditions.push(piece.known());
        }
        let answer = |answer: &Answer| AnswerDocument::new(model, file, answer, &conditions);
        StrategiesDocument { pieces, answers: answers.answers().iter().map(answer).collect(), rest: Box::new(rest) }
    }

    /// The claim that it makes about a spec.
    pub(super) fn claim(&self, semantics: &Semantics, spec: usize) -> Result<StrategiesClaim, CertificateError> {
        let model = semantics.model();
        let formula = &model.specs[spec].formula;
        let beginnings = formula.beginnings();
        let list = formula.pieces(model);
        if beginnings.len() != self.answers.len() || list.len() != self.pieces.len() {
            return Err(unfit("there is another number of strategies"));
        }
        let (mut pieces, mut conditions) = (Vec::new(), Vec::new());
        for (branching, document) in list.into_iter().zip(&self.pieces) {
            let condition = read_condition(model, &document.condition).map_err(unfit)?;
            let asked = branching.with_known(&conditions);
            let evidence = document.evidence.claim(semantics, &asked, &condition)?;
            pieces.push(PieceClaim { condition: condition.clone(), evidence });
            conditions.push((branching, condition));
        }
        let pairs = beginnings.iter().zip(&self.answers);
        let answers = pairs.map(|(beginning, answer)| answer.claim(model, beginning, &conditions));
        let answers: Vec<CanClaim> = answers.collect::<Result<_, _>>()?;
        let truths: Vec<bool> = answers.iter().map(|answer| matches!(answer, CanClaim::Can(..))).collect();
        let rest = formula.with_beginnings(&truths).with_known(&conditions);
        let rest = model.with_specs(vec![rest.into()]);
        let rest = self.rest.claim(&Semantics::new(&rest), 0)?;
        Ok(StrategiesClaim { pieces, answers, rest })
    }
}

fn unfit(what: impl ToString) -> CertificateError {
    CertificateError::Unfit(what.to_string())
}

impl PieceEvidenceDocument {
    fn new(
        model: &Model,
        file: &str,
        piece: &Piece,
        conditions: &[(Branching, Expr<StateLeaf>)],
    ) -> PieceEvidenceDocument {
        match piece.by() {
            PieceBy::Equivalent(proof) => {
                let asked = piece.branching().with_known(conditions);
                let question = strategies::question(model, &asked, piece.condition());
                PieceEvidenceDocument::Equivalent(EvidenceDocument::of_proof(&question, file, proof))
            }
            PieceBy::Views(views) => {
                let view = |view: &View| ViewDocument {
                    states: view.states.iter().map(|state| state_to_json(model, state)).collect(),
                    answer: AnswerDocument::new(&view.model, file, &view.answer, &[]),
                };
                PieceEvidenceDocument::Views(views.iter().map(view).collect())
            }
        }
    }

    fn claim(
        &self,
        semantics: &Semantics,
        asked: &Branching,
        condition: &Expr<StateLeaf>,
    ) -> Result<PieceEvidence, CertificateError> {
        let model = semantics.model();
        Ok(match self {
            PieceEvidenceDocument::Equivalent(evidence) => {
                let question = strategies::question(model, asked, condition);
                PieceEvidence::Equivalent(evidence.claim(&Semantics::new(&question), 0)?)
            }
            PieceEvidenceDocument::Views(_) if !matches!(asked.operator, Operator::Strategy(Information::Own, _)) => {
                return Err(unfit("a condition is about something else"));
            }
            PieceEvidenceDocument::Views(views) => {
                let view = |view: &ViewDocument| {
                    let states = view.states.iter().map(|state| state_from_json(model, state));
                    let states = states.collect::<Result<Vec<_>, _>>().map_err(unfit)?;
                    let starting = model.starting(&states);
                    Ok((states, view.answer.claim(&starting, &model.from_here(asked), &[])?))
                };
                PieceEvidence::Views(views.iter().map(view).collect::<Result<_, CertificateError>>()?)
            }
        })
    }
}

impl AnswerDocument {
    fn new(model: &Model, file: &str, answer: &Answer, conditions: &[(Branching, Expr<StateLeaf>)]) -> AnswerDocument {
        match answer.why() {
            Why::Can { strategy, outcome, proofs } => {
                let refused = |refusal: &Refusal| RefusalDocument {
                    agent: name(model, refusal.member),
                    command: refusal.edge.0,
                    when: written_condition(model, &refusal.when),
                };
                AnswerDocument::Can {
                    refused: strategy.refusals.iter().map(refused).collect(),
                    not_taken: strategy.takes.iter().map(|take| DecisionDocument::new(model, take)).collect(),
                    evidence: proofs.iter().map(|proof| EvidenceDocument::of_proof(outcome, file, proof)).collect(),
                }
            }
            Why::Cannot { runs: NoStrategy { decisions, failures, learnt }, stuck } => {
                let failure = |(failure, stuck): (&Failure, &Option<Stuck>)| {
                    let refused = failure.refused.iter().map(|number| &decisions[*number as usize]);
                    let strategy = Strategy::refusing(refused);
                    let trace = failure.shows.trace().map(|trace| {
                        let outcome = model.outcome_of_runs(answer.beginning(), conditions, &strategy);
                        let outcome = outcome.expect("it was replayed");
                        replayed_document(&Semantics::new(&outcome), file, trace)
                    });
                    let stuck =
                        stuck.as_ref().map(|Stuck { model, proof }| EvidenceDocument::of_proof(model, file, proof));
                    let violated = match &failure.shows {
                        Shows::Whole(evidence) => {
                            let outcome = model.outcome(answer.beginning(), conditions, &strategy);
                            Some(EvidenceDocument::of_violation(&Semantics::new(&outcome), file, evidence))
                        }
                        Shows::Run(_) | Shows::Stuck(..) => None,
                    };
                    FailureDocument { refused: failure.refused.clone(), trace, stuck, violated }
                };
                AnswerDocument::Cannot {
                    decisions: decisions.iter().map(|decision| DecisionDocument::new(model, decision)).collect(),
                    failures: failures.iter().zip(stuck).map(failure).collect(),
                    learnt: learnt.clone(),
                }
            }
        }
    }

    fn claim(
        &self,
        model: &Model,
        beginning: &Beginning,
        conditions: &[(Branching, Expr<StateLeaf>)],
    ) -> Result<CanClaim, CertificateError> {
        Ok(match self {
            AnswerDocument::Can { refused, not_taken, evidence } => {
                let refusal = |refused: &RefusalDocument| {
                    let (member, edge) = command(model, &refused.agent, refused.command)?;
                    let when = read_condition(model, &refused.when).map_err(unfit)?;
                    if !model.is_decided_by(member, &when) {
                        return Err(unfit("a member decides by what it does not see"));
                    }
                    Ok(Refusal { member, edge, when })
                };
                let strategy = Strategy {
                    refusals: refused.iter().map(refusal).collect::<Result<_, _>>()?,
                    takes: not_taken.iter().map(|take| take.read(model)).collect::<Result<_, _>>()?,
                };
                let outcome = model.outcome(beginning, conditions, &strategy);
                let semantics = Semantics::new(&outcome);
                // Another number of parts is refused.
                let evidence =
                    evidence.iter().zip(0..outcome.specs.len()).map(|(part, spec)| part.claim(&semantics, spec));
                CanClaim::Can(strategy, evidence.collect::<Result<_, _>>()?)
            }
            AnswerDocument::Cannot { decisions, failures, learnt } => {
                let decisions: Vec<Decision> =
                    decisions.iter().map(|decision| decision.read(model)).collect::<Result<_, _>>()?;
                let failure = |failure: &FailureDocument| {
                    let refused = failure.refused.iter().map(|number| decisions.get(*number as usize));
                    let refused: Option<Vec<&Decision>> = refused.collect();
                    let refused = refused.ok_or_else(|| unfit("a run is about decisions that are not listed"))?;
                    let strategy = Strategy::refusing(refused);
                    let shows = failure.read(model, beginning, conditions, &strategy)?;
                    Ok(Failure { refused: failure.refused.clone(), shows })
                };
                let failures = failures.iter().map(failure).collect::<Result<_, CertificateError>>()?;
                CanClaim::Cannot(NoStrategy { decisions, failures, learnt: learnt.clone() })
            }
        })
    }
}

impl FailureDocument {
    fn read(
        &self,
        model: &Model,
        beginning: &Beginning,
        conditions: &[(Branching, Expr<StateLeaf>)],
        strategy: &Strategy,
    ) -> Result<Shows, CertificateError> {
        let of_runs = || {
            let outcome = model.outcome_of_runs(beginning, conditions, strategy);
            outcome.ok_or_else(|| unfit("a run shows nothing here"))
        };
        match (&self.trace, &self.stuck, &self.violated) {
            (Some(trace), None, None) => Ok(Shows::Run(replayed(&Semantics::new(&of_runs()?), trace)?)),
            (Some(trace), Some(evidence), None) => {
                let outcome = of_runs()?;
                let semantics = Semantics::new(&outcome);
                let trace = replayed(&semantics, trace)?;
                let unasked = || unfit("a run is about assumptions that there are not");
                let assumed = model.restricting(&beginning.can).ok_or_else(unasked)?;
                let initial = semantics.state_from(&trace.initial).expect("it was replayed");
                let step = |state, choice| semantics.apply(&state, choice).expect("it was replayed").target;
                let last = trace.choices.iter().fold(initial, step);
                let evidence = evidence.claim(&Semantics::new(&model.stuck(&outcome, &last, assumed)), 0)?;
                Ok(Shows::Stuck(trace, evidence))
            }
            (None, None, Some(evidence)) => {
                let outcome = model.outcome(beginning, conditions, strategy);
                Ok(Shows::Whole(evidence.claim(&Semantics::new(&outcome), 0)?))
            }
            _ => Err(unfit("nothing says why a strategy fails")),
        }
    }
}

/// A run that was replayed, as a trace file.
fn replayed_document(semantics: &Semantics, file: &str, trace: &Trace) -> Json {
    let initial = semantics.state_from(&trace.initial).expect("it was replayed");
    let influence = Influence::of_behaviour(semantics.model());
    let run = Run::replay(semantics, initial, &trace.choices, trace.loop_start, &influence);
    run_document(file, &run.expect("it was replayed"), "a run of an outcome")
}

impl EvidenceDocument {
    /// Evidence that a spec is violated, which was confirmed.
    fn of_violation(semantics: &Semantics, file: &str, evidence: &Evidence) -> EvidenceDocument {
        match evidence {
            Evidence::Run(trace) => EvidenceDocument::Trace(replayed_document(semantics, file, trace)),
            Evidence::LabelledRun(labels, witness) => EvidenceDocument::LabelledStates {
                labels: labels.clone(),
                trace: replayed_document(semantics, file, &witness.trace),
            },
            Evidence::SymbolicRun(labels, witness) => EvidenceDocument::LabelledTrace {
                labels: labels.clone(),
                trace: replayed_document(semantics, file, &witness.trace),
            },
            other => unreachable!("{other:?} is no claim of a violation of a model that was listed"),
        }
    }
}

fn name(model: &Model, instance: InstanceId) -> String {
    model.instances[instance.index()].name.clone()
}

/// The variables that an agent sees, with their types: its own ones, and those of others with their owners.
fn seen(model: &Model, member: InstanceId) -> Vec<(String, Type)> {
    let variable = |(owner, local): (InstanceId, LocalId)| {
        let variable = &model.agent_of(owner).locals[local.index()];
        let own = if owner == member { String::new() } else { format!("{}.", name(model, owner)) };
        (format!("{own}{}", variable.name), variable.ty)
    };
    model.seen_by(member).map(variable).collect()
}

/// A command by its agent and its number.
fn command(model: &Model, agent: &str, command: u32) -> Result<(InstanceId, EdgeId), CertificateError> {
    let member = model.instance_ids().find(|id| model.instances[id.index()].name == agent);
    let member = member.ok_or_else(|| unfit(format_args!("there is no agent `{agent}`")))?;
    match model.is_command(member, EdgeId(command)) {
        true => Ok((member, EdgeId(command))),
        false => Err(unfit(format_args!("`{agent}` has no command {command}"))),
    }
}

impl DecisionDocument {
    fn new(model: &Model, decision: &Decision) -> DecisionDocument {
        let locals = seen(model, decision.member).into_iter().zip(&decision.locals);
        let locals = locals.map(|((name, ty), value)| (name, value_to_json(model, value, ty)));
        let message = decision.message.as_ref().map(|message| MessageDocument {
            channel: message.channel.as_ref().map(|channel| value_to_json(model, channel, Type::Channel)),
            data: message
                .data
                .iter()
                .map(|(message, value)| {
                    let variable = &model.messages[message.index()];
                    (variable.name.clone(), value_to_json(model, value, variable.ty))
                })
                .collect(),
            ready: message.ready.iter().map(|edge| edge.0).collect(),
        });
        DecisionDocument {
            agent: name(model, decision.member),
            command: decision.edge.0,
            locals: locals.collect(),
            message,
        }
    }

    fn read(&self, model: &Model) -> Result<Decision, CertificateError> {
        let (member, edge) = command(model, &self.agent, self.command)?;
        let locals = seen(model, member);
        if self.locals.len() != locals.len() {
            return Err(unfit(format_args!("`{}` has other locals", self.agent)));
        }
        let value = |json: Option<&Json>, name: &str, ty: Type| -> Result<Value, CertificateError> {
            let json = json.ok_or_else(|| unfit(format_args!("a decision says nothing of `{name}`")))?;
            value_from_json(model, json, ty).map_err(|problem| unfit(format_args!("`{name}`: {problem}")))
        };
        let locals = locals.into_iter().map(|(name, ty)| value(self.locals.get(&name), &name, ty));
        let locals = locals.collect::<Result<Vec<_>, _>>()?;
        let message = |message: &MessageDocument| {
            let channel = message.channel.as_ref().map(|channel| value(Some(channel), "channel", Type::Channel));
            let mut data = Vec::new();
            for (name, json) in &message.data {
                let place = model.messages.iter().position(|variable| variable.name == *name);
                let place = place.ok_or_else(|| unfit(format_args!("there is no message variable `{name}`")))?;
                data.push((MessageId(place as u32), value(Some(json), name, model.messages[place].ty)?));
            }
            data.sort_by_key(|(message, _)| *message);
            Ok::<_, CertificateError>(SeenMessage {
                channel: channel.transpose()?,
                data,
                ready: message.ready.iter().copied().map(EdgeId).collect(),
            })
        };
        let message = self.message.as_ref().map(message).transpose()?;
        // Commands that take messages are about one, the others are not.
        if message.is_none() != model.begins(member, edge) {
            return Err(unfit(format_args!("command {} of `{}` is of another kind", self.command, self.agent)));
        }
        Ok(Decision { member, edge, locals, message })
    }
}
