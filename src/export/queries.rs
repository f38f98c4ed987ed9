//! The questions of the check as files, for any solver.

use crate::certificate_file::legend::legend;
use crate::check::certificate::{Certificate, CertifiedPart};
use crate::check::queries::{self, recurrent::RecurrentQueries};
use crate::check::recurrent::{Recurrence, Round};
use crate::check::sizes::Uniform;
use crate::check::{Counterexample, Ending, ProofBy, Verdict};
use crate::escape::visible;
use crate::model::{Model, Sizes};
use crate::product::target::Reduction;
use crate::ts::ranking::Ranking;
use crate::ts::smtlib::write::closed;

/// Name and version of this program.
const TOOL: &str = concat!("rcheck-smt ", env!("CARGO_PKG_VERSION"));

/// A question for a solver, which it should answer with `unsat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The number of the conjunct, from 1, and what is asked: `1-initial`.
    pub name: String,
    /// An SMT-LIB script.
    pub text: String,
}

/// The questions that the check of a verdict asked solvers; `file` is the name of the model.
pub fn queries(model: &Model, file: &str, spec: usize, verdict: &Verdict) -> Vec<Query> {
    let model = verdict.model(model);
    match verdict {
        Verdict::Violated(counterexample) => match counterexample.ending() {
            Ending::Recurrent(recurrence) => of_recurrence(model, file, spec, counterexample, recurrence),
            Ending::Prefix | Ending::Lasso(_) => Vec::new(),
        },
        other => match other.holds_by() {
            Some(ProofBy::Invariants(certificate)) => of_proof(model, file, spec, certificate),
            Some(ProofBy::Uniform(uniform)) => of_uniform(model, file, spec, uniform),
            _ => Vec::new(),
        },
    }
}

fn of_proof(model: &Model, file: &str, spec: usize, certificate: &Certificate) -> Vec<Query> {
    let numbered = (1..).zip(certificate.parts());
    let all =
        numbered.map(|(number, part)| with_heading(number, &heading(model, file, spec, number, part), part.queries()));
    all.flatten().collect()
}

/// The queries for each list of sizes: `client2-machine1-initial`.
fn of_uniform(model: &Model, file: &str, spec: usize, uniform: &Uniform) -> Vec<Query> {
    let name = model.specs[spec].name.as_deref().unwrap_or_default();
    let of_sizes = |(sizes, queries): (Sizes, Vec<queries::Query>)| {
        let members: Vec<String> =
            model.families().iter().zip(&sizes).map(|(family, size)| format!("{}{size}", family.name)).collect();
        let heading = comments(&[
            format!("{}: proof of spec {} {name} of {file}, for all sizes", TOOL, spec + 1),
            format!("the open instance with {}", members.join(" and ")),
        ]);
        let query = |query: queries::Query| Query {
            name: format!("{}-{}", members.join("-"), query.name),
            text: format!("{heading}{}", query.script),
        };
        queries.into_iter().map(query).collect::<Vec<Query>>()
    };
    uniform.queries(spec).into_iter().flat_map(of_sizes).collect()
}

fn of_recurrence(
    model: &Model,
    file: &str,
    spec: usize,
    counterexample: &Counterexample,
    recurrence: &Recurrence,
) -> Vec<Query> {
    let declared = &model.specs[spec];
    let conjuncts = declared.formula.conjuncts();
    let conjunct = &conjuncts[recurrence.conjunct()];
    let round = Round::new(counterexample.run(), conjunct, recurrence.set(), recurrence.start());
    let number = recurrence.conjunct() + 1;
    let name = declared.name.as_deref().unwrap_or_default();
    let heading = comments(&[
        format!("{}: violation of spec {} {name} of {file}", TOOL, spec + 1),
        format!("conjunct {number}: {}", model.show_formula(conjunct)),
        format!("the steps from position {} on can be repeated for ever", recurrence.start()),
    ]);
    let question = RecurrentQueries::new(model, &round).expect("it was confirmed");
    with_heading(number, &heading, question.queries())
}

/// The queries of a conjunct.
fn with_heading<const N: usize>(number: usize, heading: &str, queries: [queries::Query; N]) -> Vec<Query> {
    let query = |queries::Query { name, script, .. }| Query {
        name: format!("{number}-{name}"),
        text: format!("{heading}{script}"),
    };
    queries.into_iter().map(query).collect()
}

/// Which proof the query belongs to, in comments.
fn heading(model: &Model, file: &str, spec: usize, number: usize, part: &CertifiedPart) -> String {
    let CertifiedPart { target, ranking, .. } = part;
    let name = model.specs[spec].name.as_deref().unwrap_or_default();
    let mut lines = vec![
        format!("{}: proof of spec {} {name} of {file}", TOOL, spec + 1),
        format!("conjunct {number}: {}", model.show_formula(&target.formula)),
        match target.reduction {
            Reduction::Invariance => "invariance: a state is bad if it has what the conjunct rules out".to_owned(),
            Reduction::Safety => "safety: a state is bad if the negation of the conjunct was seen there".to_owned(),
            Reduction::Counting(0) => {
                "liveness: a state is bad if a round of the eventualities of the negation ends there".to_owned()
            }
            Reduction::Counting(times) => {
                format!("liveness: a state is bad if {} rounds of the eventualities of the negation ended", times + 1)
            }
            Reduction::Ranking(times) => format!(
                "liveness: a state is bad if {} rounds of the eventualities of the negation ended since the ranking \
                 changed, or if the ranking grew or changed below zero",
                times + 1
            ),
        },
    ];
    let Ranking { terms, components } = ranking;
    let component = |(index, &component)| format!("ranking, {index}: {}", closed(terms, &part.symbols, component));
    lines.extend((1..).zip(components).map(component));
    lines.extend(legend(model, part).into_iter().map(|(name, meaning)| format!("{name}: {meaning}")));
    comments(&lines)
}

/// Lines of text as comments.
fn comments(lines: &[String]) -> String {
    let one_line = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.iter().map(|line| format!("; {}\n", visible(&one_line(line)))).collect()
}
