//! All formulas by size: the number of atoms and operators.

use super::letters::Words;
use rcheck_smt::model::Formula;

type Unary = fn(&Words, Formula) -> Formula;
type Binary = fn(Formula, Formula) -> Formula;

const UNARY: [Unary; 6] = [
    |_, a| a.not(),
    |_, a| a.next(),
    |_, a| a.finally(),
    |_, a| a.globally(),
    |words, a| Formula::possible(words.observation.clone(), a),
    |words, a| Formula::necessary(words.observation.clone(), a),
];

const BINARY: [Binary; 7] = [
    |a, b| Formula::And(vec![a, b]),
    |a, b| Formula::Or(vec![a, b]),
    Formula::implies,
    Formula::iff,
    Formula::until,
    Formula::weak_until,
    Formula::release,
];

/// How many formulas of a size there are.
pub fn count(words: &Words, size: usize) -> usize {
    let mut counts = vec![0, words.atoms.len()];
    for size in 2..=size {
        let pairs: usize = (1..size - 1).map(|left| counts[left] * counts[size - 1 - left]).sum();
        counts.push(UNARY.len() * counts[size - 1] + BINARY.len() * pairs);
    }
    counts[size]
}

/// The formula of a size with a number.
pub fn formula(words: &Words, size: usize, mut number: usize) -> Formula {
    if size == 1 {
        return words.atoms[number].clone();
    }
    let inner = count(words, size - 1);
    if number < UNARY.len() * inner {
        return UNARY[number / inner](words, formula(words, size - 1, number % inner));
    }
    number -= UNARY.len() * inner;
    for left in 1..size - 1 {
        let (lefts, rights) = (count(words, left), count(words, size - 1 - left));
        if number < BINARY.len() * lefts * rights {
            let (operator, pair) = (BINARY[number / (lefts * rights)], number % (lefts * rights));
            return operator(formula(words, left, pair / rights), formula(words, size - 1 - left, pair % rights));
        }
        number -= BINARY.len() * lefts * rights;
    }
    panic!("there are fewer formulas of size {size}")
}
