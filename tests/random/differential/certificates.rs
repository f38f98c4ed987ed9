//! Certificates of random verdicts: written, read and accepted; altered, and refused, unless what the altered one
//! says is evidence all the same, which others than its check have to confirm.

use super::harness::Source;
use crate::common::cvc5::cvc5;
use crate::common::random::Random;
use crate::common::{is_genuine, patiently, with_work};
use rcheck_smt::certificate_file::{Certified, Document};
use rcheck_smt::check::{Ending, ProofBy, Verdict};
use rcheck_smt::export::queries::queries;
use rcheck_smt::verify::{self, Subject};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// How much work a check may be.
const WORK: u64 = 10_000_000;
/// Number of alterations of each certificate that are tried.
const ALTERATIONS: usize = 4;

/// The outcomes for the certificates.
#[derive(Debug, Default)]
pub struct Certificates {
    /// Of invariants, of explorations, of traces, of recurrent sets, of sets of states.
    pub accepted: [usize; 5],
    pub refused: usize,
    /// Altered, but accepted all the same.
    pub still_good: usize,
    folder: PathBuf,
    queries: Vec<PathBuf>,
    /// Which model and spec each group of queries is about.
    origins: Vec<String>,
}

impl Certificates {
    /// Queries of altered certificates go to this folder, which is emptied.
    pub fn new(name: &str) -> Certificates {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).expect("a folder of ours");
        }
        std::fs::create_dir_all(&folder).expect("a writable folder");
        Certificates { folder, ..Certificates::default() }
    }

    /// The certificate of a verdict, if it has one, survives; altered ones do not. Returns it.
    pub fn check(
        &mut self,
        subject: &Subject,
        source: &Source,
        spec: usize,
        verdict: &Verdict,
    ) -> Result<Option<Value>, String> {
        let Some(document) = Document::new(&source.model, "generated.rcp", spec, verdict) else { return Ok(None) };
        let text = document.write();
        match certify(subject, &text) {
            Ok(certified) if certified.spec == spec || is_same_spec(source, certified.spec, spec) => {}
            Ok(certified) => return Err(format!("it is a certificate for spec {}\n{text}", certified.spec + 1)),
            // Random arithmetic may be too much.
            Err(why) if why.contains("could not be checked") => return Ok(None),
            Err(why) => return Err(format!("{why}\n{text}")),
        }
        let good: Value = serde_json::from_str(&text).expect("JSON");
        self.accepted[kind(&good)] += 1;
        let mut random = Random::new(source.seed ^ (spec as u64) << 32 ^ text.len() as u64);
        for _ in 0..ALTERATIONS {
            let mut bad = good.clone();
            alter(&mut bad["evidence"], &mut random);
            if bad != good {
                self.altered(subject, source, spec, &bad)?;
            }
        }
        Ok(Some(good))
    }

    /// The evidence for a spec as that for another one, which is violated.
    pub fn transplant(&mut self, subject: &Subject, source: &Source, good: &Value, spec: usize) -> Result<(), String> {
        let (mut bad, formula) = (good.clone(), &source.model.specs[spec].formula);
        bad["spec"] = json!({"number": spec + 1, "name": null, "formula": source.model.show_formula(formula)});
        let parts = bad["evidence"].get_mut("invariants").and_then(Value::as_array_mut);
        for (part, conjunct) in parts.into_iter().flatten().zip(formula.conjuncts()) {
            part["formula"] = json!(source.model.show_formula(&conjunct));
        }
        match certify(subject, &bad.to_string()) {
            Err(_) => self.refused += 1,
            Ok(_) => return Err(format!("spec {} is violated, but certified\n{bad:#}", spec + 1)),
        }
        Ok(())
    }

    fn altered(&mut self, subject: &Subject, source: &Source, spec: usize, bad: &Value) -> Result<(), String> {
        match certify(subject, &bad.to_string()) {
            Err(_) => self.refused += 1,
            Ok(certified) => {
                self.still_good += 1;
                self.confirm(subject, source, spec, &certified).map_err(|why| format!("{why}\n{bad:#}"))?;
            }
        }
        Ok(())
    }

    /// An error if a certificate that was accepted although it was altered is wrong by other means; its queries are
    /// kept for another solver.
    fn confirm(
        &mut self,
        subject: &Subject,
        source: &Source,
        spec: usize,
        certified: &Certified,
    ) -> Result<(), String> {
        let model = &source.model;
        match &certified.verdict {
            Verdict::Holds(proof) => match proof.by() {
                ProofBy::Invariants(_) => {}
                // Its states stand for others as well: what influences nothing may have another value.
                ProofBy::Exploration(_) => return Ok(()),
                // Any order of variables is sound.
                ProofBy::Diagrams(_) => return Ok(()),
                other => return Err(format!("{other:?} was certified")),
            },
            Verdict::Violated(counterexample) => match counterexample.ending() {
                Ending::Recurrent(_) => {
                    let formula = &model.specs[certified.spec].formula;
                    if !is_genuine(subject.semantics(), formula, counterexample) {
                        return Err("an altered recurrent set is accepted that is none".to_owned());
                    }
                }
                Ending::Prefix | Ending::Lasso(_) => return Err("another trace is accepted".to_owned()),
            },
            other => return Err(format!("{other:?} was certified")),
        }
        for query in queries(model, "generated.rcp", certified.spec, &certified.verdict) {
            let path = self.folder.join(format!("{}-{}-{}-{}.smt2", source.seed, spec, self.queries.len(), query.name));
            std::fs::write(&path, query.text).expect("a writable folder");
            self.queries.push(path);
            self.origins.push(format!("{source}"));
        }
        Ok(())
    }

    /// Asks cvc5 the queries of altered certificates that were accepted: none may be satisfiable.
    pub fn ask_another_solver(&self) {
        for ((file, answer), origin) in cvc5(&self.queries).iter().zip(&self.origins) {
            let agrees = answer == "unsat" || answer.contains("unknown");
            assert!(agrees, "{}: {answer}\n\n{origin}", file.display());
        }
    }
}

