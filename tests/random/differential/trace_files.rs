//! Runs of random models survive being written to a file and read again, in both formats; what was
//! altered in a file is refused, or it is another run that the altered file describes exactly.

use super::harness::Source;
use crate::common::random::Random;
use rcheck_smt::model::eval::{Choice, Influence, Run, Semantics};
use rcheck_smt::trace_file::{About, Format, TraceFile, read, write};
use serde_json::{Value, json};

const FORMATS: [Format; 2] = [Format::Json, Format::Itf];

/// The outcomes of the alterations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub finite: usize,
    pub lassos: usize,
    pub refused: usize,
    pub other_runs: usize,
}

/// Walks, writes, reads and alters.
pub fn check(source: &Source, tally: &mut Tally) -> Result<(), String> {
    let semantics = Semantics::new(&source.model);
    let mut random = Random::new(source.seed);
    for steps in [0, 3, 7] {
        let Some(run) = walk(&semantics, &mut random, steps) else { return Ok(()) };
        *(if run.loop_start().is_some() { &mut tally.lassos } else { &mut tally.finite }) += 1;
        for format in FORMATS {
            let text = text_of(&run, format);
            let file = read(&semantics, &text).map_err(|error| format!("{error}\n{text}"))?;
            if !same(&file.run, &run) || file.about != about() {
                return Err(format!("another run came back from\n{text}"));
            }
            alter(&semantics, &text, format, &mut random, tally)?;
        }
    }
    Ok(())
}

fn about() -> About {
    About { model_file: "generated.rcp".to_owned(), description: "a walk".to_owned(), round: None }
}

fn text_of(run: &Run, format: Format) -> String {
    let mut text = Vec::new();
    write(&mut text, run, &about(), format).expect("writing to memory works");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn same(one: &Run, other: &Run) -> bool {
    (one.states(), one.steps(), one.loop_start()) == (other.states(), other.steps(), other.loop_start())
}

/// A random run, with a loop if it comes back to where it was.
fn walk<'s>(semantics: &'s Semantics<'s>, random: &mut Random, steps: usize) -> Option<Run<'s>> {
    let initial = semantics.initial_states().ok()?;
    if initial.is_empty() {
        return None;
    }
    let initial = random.pick(&initial).clone();
    let (mut states, mut choices) = (vec![initial.clone()], Vec::<Choice>::new());
    for _ in 0..steps {
        let step = random.pick(&semantics.steps(&states[states.len() - 1])).clone();
        states.push(step.target);
        choices.push(step.choice);
    }
    let last = states.last()?;
    let loop_start = states[..choices.len()].iter().position(|state| state == last);
    let influence = Influence::of_behaviour(semantics.model());
    Some(Run::replay(semantics, initial, &choices, loop_start, &influence).expect("these are steps"))
}

/// Alters the document in some places.
fn alter(
    semantics: &Semantics,
    text: &str,
    format: Format,
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut places = Vec::new();
    collect(&document, String::new(), &mut places);
    // Fields that are only for people, or name the format, are not about the run.
    let excluded = ["/format", "/version", "/model", "/description", "/#meta", "/vars"];
    places.retain(|place| !excluded.iter().any(|start| place.starts_with(start)) && !place.contains("/#meta"));
    for _ in 0..places.len().min(30) {
        let mut altered = document.clone();
        let place = random.pick(&places);
        change(&mut altered, place, random);
        if altered == document {
            continue;
        }
        match read(semantics, &altered.to_string()) {
            Err(_) => tally.refused += 1,
            Ok(TraceFile { run, .. }) => {
                let described: Value = serde_json::from_str(&text_of(&run, format)).expect("JSON");
                if without_remarks(described.clone()) != without_remarks(altered.clone()) {
                    return Err(format!("altered at {place}, but accepted:\n{altered}\nas\n{described}"));
                }
                tally.other_runs += 1;
            }
        }
    }
    Ok(())
}

/// The content of the document: an absent field may be `null`, and states may be numbered as one likes.
fn without_remarks(mut document: Value) -> Value {
    if let Value::Object(fields) = &mut document {
        fields.retain(|_, value| !value.is_null());
    }
    if let Some(Value::Array(states)) = document.get_mut("states") {
        states.iter_mut().filter_map(Value::as_object_mut).for_each(|state| drop(state.remove("#meta")));
    }
    document
}

/// The places of all parts, as JSON pointers.
fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(name, part)| collect(part, format!("{place}/{name}"), places)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, part)| collect(part, format!("{place}/{index}"), places));
        }
        _ => {}
    }
    if !place.is_empty() {
        places.push(place);
    }
}

/// Puts something else at the place, or something similar from elsewhere, or nothing.
fn change(document: &mut Value, place: &str, random: &mut Random) {
    let (parent, name) = place.rsplit_once('/').expect("not the root");
    if random.percent(20) {
        match document.pointer_mut(parent).expect("the place exists") {
            Value::Object(map) => drop(map.shift_remove(name)),
            Value::Array(list) => drop(list.remove(name.parse().expect("an index"))),
            _ => unreachable!("only these have parts"),
        }
        return;
    }
    let elsewhere = similar(document, place, random);
    let part = document.pointer_mut(place).expect("the place exists");
    *part = match (&*part, random.below(3)) {
        (_, 0) => elsewhere,
        (Value::Bool(value), _) => json!(!value),
        (Value::Number(number), _) => json!(number.as_i64().unwrap_or(0) + random.between(-1, 2)),
        (Value::String(text), _) => {
            text.parse::<i64>().map_or(json!("nonsense"), |number| json!((number + 1).to_string()))
        }
        (Value::Array(list), _) => Value::Array(list.iter().rev().cloned().collect()),
        (_, _) => [json!(null), json!([]), json!({}), json!(1e40), json!("é")][random.below(5)].clone(),
    };
}

/// Another part of the document that has the same name.
fn similar(document: &Value, place: &str, random: &mut Random) -> Value {
    let mut places = Vec::new();
    collect(document, String::new(), &mut places);
    let (_, name) = place.rsplit_once('/').expect("not the root");
    places.retain(|other| other.rsplit_once('/').is_some_and(|(_, other)| other == name));
    document.pointer(random.pick::<String>(&places)).expect("the place exists").clone()
}
