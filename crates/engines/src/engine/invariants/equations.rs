//! Linear equations that held in all states of some runs: conservation laws, and counters that agree with each
//! other or with the number of agents in some condition.
//!
//! A value of a finite variable is an indicator: 1 where the variable has it, and 0 elsewhere. The equations are a
//! basis of the null space of the states, as points: Sharma, Gupta, Hariharan, Aiken, Liang, Nori, *A data driven
//! approach for algebraic loop invariants* (ESOP 2013), with polynomials of degree one.

/// Equations with more summands, or larger coefficients but of the constant, are chance, not law; of few summands the
/// coefficients may be larger.
const LONG: usize = 12;
const LARGE: i128 = 8;
const SHORT: usize = 2;
const LARGE_IF_SHORT: i128 = 1000;

/// A linear combination of columns that is 0 in all rows: column and coefficient.
pub type Equation = Vec<(usize, i128)>;

/// A basis of the equations that hold in all rows, without those that look like chance. Each speaks of one column that
/// depends on earlier ones, so the simplest columns come first; the very first is the constant 1. Rows with huge numbers
/// are left out.
pub fn equations(rows: impl Iterator<Item = Vec<i128>>, width: usize) -> Vec<Equation> {
    let mut echelon = Echelon { rows: Vec::new() };
    for row in rows {
        echelon.insert(row);
    }
    let free = (0..width).filter(|column| echelon.rows.iter().all(|(pivot, _)| pivot != column));
    let equations = free.filter_map(|column| echelon.equation(column));
    let is_law = |equation: &Equation| {
        let largest = if equation.len() <= SHORT { LARGE_IF_SHORT } else { LARGE };
        equation.len() <= LONG
            && equation.iter().all(|&(column, factor)| column == 0 || (-largest..=largest).contains(&factor))
    };
    equations.filter(is_law).collect()
}

/// Rows in reduced echelon form, up to factors: the pivot column of a row is 0 in all others.
struct Echelon {
    rows: Vec<(usize, Vec<i128>)>,
}

impl Echelon {
    /// Adds a row, unless the others imply it or numbers grow too large.
    fn insert(&mut self, mut row: Vec<i128>) {
        for (pivot, other) in &self.rows {
            match eliminate(&row, other, *pivot) {
                Some(reduced) => row = reduced,
                None => return,
            }
        }
        let Some(pivot) = row.iter().position(|&value| value != 0) else { return };
        let reduced: Option<Vec<Vec<i128>>> =
            self.rows.iter().map(|(_, other)| eliminate(other, &row, pivot)).collect();
        let Some(reduced) = reduced else { return };
        for ((_, old), new) in self.rows.iter_mut().zip(reduced) {
            *old = new;
        }
        self.rows.push((pivot, row));
    }

    /// The equation in which of the columns without a pivot only this one occurs.
    fn equation(&self, column: usize) -> Option<Equation> {
        let involved = self.rows.iter().filter(|(_, row)| row[column] != 0);
        let multiple = involved
            .clone()
            .try_fold(1i128, |multiple, (pivot, row)| multiple.checked_mul(row[*pivot] / gcd(multiple, row[*pivot])))?;
        let mut equation = vec![(column, multiple)];
        for (pivot, row) in involved {
            equation.push((*pivot, -row[column].checked_mul(multiple / row[*pivot])?));
        }
        let divisor = equation.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor));
        equation.iter_mut().for_each(|(_, factor)| *factor /= divisor);
        Some(equation)
    }
}

/// The row without the column, by subtracting a multiple of the other row; divided by what all have in common.
fn eliminate(row: &[i128], other: &[i128], column: usize) -> Option<Vec<i128>> {
    if row[column] == 0 {
        return Some(row.to_vec());
    }
    let (a, b) = (other[column], row[column]);
    let combine = |(x, y): (&i128, &i128)| x.checked_mul(a)?.checked_sub(y.checked_mul(b)?);
    let combined: Vec<i128> = row.iter().zip(other).map(combine).collect::<Option<_>>()?;
    let divisor = combined.iter().fold(0, |divisor, &value| gcd(divisor, value)).max(1);
    Some(combined.into_iter().map(|value| value / divisor).collect())
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_are_found() {
        // 1, a, b, c with a + b = 10 and c = 2 a - 1.
        let rows = (0..5).map(|a| vec![1, a, 10 - a, 2 * a - 1]);
        let mut found = equations(rows, 4);
        found.iter_mut().for_each(|equation| equation.sort_unstable());
        assert_eq!(found.len(), 2);
        for equation in &found {
            let value = |row: &[i128]| equation.iter().map(|&(column, factor)| factor * row[column]).sum::<i128>();
            assert!([[1, 7, 3, 13], [1, -4, 14, -9]].iter().all(|row| value(row) == 0), "{equation:?}");
            assert_ne!(value(&[1, 1, 2, 3]), 0, "{equation:?}");
        }
    }

    #[test]
    fn independent_columns_have_no_law() {
        let rows = [vec![1, 0, 0], vec![1, 1, 0], vec![1, 0, 1]];
        assert!(equations(rows.into_iter(), 3).is_empty());
    }

    #[test]
    fn chance_is_no_law() {
        assert!(equations([vec![1, 0, 0], vec![1, 1, 1001]].into_iter(), 3).is_empty());
        assert_eq!(equations([vec![1, 0, 0], vec![1, 1, 1000]].into_iter(), 3).len(), 1);
        let three = [vec![1, 0, 0, 0], vec![1, 1, 0, 9], vec![1, 0, 1, 1]];
        assert!(equations(three.into_iter(), 4).is_empty());
    }
}
