//! Symmetries are found, visited states are fewer, verdicts are the same, and altered symmetries prove nothing.

use super::*;

/// The case study with so many clients and machines in the two groups.
fn case_study(clients: usize, group1: usize, group2: usize) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/resource_allocation/modern.rcp");
    let text = std::fs::read_to_string(path).expect("readable");
    let machines = group1 + group2;
    let links: Vec<String> = (1..=machines).map(|number| format!("vmm{number}")).collect();
    let mut instances: Vec<String> = (1..=clients).map(|number| format!("Client(client{number}, true)")).collect();
    instances.push("Manager(manager, true)".to_string());
    for number in 1..=machines {
        let group = if number <= group1 { "g1" } else { "g2" };
        instances.push(format!("Machine(machine{number}, (gLink = {group}) & (pLink = vmm{number}))"));
    }
    let (globals, _) = text.split_once("system =").expect("it has a system");
    let globals = globals.replace("vmm1, vmm2, vmm3", &links.join(", "));
    model(&format!("{globals}\nsystem = {}\nSPEC true", instances.join(" || ")))
}

/// The number of states that are visited, with the symmetries of the model.
fn visited(model: &Model) -> usize {
    let semantics = Semantics::new(model);
    let symmetries = Symmetries::of(model);
    let influence = Influence::of_behaviour(model);
    let atoms = Atoms::default();
    let all = symmetries.fixing(atoms.list(), &influence);
    let generators = all.into_iter().map(|index| symmetries.generator(index).clone()).collect();
    let mut graph = Graph::new(&semantics, &influence, &atoms, generators).expect("few initial states");
    let mut next = 0;
    while next < graph.len() as u32 {
        graph.successors(next);
        next += 1;
    }
    graph.len()
}

#[test]
fn classes_of_the_case_study() {
    assert_eq!(visited(&case_study(3, 2, 1)), 43);
    assert_eq!(visited(&case_study(4, 2, 2)), 88);
    assert_eq!(visited(&case_study(5, 3, 2)), 127);
}
