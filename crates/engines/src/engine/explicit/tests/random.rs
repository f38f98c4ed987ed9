//! Random formulas, compared with the oracle; every verdict with its evidence.

use super::*;
use crate::model::Observation;
use crate::model::written::Written;

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

    fn formula(&mut self, depth: usize, leaves: &Leaves) -> Formula {
        if depth == 0 {
            return leaves.atoms[self.below(leaves.atoms.len())].clone();
        }
        let mut sub = || self.formula(depth - 1, leaves);
        let (a, b) = (sub(), sub());
        match self.below(14) {
            0 => a.not(),
            1 => Formula::And(vec![a, b]),
            2 => Formula::Or(vec![a, b]),
            3 => a.implies(b),
            4 => a.iff(b),
            5 => a.next(),
            6 => a.finally(),
            7 => a.globally(),
            8 => a.until(b),
            9 => a.weak_until(b),
            10 => a.release(b),
            11 => Formula::possible(self.observation(leaves), a),
            12 => Formula::necessary(self.observation(leaves), a),
            _ => leaves.atoms[self.below(leaves.atoms.len())].clone(),
        }
    }

    fn observation(&mut self, leaves: &Leaves) -> Observation {
        leaves.observations[self.below(leaves.observations.len())].clone()
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
        match spec.formula.written() {
            Written::Possible(observation, _) => leaves.observations.push(observation.clone()),
            _ => leaves.atoms.push(spec.formula.clone()),
        }
    }
    let mut random = Random(1);
    let (mut held, mut violated) = (0, 0);
    for round in 0..3_000 {
        let formula = random.formula(1 + round % 4, &leaves);
        let formula = if round % 2 == 0 { formula.globally() } else { formula };
        let Ok(expected) = oracle.holds(&formula) else { continue };
        let found = decide(&semantics, &formula, Config::default());
        assert_eq!(found, Some(expected), "{}", model.show_formula(&formula));
        if expected { held += 1 } else { violated += 1 }
    }
    assert!(held >= 300 && violated >= 300, "{held} held, {violated} were violated");
}
