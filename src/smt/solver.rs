//! An incremental solver with three-valued answers.

use super::{Literal, ask, memory_limit, work};
use crate::limits::{Budget, Reason};
use dashu_int::IBig;
use z3::ast::{Bool, Int};
use z3::{Params, SatResult, StatisticsValue};

/// What a solver has to understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theory {
    /// Propositional logic.
    Finite,
    /// Linear integer arithmetic.
    Linear,
    /// Integer arithmetic with products: the solver may give up.
    Nonlinear,
}

/// The answer to a question. There is deliberately no way to ask only whether it is satisfiable.
#[derive(Debug)]
pub enum Answer {
    /// Yes, and here is how.
    Sat(Model),
    /// No.
    Unsat,
    /// Nobody knows, and here is why.
    Unknown(Reason),
}

/// An incremental solver: formulas are only ever added, questions are asked under assumptions.
#[derive(Debug)]
pub struct Solver {
    solver: z3::Solver,
}

impl Solver {
    /// An empty solver. `QF_FD` is Z3's SAT solver; for integers its core for linear arithmetic is
    /// faster without relevancy filtering, and for many small questions the older one of its two solvers is.
    pub fn new(theory: Theory) -> Solver {
        const OLD_SIMPLEX: u32 = 2;
        let named = match theory {
            Theory::Finite => z3::Solver::new_for_logic("QF_FD"),
            Theory::Linear => z3::Solver::new_for_logic("QF_LIA"),
            Theory::Nonlinear => None,
        };
        let solver = named.unwrap_or_else(z3::Solver::new);
        let mut params = Params::new();
        // Ctrl-C is the business of the program, not of the solver.
        params.set_bool("ctrl_c", false);
        if theory == Theory::Linear {
            params.set_u32("smt.relevancy", 0);
            params.set_u32("smt.arith.solver", OLD_SIMPLEX);
        }
        if let (Theory::Finite, Some(megabytes)) = (theory, memory_limit()) {
            params.set_u32("max_memory", megabytes);
        }
        work::limit(&mut params);
        solver.set_params(&params);
        Solver { solver }
    }

    /// All that was added.
    pub(super) fn assertions(&self) -> Vec<Bool> {
        self.solver.get_assertions()
    }

    /// Adds a formula for good.
    pub fn add(&self, literal: &Literal) {
        if !matches!(literal, Literal::Const(true)) {
            self.solver.assert(literal.formula());
        }
    }

    /// Adds the assertions of an SMT-LIB script. What cannot be read is left out, so that nothing is unsatisfiable
    /// because of it.
    pub(super) fn add_script(&self, script: &str) {
        self.solver.from_string(script);
    }

    /// Whether the formulas and the assumptions can hold together. Within a question, time limits need
    /// [`super::with_context`].
    pub fn check(&self, assumptions: &[Literal], budget: Budget) -> Answer {
        if budget.is_over() {
            return Answer::Unknown(Reason::Timeout);
        }
        if self.memory_is_used_up() {
            return Answer::Unknown(Reason::Memory);
        }
        let mut formulas = Vec::with_capacity(assumptions.len());
        for assumption in assumptions {
            match assumption {
                Literal::Const(true) => {}
                Literal::Const(false) => return Answer::Unsat,
                Literal::Formula(formula) => formulas.push(formula.clone()),
            }
        }
        match ask(budget, || self.solver.get_statistics(), || self.solver.check_assumptions(&formulas)) {
            Err(interrupted) => Answer::Unknown(interrupted),
            Ok(SatResult::Unsat) => Answer::Unsat,
            Ok(SatResult::Unknown) => Answer::Unknown(self.reason()),
            Ok(SatResult::Sat) => match self.solver.get_model() {
                Some(model) => Answer::Sat(Model { model }),
                None => Answer::Unknown(Reason::Solver("satisfiable, but no model was given".to_owned())),
            },
        }
    }

    /// After [`Answer::Unsat`]: the indices of assumptions that suffice for it, possibly fewer than
    /// were given. The assumptions must be the same ones, and unknowns or their negations.
    pub fn core(&self, assumptions: &[Literal]) -> Vec<usize> {
        let core = self.solver.get_unsat_core();
        let in_core = |literal: &Literal| match literal {
            Literal::Const(value) => !value,
            Literal::Formula(formula) => core.contains(formula),
        };
        (0..assumptions.len()).filter(|&index| in_core(&assumptions[index])).collect()
    }

    /// Whether all solvers of the process together use as much memory as they may.
    fn memory_is_used_up(&self) -> bool {
        let Some(limit) = memory_limit() else { return false };
        match self.solver.get_statistics().value("memory") {
            Some(StatisticsValue::Double(megabytes)) => megabytes >= f64::from(limit),
            Some(StatisticsValue::UInt(megabytes)) => megabytes >= limit,
            None => false,
        }
    }

    /// Why the last question has no answer.
    fn reason(&self) -> Reason {
        let words = self.solver.get_reason_unknown().unwrap_or_else(|| "no reason given".to_owned());
        let memory = words.contains("memory") || words.contains("memout") || self.memory_is_used_up();
        if memory { Reason::Memory } else { Reason::Solver(words) }
    }
}

/// Values that satisfy what was asked.
#[derive(Debug)]
pub struct Model {
    model: z3::Model,
}

impl Model {
    /// The truth of a literal; what the model leaves open is completed somehow, but consistently.
    /// A solver that was interrupted or has no memory left may not say.
    pub fn is_true(&self, literal: &Literal) -> Result<bool, Reason> {
        match literal {
            Literal::Const(value) => Ok(*value),
            Literal::Formula(formula) => {
                let value = self.model.eval(formula, true).and_then(|value| value.as_bool());
                value.ok_or_else(no_value)
            }
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
        let value = self.model.eval(term, true).ok_or_else(no_value)?;
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
        assert!(matches!(solver.check(&[], over), Answer::Unknown(Reason::Timeout)));
        assert!(matches!(solver.check(&[], Budget::new(None)), Answer::Unsat));
    }
}
