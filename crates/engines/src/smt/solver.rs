//! An incremental solver with three-valued answers.

use super::formula::Formula;
use super::sat::{Sat, Values};
use super::{Literal, ask, end_signal, memory_limit, work};
use crate::limits::{Budget, Reason};
use dashu_int::IBig;
use std::cell::RefCell;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, StatisticsValue};

/// The theory that a solver has to understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theory {
    /// Propositional logic.
    Finite,
    /// Linear integer arithmetic.
    Linear,
    /// Integer arithmetic with products: the solver may give up.
    Nonlinear,
}

/// The answer to a question: how it can be true, if it can; or why that is not known.
pub type SolverAnswer = Result<Option<Model>, Reason>;

/// An incremental solver: formulas are only ever added, questions are asked under assumptions.
#[derive(Debug)]
pub struct Solver {
    core: Core,
}

/// The solver that answers.
#[derive(Debug)]
enum Core {
    Sat(RefCell<Sat>),
    Z3(z3::Solver),
}

impl Solver {
    /// An empty solver. For integers, Z3's core for linear arithmetic is faster without relevancy filtering, and for many
    /// small questions the older one of its two solvers is.
    pub fn new(theory: Theory) -> Solver {
        const OLD_SIMPLEX: u32 = 2;
        let solver = match theory {
            Theory::Finite => return Solver { core: Core::Sat(RefCell::new(Sat::new())) },
            Theory::Linear => z3::Solver::new_for_logic("QF_LIA").unwrap_or_default(),
            Theory::Nonlinear => z3::Solver::new(),
        };
        let mut params = Params::new();
        // Ctrl-C is the business of the program, not of the solver.
        params.set_bool("ctrl_c", false);
        if theory == Theory::Linear {
            params.set_u32("smt.relevancy", 0);
            params.set_u32("smt.arith.solver", OLD_SIMPLEX);
        }
        work::limit(&mut params);
        solver.set_params(&params);
        Solver { core: Core::Z3(solver) }
    }

    /// All that was added, for integers.
    pub(super) fn assertions(&self) -> Vec<Bool> {
        match &self.core {
            Core::Z3(solver) => solver.get_assertions(),
            Core::Sat(_) => panic!("clauses are not kept as formulas"),
        }
    }

    /// Adds a formula for good.
    pub fn add(&self, literal: &Literal) {
        match (&self.core, literal) {
            (_, Literal::Const(true)) => {}
            (Core::Z3(solver), literal) => solver.assert(literal.z3()),
            (Core::Sat(sat), Literal::Formula(formula)) => sat.borrow_mut().add(formula),
            (Core::Sat(sat), Literal::Const(false)) => sat.borrow_mut().contradict(),
        }
    }

    /// Adds the assertions of an SMT-LIB script. Those that cannot be read are left out, so that nothing is
    /// unsatisfiable because of them.
    pub(super) fn add_script(&self, script: &str) {
        match &self.core {
            Core::Z3(solver) => solver.from_string(script),
            Core::Sat(_) => panic!("scripts have integers"),
        }
    }

    /// True if the formulas and the assumptions can hold together. Within a question, time limits need
    /// [`super::with_context`].
    pub fn check(&self, assumptions: &[Literal], budget: Budget) -> SolverAnswer {
        if budget.is_over() {
            return Err(Reason::Timeout);
        }
        let mut formulas = Vec::with_capacity(assumptions.len());
        for assumption in assumptions {
            match assumption {
                Literal::Const(true) => {}
                Literal::Const(false) => return Ok(None),
                Literal::Formula(formula) => formulas.push(formula.clone()),
            }
        }
        match &self.core {
            Core::Sat(sat) => check_clauses(&mut sat.borrow_mut(), &formulas, budget),
            Core::Z3(solver) => check_formulas(solver, &formulas, budget),
        }
    }

    /// Where nothing can be true: the indices of assumptions that suffice for that, possibly fewer than
    /// were given. The assumptions must be the same ones, and unknowns or their negations.
    pub fn core(&self, assumptions: &[Literal]) -> Vec<usize> {
        let indices = |in_core: &mut dyn FnMut(&Formula) -> bool| {
            let is_needed = |index: &usize| match &assumptions[*index] {
                Literal::Const(value) => !value,
                Literal::Formula(formula) => in_core(formula),
            };
            (0..assumptions.len()).filter(is_needed).collect()
        };
        match &self.core {
            Core::Sat(sat) => indices(&mut |formula| sat.borrow_mut().failed(formula)),
            Core::Z3(solver) => {
                let core = solver.get_unsat_core();
                indices(&mut |formula| core.contains(formula.z3()))
            }
        }
    }
}