fn certify<'s>(subject: &'s Subject, text: &str) -> Result<Certified<'s>, String> {
    let document = Document::read(text).map_err(|error| error.to_string())?;
    let check = || verify::certify(&document, subject.semantics(), patiently()).map_err(|why| why.to_string());
    with_work(WORK, check).unwrap_or_else(|| Err("it could not be checked: it is too much work".to_owned()))
}

/// Two specs can be the same formula.
fn is_same_spec(source: &Source, one: usize, other: usize) -> bool {
    source.model.specs[one].formula == source.model.specs[other].formula
}

fn kind(certificate: &Value) -> usize {
    let kinds = ["invariants", "exploration", "trace", "recurrent", "diagrams"];
    kinds.iter().position(|kind| certificate["evidence"].get(kind).is_some()).expect("evidence of some kind")
}

/// One change of substance somewhere in the evidence.
fn alter(evidence: &mut Value, random: &mut Random) {
    if let Some(parts) = evidence.get_mut("invariants").and_then(Value::as_array_mut) {
        let index = random.below(parts.len());
        let part = &mut parts[index];
        match random.below(8) {
            0 => part["k"] = json!(part["k"].as_u64().expect("a number") + 1),
            1 => part["reduction"] = json!({"counting": random.below(3)}),
            2 | 3 if part["reduction"].get("ranking").is_some() => {
                let components = &mut part["reduction"]["ranking"]["components"];
                alter_terms(components.as_array_mut().expect("components"), random);
            }
            _ => alter_terms(part["clauses"].as_array_mut().expect("clauses"), random),
        }
    } else if let Some(sets) = evidence.get_mut("diagrams") {
        let count = sets["nodes"].as_array().expect("a list").len();
        let root = json!(random.below(count + 2));
        match random.below(6) {
            0 => sets["order"].as_array_mut().expect("a list").reverse(),
            1 => drop(sets["order"].as_array_mut().expect("a list").pop()),
            2 => sets["states"] = root,
            3 if count > 0 => sets["nodes"][random.below(count)][1 + random.below(2)] = root,
            4 => sets["conjuncts"][0]["ranks"] = json!([{ "set": root }]),
            _ => sets["conjuncts"][0]["none"] = root,
        }
    } else if let Some(run) = evidence.get_mut("recurrent") {
        match random.below(5) {
            0 => run["start"] = json!(random.below(6)),
            1 => alter_trace(&mut run["trace"], random),
            _ => alter_terms(run["set"].as_array_mut().expect("conditions"), random),
        }
    } else if let Some(trace) = evidence.get_mut("trace") {
        alter_trace(trace, random);
    } else if let Some(exploration) = evidence.get_mut("exploration") {
        alter_exploration(exploration, random);
    }
}

/// Drops a term, flips it, or changes a constant, a relation or a variable in it.
fn alter_terms(terms: &mut Vec<Value>, random: &mut Random) {
    const CHANGES: [(&str, &str); 10] = [
        ("<=", "<"),
        ("<=", ">="),
        ("a-n", "a-m"),
        ("a-m", "a-n"),
        ("c-n", "a-n"),
        (" 0", " 1"),
        (" 1", " 2"),
        (" 2", " 0"),
        ("a-b", "(not a-b)"),
        ("(or ", "(and "),
    ];
    if terms.is_empty() {
        return terms.push(json!("(<= 0 a-n)"));
    }
    let index = random.below(terms.len());
    let text = terms[index].as_str().expect("text").to_owned();
    match random.below(4) {
        0 => drop(terms.remove(index)),
        1 => terms[index] = json!(format!("(not {text})")),
        _ => {
            let (from, to) = random.pick(&CHANGES);
            terms[index] = json!(text.replacen(from, to, 1));
        }
    }
}

/// Another value in a state, or a step less.
fn alter_trace(trace: &mut Value, random: &mut Random) {
    let states = trace["states"].as_array_mut().expect("states");
    let index = random.below(states.len());
    let instance = states[index]["a"].as_object_mut().expect("variables");
    let variables: Vec<&str> =
        ["n", "m", "automaton-state"].into_iter().filter(|it| instance.contains_key(*it)).collect();
    let value = &mut instance[*random.pick(&variables)];
    *value = json!(value.as_i64().unwrap_or_default() + 1);
}

/// A member less, another number in one, or another value in a local state.
fn alter_exploration(exploration: &mut Value, random: &mut Random) {
    if random.percent(30) {
        let states = exploration["graphs"][0]["local-states"][0].as_array_mut().expect("local states");
        if let Some(state) = states.last_mut() {
            state[0] = json!(state[0].as_u64().expect("a number") + 1);
            return;
        }
    }
    let rows = exploration["parts"][0]["closed"]["members"]["rows"].as_array_mut().expect("members");
    let index = random.below(rows.len().max(1));
    match (random.below(2), rows.get_mut(index)) {
        (0, Some(row)) => {
            let place = random.below(row.as_array().map_or(1, Vec::len));
            row[place] = json!(row[place].as_u64().expect("a number") + 1);
        }
        _ => drop(rows.pop()),
    }
}
