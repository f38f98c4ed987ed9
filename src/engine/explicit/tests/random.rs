//! Random formulas, compared with the oracle; every verdict with its evidence.

use super::*;
use crate::model::Observation;

/// Two agents that pass a token on; the receive can fail to be ready.
const MODEL: &str = "enum channel {c}
    message-structure: V : 0..1
    agent A
        local: on : bool, n : 0..2
        init: !on & n = 0
        receive-guard: chan = *
        repeat: (
            pass: {on} *! (true)(V := 1)[on := false]
            + work: {on & n < 2} *! (false)(V := 0)[n := n + 1]
            + take: {V = 1 & !on} *? [on := true, n := 0]
        )
    system = A(a, on) || A(b, true)
    SPEC a-on SPEC b-n = 2 SPEC a-take SPEC b-take SPEC a-pass SPEC b-work SPEC deadlock
    SPEC <<sender = a>> true SPEC <<V = 0>> true";

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn boxed(&mut self, depth: usize, leaves: &Leaves) -> Box<Formula> {
        Box::new(self.formula(depth, leaves))
    }

    fn formula(&mut self, depth: usize, leaves: &Leaves) -> Formula {
        if depth == 0 {
            return leaves.atoms[self.below(leaves.atoms.len())].clone();
        }
        let mut sub = || self.boxed(depth - 1, leaves);
        let (a, b) = (sub(), sub());
        match self.below(14) {
            0 => Formula::Not(a),
            1 => Formula::And(vec![*a, *b]),
            2 => Formula::Or(vec![*a, *b]),
            3 => Formula::Implies(a, b),
            4 => Formula::Iff(a, b),
            5 => Formula::Next(a),
            6 => Formula::Finally(a),
            7 => Formula::Globally(a),
            8 => Formula::Until(a, b),
            9 => Formula::WeakUntil(a, b),
            10 => Formula::Release(a, b),
            11 => Formula::Possible(self.observation(leaves), a),
            12 => Formula::Necessary(self.observation(leaves), a),
            _ => leaves.atoms[self.below(leaves.atoms.len())].clone(),
        }
    }

    fn observation(&mut self, leaves: &Leaves) -> Box<Observation> {
        Box::new(leaves.observations[self.below(leaves.observations.len())].clone())
    }
}

struct Leaves {
    atoms: Vec<Formula>,
    observations: Vec<Observation>,
}

#[test]
fn random_formulas_agree_with_the_oracle() {
    // At first no agent is on, so that everything is stuck, or both or one of them are.
    let model = model(&MODEL.replace("init: !on & n = 0", "init: n = 0"));
    let semantics = Semantics::new(&model);
    let oracle = Oracle::new(&semantics, Limits::default()).expect("small");
    let mut leaves = Leaves { atoms: Vec::new(), observations: Vec::new() };
    for spec in &model.specs {
        match &spec.formula {
            Formula::Possible(observation, _) => leaves.observations.push((**observation).clone()),
            other => leaves.atoms.push(other.clone()),
        }
    }
    let mut random = Random(1);
    let (mut held, mut violated) = (0, 0);
    for round in 0..3_000 {
        let formula = random.formula(1 + round % 4, &leaves);
        let formula = if round % 2 == 0 { Formula::Globally(Box::new(formula)) } else { formula };
        let Ok(expected) = oracle.holds(&formula) else { continue };
        let found = decide(&semantics, &formula, Config::default());
        assert_eq!(found, Some(expected), "{}", model.show_formula(&formula));
        if expected { held += 1 } else { violated += 1 }
    }
    assert!(held >= 300 && violated >= 300, "{held} held, {violated} were violated");
}
