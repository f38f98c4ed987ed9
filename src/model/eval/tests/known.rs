//! Models with known numbers of states and known verdicts.

use super::*;
use crate::model::eval::Limits;
use crate::model::eval::oracle::holds_on_every_run;

const RESOURCE_ALLOCATION: &str = include_str!("../../../../specs/resource_allocation/modern.rcp");

/// The case study without specs for other numbers of clients and machines in its two groups.
fn resource_allocation(clients: usize, groups: [usize; 2]) -> Model {
    let (head, tail) = RESOURCE_ALLOCATION.split_once("system =").expect("a system");
    assert!(tail.contains("SPEC"));
    let mut parts: Vec<String> = (1..=clients).map(|n| format!("Client(client{n}, true)")).collect();
    parts.push("Manager(manager, true)".to_string());
    for n in 1..=groups[0] + groups[1] {
        let group = if n <= groups[0] { "g1" } else { "g2" };
        parts.push(format!("Machine(machine{n}, (gLink = {group}) & (pLink = vmm{n}))"));
    }
    let channels: Vec<String> = (1..=groups[0] + groups[1]).map(|n| format!("vmm{n}")).collect();
    let head = head.replace("vmm1, vmm2, vmm3", &channels.join(", "));
    model(&format!("{head} system = {}", parts.join(" || ")))
}

fn counts(clients: usize, groups: [usize; 2]) -> (usize, usize, usize, usize) {
    let model = resource_allocation(clients, groups);
    let found = Semantics::new(&model).explore(Limits::default()).expect("one initial state");
    assert!(found.complete());
    (found.states().len(), found.steps(), found.depth(), found.deadlocked())
}

#[test]
fn the_case_study_has_its_known_numbers_of_states() {
    assert_eq!(counts(2, [1, 1]), (45, 60, 15, 1));
    assert_eq!(counts(3, [2, 1]), (306, 561, 21, 1));
    assert_eq!(counts(4, [2, 2]), (2_973, 7_560, 29, 1));
}

#[test]
fn limits_are_kept() {
    let model = resource_allocation(2, [1, 1]);
    let semantics = Semantics::new(&model);
    let shallow = semantics.explore(Limits { depth: 3, ..Limits::default() }).expect("one initial state");
    assert!(!shallow.complete());
    assert_eq!(shallow.depth(), 3);
    let small = semantics.explore(Limits { states: 10, ..Limits::default() }).expect("one initial state");
    assert!(!small.complete());
}
