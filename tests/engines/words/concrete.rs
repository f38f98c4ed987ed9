//! The concrete semantics: words as runs that are replayed, formulas evaluated on them, and the oracle.

use super::asked::Asked;
use super::lassos::Lassos;
use super::letters::{Bit, Letter, Words};
use crate::common::oracle::Oracle;
use rcheck_smt::model::eval::{Choice, Influence, Run, Semantics, Truth};
use rcheck_smt::model::{EdgeId, Formula, InstanceId, Model, Value};

/// The run that has a word's letters.
pub fn run<'s>(semantics: &'s Semantics<'s>, influence: &Influence, lassos: &Lassos, word: usize) -> Run<'s> {
    let model = semantics.model();
    let letters = lassos.word(word);
    let initial = semantics.state_from(&initial(model, letters[0])).expect("the state fits the model");
    let after = |position: usize| letters[lassos.after(position)];
    let choices: Vec<Choice> = (0..letters.len()).map(|at| choice(model, letters[at], after(at))).collect();
    Run::replay(semantics, initial, &choices, Some(lassos.start), influence).expect("every word is a run")
}

/// Per instance the automaton state and the locals under a letter.
fn initial(model: &Model, letter: Letter) -> Vec<(u32, Vec<Value>)> {
    let value = |name: &str| match name {
        "x" => letter.has(Bit::X),
        "y" => letter.has(Bit::Y),
        _ => false,
    };
    model.instances.iter().map(|instance| (0, vec![Value::Bool(value(&instance.name))])).collect()
}

/// The step from a letter to the next one.
fn choice(model: &Model, letter: Letter, next: Letter) -> Choice {
    let either = |bit: bool, yes: &'static str, no: &'static str| if bit { yes } else { no };
    let (sender, edge) = command(model, "a", either(letter.has(Bit::Sent), "s", "t"));
    let receivers = [
        command(model, "x", either(next.has(Bit::X), "up", "down")),
        command(model, "y", either(next.has(Bit::Y), "up", "down")),
        command(model, "z", either(next.has(Bit::Received), "r", "q")),
    ];
    Choice::Send { sender, edge, receivers: receivers.to_vec() }
}

fn command(model: &Model, instance: &str, label: &str) -> (InstanceId, EdgeId) {
    let named = |id: &InstanceId| model.instances[id.index()].name == instance;
    let instance = model.instance_ids().find(named).expect("an instance of the model");
    let edges = &model.agent_of(instance).edges;
    let edge = edges.iter().position(|edge| edge.label.as_deref() == Some(label)).expect("a command of the model");
    (instance, EdgeId(edge as u32))
}

/// Evaluates a formula on the runs of all words.
pub fn check(asked: &Asked) -> Result<(), String> {
    let semantics = Semantics::new(&asked.words.model);
    let all = Influence::of(&asked.words.model, &Formula::And(asked.words.atoms.to_vec()));
    let satisfying = asked.satisfying(asked.formula);
    for (lassos, satisfying) in asked.shapes.iter().zip(&*satisfying) {
        let runs = lassos.runs();
        for word in (0..lassos.count()).filter(|word| runs.contains(*word)) {
            let truth = run(&semantics, &all, lassos, word).evaluate(asked.formula);
            let expected = Truth::from(satisfying.contains(word));
            if truth != expected {
                return Err(format!("{truth:?} instead of {expected:?} on {}", lassos.show(word)));
            }
        }
    }
    Ok(())
}

/// Asks the oracle whether all runs satisfy a formula. Formulas must be so small that one that is false on some run is
/// false on a short lasso.
pub fn check_oracle(asked: &Asked, oracle: &Oracle) -> Result<(), String> {
    let holds = oracle.holds(asked.formula).map_err(|reason| reason.to_string())?;
    match (holds, asked.violating()) {
        (false, None) => Err("the oracle knows of a run on which it is false, but no short lasso is one".to_owned()),
        (true, Some((lassos, word))) => {
            Err(format!("the oracle says that it holds, but it is false on {}", lassos.show(word)))
        }
        _ => Ok(()),
    }
}

impl Words {
    /// The model with these formulas as its specs.
    pub fn with_specs(&self, formulas: &[Formula]) -> Model {
        let spec =
            |formula: &Formula| rcheck_smt::model::Spec { formula: formula.clone(), ..self.model.specs[0].clone() };
        Model { specs: formulas.iter().map(spec).collect(), ..self.model.clone() }
    }
}