fn check_clauses(sat: &mut Sat, assumptions: &[Formula], budget: Budget) -> SolverAnswer {
    let most = work::looks_left();
    let looks = sat.looks();
    let question = || {
        let answer = sat.check(assumptions, end_signal(), most);
        (answer, sat.looks() - looks)
    };
    match ask(budget, || work::counted_looks(question))? {
        Some(is_possible) => Ok(is_possible.then(|| Model::Values(sat.values()))),
        None => Err(Reason::Solver("ended without an answer".to_owned())),
    }
}

fn check_formulas(solver: &z3::Solver, assumptions: &[Formula], budget: Budget) -> SolverAnswer {
    if memory_is_used_up(solver) {
        return Err(Reason::Memory);
    }
    let formulas: Vec<Bool> = assumptions.iter().map(|formula| formula.z3().clone()).collect();
    let question = || work::counted(|| solver.get_statistics(), || solver.check_assumptions(&formulas));
    match ask(budget, question)? {
        SatResult::Unsat => Ok(None),
        SatResult::Unknown => Err(reason(solver)),
        SatResult::Sat => match solver.get_model() {
            Some(model) => Ok(Some(Model::Z3(model))),
            None => Err(Reason::Solver("satisfiable, but no model was given".to_owned())),
        },
    }
}

/// True if all solvers of the process together use as much memory as they may.
fn memory_is_used_up(solver: &z3::Solver) -> bool {
    let Some(limit) = memory_limit() else { return false };
    match solver.get_statistics().value("memory") {
        Some(StatisticsValue::Double(megabytes)) => megabytes >= f64::from(limit),
        Some(StatisticsValue::UInt(megabytes)) => megabytes >= limit,
        None => false,
    }
}

/// Why the last question has no answer.
fn reason(solver: &z3::Solver) -> Reason {
    let words = solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_owned());
    let memory = words.contains("memory") || words.contains("memout") || memory_is_used_up(solver);
    if memory { Reason::Memory } else { Reason::Solver(words) }
}

/// Values that satisfy what was asked.
#[derive(Debug)]
pub enum Model {
    /// Of propositional formulas.
    Values(Values),
    /// Of formulas with integers.
    Z3(z3::Model),
}

impl Model {
    /// The truth of a literal; what the model leaves open is completed somehow, but consistently.
    /// A solver that was interrupted or has no memory left may not say.
    pub fn is_true(&self, literal: &Literal) -> Result<bool, Reason> {
        match literal {
            Literal::Const(value) => Ok(*value),
            Literal::Formula(formula) => match self {
                Model::Values(values) => Ok(values.is_true(formula)),
                Model::Z3(model) => {
                    model.eval(formula.z3(), true).and_then(|value| value.as_bool()).ok_or_else(no_value)
                }
            },
        }
    }

    /// The first literal that is true. The literals must be such that one is.
    pub fn first_true<'l>(&self, literals: impl IntoIterator<Item = &'l Literal>) -> Result<usize, Reason> {
        for (index, literal) in literals.into_iter().enumerate() {
            if self.is_true(literal)? {
                return Ok(index);
            }
        }
        Err(no_value())
    }

    /// The value of an integer; completed like truth values.
    pub(super) fn integer(&self, term: &Int) -> Result<IBig, Reason> {
        let Model::Z3(model) = self else { panic!("{term} is not propositional") };
        let value = model.eval(term, true).ok_or_else(no_value)?;
        match value.as_i64() {
            Some(small) => Ok(IBig::from(small)),
            None => parse_numeral(&value.to_string()).ok_or_else(no_value),
        }
    }
}

fn no_value() -> Reason {
    Reason::Solver("its model has no value for a variable".to_owned())
}

/// Reads `123` and `(- 123)`.
pub(super) fn parse_numeral(text: &str) -> Option<IBig> {
    match text.strip_prefix("(-").and_then(|rest| rest.strip_suffix(')')) {
        Some(digits) => digits.trim().parse::<IBig>().ok().map(|value| -value),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_beyond_64_bits_are_read() {
        let big = IBig::from(10).pow(30);
        assert_eq!(parse_numeral("1000000000000000000000000000000"), Some(big.clone()));
        assert_eq!(parse_numeral("(- 1000000000000000000000000000000)"), Some(-big));
        assert_eq!(parse_numeral("x"), None);
    }

    #[test]
    fn a_finished_budget_is_unknown_not_unsat() {
        let solver = Solver::new(Theory::Finite);
        solver.add(&Literal::FALSE);
        let over = Budget::new(Some(std::time::Duration::ZERO));
        assert!(matches!(solver.check(&[], over), Err(Reason::Timeout)));
        assert!(matches!(solver.check(&[], Budget::new(None)), Ok(None)));
    }
}
