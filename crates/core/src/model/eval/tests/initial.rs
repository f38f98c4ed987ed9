//! `docs/semantics.md#states`: initial states.

use super::*;
use crate::model::Value;
use crate::model::eval::EnumerationError;
use std::collections::BTreeSet;

/// One instance with these locals and initial conditions.
fn with(locals: &str, init: &str, extra: &str) -> Model {
    model(&format!(
        "enum channel {{c}} enum color {{red, green, blue}}
         agent A local: {locals} init: {init} receive-guard: false repeat: {{true}} *! (true)()[]
         system = A(i, {extra}) || A(j, {extra})"
    ))
}

/// The initial values of the first instance, each once; all combinations with the second must be there.
fn initials(locals_of: &str, init: &str, extra: &str) -> Vec<String> {
    let model = with(locals_of, init, extra);
    let semantics = Semantics::new(&model);
    let states = semantics.initial_states().expect("enumerable");
    assert!(states.iter().all(|state| semantics.is_initial(state)));
    assert!(states.is_sorted_by(|left, right| left < right));
    let mut first: Vec<String> = states.iter().map(|state| locals(&model, state, "i")).collect();
    first.dedup();
    let mut second: Vec<String> = states.iter().map(|state| locals(&model, state, "j")).collect();
    second.sort();
    second.dedup();
    assert_eq!(states.len(), first.len() * second.len());
    first
}

#[test]
fn what_is_open_is_free_within_its_type() {
    assert_eq!(initials("b : bool", "true", "true"), ["b=false", "b=true"]);
    assert_eq!(initials("k : color", "k != green", "true"), ["k=red", "k=blue"]);
    assert_eq!(initials("k : channel", "true", "true"), ["k=*", "k=c"]);
    assert_eq!(initials("l : location", "true", "true"), ["l=i", "l=j"]);
    assert_eq!(initials("n : -1..1", "n * n = n", "true"), ["n=0", "n=1"]);
}

#[test]
fn both_conditions_count() {
    assert_eq!(initials("n : 0..5", "n > 2", "n < 4"), ["n=3"]);
    assert_eq!(initials("n : 0..5", "n > 2", "n < 2"), Vec::<String>::new());
}

#[test]
fn equations_determine_unbounded_integers() {
    assert_eq!(initials("x : int, y : int, b : bool", "y = x + 1 & 41 = x", "!b"), ["x=41 y=42 b=false"]);
    assert_eq!(initials("x : int, n : 1..2", "x = n * 10", "true"), ["x=10 n=1", "x=20 n=2"]);
    assert_eq!(initials("x : int", "x = 1 | x = 2", "x != 1"), ["x=2"]);
    assert_eq!(initials("x : int, b : bool", "(x = 1) & b", "!b"), Vec::<String>::new());
}

#[test]
fn conditions_may_speak_about_the_instance_itself() {
    let model = with("l : location, b : bool", "l = myself & b = (l = j)", "true");
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    assert_eq!(locals(&model, &state, "i"), "l=i b=false");
    assert_eq!(locals(&model, &state, "j"), "l=j b=true");
}

#[test]
fn integers_with_bounds_in_the_condition_are_listed() {
    let model = with("x : int", "x > 3 & x <= 6 & x != 5", "true");
    let states = Semantics::new(&model).initial_states().expect("x is bounded");
    let of_first: BTreeSet<String> = states.iter().map(|state| locals(&model, state, "i")).collect();
    assert_eq!(of_first, BTreeSet::from(["x=4".to_owned(), "x=6".to_owned()]));
    let model = with("x : int, y : int", "x >= 0 & x < 1000000000 & (x = 3 & y = x | y = 4 & x = y)", "true");
    let states = Semantics::new(&model).initial_states().expect("the alternatives determine x");
    assert_eq!(states.len(), 4);
}

#[test]
fn what_cannot_be_listed_says_why() {
    let open = with("b : bool, x : int", "x > 3", "true");
    let reason = Semantics::new(&open).initial_states().expect_err("x is open");
    assert_eq!(reason, EnumerationError::Unbounded { variable: "i-x".to_string() });
    assert!(reason.to_string().contains("`i-x` is an unbounded integer"));
    let large = with("x : 0..1000000000", "true", "true");
    let reason = Semantics::new(&large).initial_states().expect_err("x is large");
    assert_eq!(reason, EnumerationError::TooMany { variable: "i-x".to_string() });
    let product = with("x : 0..9999", "true", "true");
    let reason = Semantics::new(&product).initial_states().expect_err("x is large, twice");
    assert_eq!(reason, EnumerationError::TooManyStates);
}

/// Nodes with numbers, and what is said of all of them together.
fn numbered(nodes: usize, numbers: usize, together: &str) -> Model {
    let system: Vec<String> = (1..=nodes).map(|node| format!("A(n{node}, true)")).collect();
    model(&format!(
        "agent A
            local: id : 1..{numbers}
            init: true
            receive-guard: false
            repeat: stay: {{true}} *! (true)()[]
        system = {} where {together}
        SPEC true",
        system.join(" || ")
    ))
}

#[test]
fn what_is_said_of_all_together_leaves_few_of_many_combinations() {
    let different = "forall k : A . forall j : A . k != j -> k-id != j-id";
    let all = numbered(8, 8, different);
    assert_eq!(Semantics::new(&all).initial_states().map(|states| states.len()), Ok(40_320));
    assert!(8_usize.pow(8) > 1_000_000, "combinations");
    for together in
        [different, "n2-id < n1-id | n3-id = 2", "(exists k : A . k-id = 3) & n1-id = n3-id", "true", "n1-id > 3"]
    {
        let (restricted, free) = (numbered(3, 3, together), numbered(3, 3, "true"));
        let semantics = Semantics::new(&restricted);
        let every = Semantics::new(&free).initial_states().expect("few");
        assert_eq!(every.len(), 27);
        let expected: Vec<State> = every.into_iter().filter(|state| semantics.is_initial(state)).collect();
        assert_eq!(semantics.initial_states(), Ok(expected), "{together}");
    }
}

#[test]
fn states_are_checked() {
    let model = with("n : 0..3, k : color", "n = 2", "true");
    let semantics = Semantics::new(&model);
    let part = |n: i64, k: u32| (0, vec![Value::int(n), Value::Enum(k)]);
    let state = semantics.state_from(&[part(2, 0), part(2, 2)]).expect("inside");
    assert!(semantics.is_initial(&state));
    let other = semantics.state_from(&[part(2, 0), part(1, 2)]).expect("inside");
    assert!(!semantics.is_initial(&other));
    let error = |parts: &[(u32, Vec<Value>)]| semantics.state_from(parts).expect_err("outside").to_string();
    assert_eq!(error(&[part(4, 0), part(2, 0)]), "`i-n` cannot have the value 4");
    assert_eq!(error(&[part(2, 0), part(2, 3)]), "`j-k` cannot have the value number 3 of its kind");
    assert_eq!(error(&[part(2, 0)]), "the number of instances is 2 in the model, 1 in the state");
    assert_eq!(error(&[part(2, 0), (7, part(2, 0).1)]), "`j` has no automaton state 7");
    assert_eq!(error(&[part(2, 0), (0, Vec::new())]), "the number of locals of `j` is 2 in the model, 0 in the state");
}
