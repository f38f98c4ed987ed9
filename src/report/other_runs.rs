//! Why branching formulas are false in a state, or `E(f)` is true: further runs, and states that look alike.

use super::trace::{Detail, HEADING, Printer, write_reason};
use crate::check::branching::ShownPart;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::{Formula, InstanceId, Model};
use crate::source::SourceFile;
use crate::words::count;
use std::io::{self, Write};

/// Writes what decides for one formula in a state; `of` says of which run.
pub fn write(
    out: &mut dyn Write,
    part: &ShownPart,
    of: &str,
    detail: Detail,
    source: Option<&SourceFile>,
) -> io::Result<()> {
    let model = part.shown.run.semantics().model();
    let ShownPart { position, formula, looks, shown, .. } = part;
    let text = model.show_formula(&Formula::Branching(Box::new(formula.clone())));
    let truth = formula.operator.witnessed();
    write!(out, "\n  {HEADING}in state {position}{of}{HEADING:#}, `{text}` is {truth}: ")?;
    let print = |run, from, out: &mut dyn Write| Printer::of_run(run, detail, source).run(out, from);
    let of = match &formula.operator {
        Operator::All | Operator::Some | Operator::Strategy(..) => {
            writeln!(out, "from there this run goes on as well")?;
            print(&shown.run, shown.from, out)?;
            " of this run"
        }
        Operator::Known(..) if part.is_here() => {
            writeln!(out, "what is said to be known is false in this very state")?;
            of
        }
        Operator::Known(knowledge, _) => {
            let mut untold = 0;
            for (index, (observers, run)) in looks.iter().enumerate() {
                let Some(run) = run else {
                    untold += 1;
                    continue;
                };
                if untold > 0 {
                    let which = count(untold, "further state");
                    writeln!(out, "and so on through {which}, each of which looks to one of them like the one before")?;
                    write!(out, "  ")?;
                    untold = 0;
                }
                let before = if index == 0 { "it" } else { "and that" };
                let to = names(model, observers);
                if observers.is_empty() {
                    writeln!(out, "this run ends in another reachable state")?;
                } else {
                    let together =
                        if *knowledge == Knowledge::Distributed && observers.len() > 1 { " together" } else { "" };
                    writeln!(out, "to {to}{together} {before} looks the same as the last state of this run")?;
                }
                // The last one may go on, to show what is false there.
                let goes_on = index + 1 == looks.len() && shown.run.steps().len() > run.steps().len();
                if !goes_on {
                    print(run, 0, out)?;
                }
                if index + 1 < looks.len() {
                    write!(out, "  ")?;
                } else if goes_on {
                    writeln!(out, "  (its first {} states), which goes on like this", run.states().len())?;
                    print(&shown.run, 0, out)?;
                }
            }
            " of that run"
        }
    };
    let said = body(model, formula);
    let how = if truth { "true" } else { "false" };
    writeln!(out, "  {HEADING}there{HEADING:#} `{said}` is {how}:")?;
    shown.explanation.reasons.iter().take(REASONS).try_for_each(|reason| write_reason(out, reason))?;
    shown.parts.iter().try_for_each(|part| write(out, part, of, detail, source))
}

/// The number of reasons that are shown.
const REASONS: usize = 8;

fn names(model: &Model, observers: &[InstanceId]) -> String {
    let names: Vec<&str> = observers.iter().map(|it| model.instances[it.index()].name.as_str()).collect();
    names.join(" and ")
}

/// The formula that is not known, or that a run makes false or true.
fn body(model: &Model, formula: &Branching) -> String {
    match (&formula.operator, &formula.body) {
        (Operator::Known(..), Formula::Branching(inner)) if inner.operator == Operator::All => {
            model.show_formula(&inner.body)
        }
        (_, body) => model.show_formula(body),
    }
}
