//! `docs/semantics.md#steps`, clause by clause.

use super::*;
use crate::model::{EdgeId, InstanceId};

/// `snd` of `a` on `channel` with a send guard, and two receivers.
fn sending(channel: &str, send_guard: &str, receive_guard: &str, receives: &str) -> String {
    format!(
        "enum channel {{c, d}}
         message-structure: V : int, Z : int
         property-variables: kind : bool
         agent Sender
             local: ch1 : channel
             init: ch1 = c
             relabel: kind <- true
             receive-guard: true
             repeat: (snd: {{true}} {channel}! ({send_guard})(V := 7)[] + own: {{true}} {channel}? [])
         agent Receiver
             local: x : int, big : bool
             init: x = 0
             relabel: kind <- big
             receive-guard: {receive_guard}
             repeat: ({receives})
         system = Sender(a, true) || Receiver(p, big) || Receiver(q, !big)"
    )
}

#[test]
fn broadcast_reaches_everyone_ready_but_the_sender() {
    let steps = first_steps(&sending("*", "true", "false", "rcv: {true} *? []"));
    assert_eq!(steps, ["a-snd on * to p-rcv, q-rcv with V = 7"]);
}

#[test]
fn broadcast_skips_whom_the_send_guard_excludes() {
    let steps = first_steps(&sending("*", "@kind", "true", "rcv: {true} *? []"));
    assert_eq!(steps, ["a-snd on * to p-rcv with V = 7"]);
}

#[test]
fn broadcast_skips_who_is_not_ready() {
    for receive in ["rcv: {false} *? []", "rcv: {true} c? []", "rcv: {V < 7} *? []", "rcv: {true} *? [x := Z]"] {
        let steps = first_steps(&sending("*", "true", "true", receive));
        assert_eq!(steps, ["a-snd on * with V = 7, no receiver"], "{receive}");
    }
}

#[test]
fn every_combination_of_ready_receives_is_a_step() {
    let steps = first_steps(&sending("*", "true", "true", "one: {V = 7} *? [x := V] + two: {big} *? []"));
    assert_eq!(steps, ["a-snd on * to p-one, q-one with V = 7", "a-snd on * to p-two, q-one with V = 7"]);
}

#[test]
fn multicast_goes_to_all_listeners() {
    let steps = first_steps(&sending("c", "true", "chan = c & big", "rcv: {true} c? []"));
    assert_eq!(steps, ["a-snd on c to p-rcv with V = 7"]);
}

#[test]
fn multicast_succeeds_without_listeners() {
    let steps = first_steps(&sending("c", "true", "chan = d", "rcv: {true} c? []"));
    assert_eq!(steps, ["a-snd on c with V = 7, no receiver"]);
}

#[test]
fn multicast_is_blocked_by_a_listener_outside_of_the_send_guard() {
    assert_eq!(first_steps(&sending("c", "@kind", "true", "rcv: {true} c? []")), ["the stutter"]);
}

#[test]
fn multicast_is_blocked_by_a_listener_that_cannot_receive() {
    for receive in ["rcv: {big} c? []", "rcv: {true} d? []", "rcv: {true} c? [x := Z]"] {
        assert_eq!(first_steps(&sending("c", "true", "true", receive)), ["the stutter"], "{receive}");
    }
}

#[test]
fn channels_may_be_variables() {
    let text = sending("ch1", "chan = c", "chan = c", "rcv: {true} c? []");
    assert_eq!(first_steps(&text), ["a-snd on c to p-rcv, q-rcv with V = 7"]);
    let broadcast = text.replace("init: ch1 = c", "init: ch1 = *").replace("chan = c)", "chan = *)");
    assert_eq!(first_steps(&broadcast), ["a-snd on * with V = 7, no receiver"]);
    let received = broadcast.replace("c? []", "*? []");
    assert_eq!(first_steps(&received), ["a-snd on * to p-rcv, q-rcv with V = 7"]);
}

#[test]
fn everything_is_evaluated_in_the_state_before() {
    let model = model(
        "enum channel {c}
         message-structure: V : int
         agent Swap
             local: x : int, y : int
             init: x = 1 & y = 2
             receive-guard: false
             repeat: (snd: {true} *! (x = 1)(V := x)[x := y, y := x] + rcv: {true} *? [y := V + x, x := y])
         system = Swap(a, true) || Swap(b, true)",
    );
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    let after = step(&semantics, &state, "a-snd on * to b-rcv with V = 1").target;
    assert_eq!(locals(&model, &after, "a"), "x=2 y=1");
    assert_eq!(locals(&model, &after, "b"), "x=2 y=2");
}

/// A sender of `V := data` that counts up to 3 itself, and a receiver with a range.
fn ranged(data: &str, receives: &str) -> String {
    format!(
        "enum channel {{c}}
         message-structure: V : 0..9
         agent Sender
             local: n : 0..3
             init: n = 3
             receive-guard: false
             repeat: (snd: {{true}} *! (true)(V := {data})[] + up: {{true}} *! (false)()[n := n + 1])
         agent Receiver
             local: y : 0..3
             init: y = 2
             receive-guard: false
             repeat: ({receives})
         system = Sender(a, true) || Receiver(b, true)"
    )
}

#[test]
fn updates_and_data_stay_inside_their_ranges() {
    assert_eq!(first_steps(&ranged("n", "rcv: {true} *? []")), ["a-snd on * to b-rcv with V = 3"]);
    assert_eq!(first_steps(&ranged("n * 4", "rcv: {true} *? []")), ["the stutter"]);
}

#[test]
fn only_the_receives_that_stay_inside_are_taken() {
    let choices = "one: {true} *? [y := y + 1] + two: {true} *? [y := y + V]";
    assert_eq!(first_steps(&ranged("n", choices)), ["a-snd on * to b-one with V = 3"]);
    // The receive is ready, so that the receiver does not stay out: there is no step.
    assert_eq!(first_steps(&ranged("n", "two: {true} *? [y := y + V]")), ["the stutter"]);
}

/// A getter and two suppliers; `who` is theirs.
fn transfer(get: &str, supply: &str) -> String {
    format!(
        "enum channel {{c}}
         message-structure: V : int, Z : int
         property-variables: who : int
         agent Getter
             local: peer : location, x : int
             init: peer = t & x = 0
             receive-guard: true
             repeat: ({get})
         agent Supplier
             local: y : int, friend : location
             init: friend = h
             relabel: who <- y
             receive-guard: true
             repeat: ({supply})
         system = Getter(g, true) || Getter(h, true) || Supplier(s, y = 1) || Supplier(t, y = 2)"
    )
}

#[test]
fn gets_name_their_supplier() {
    let supply = "sup: {true} SUPPLY@(any)(V := y)[]";
    let by_variable = transfer("get: {true} GET@(peer)()[x := V]", supply);
    assert_eq!(first_steps(&by_variable), ["g-get from t-sup with V = 2", "h-get from t-sup with V = 2"]);
    let by_name = transfer("get: {true} GET@(s)()[x := V]", supply);
    assert_eq!(first_steps(&by_name), ["g-get from s-sup with V = 1", "h-get from s-sup with V = 1"]);
    // No agent supplies itself.
    assert_eq!(first_steps(&transfer("get: {true} GET@(myself)()[]", supply)), ["the stutter"]);
}

#[test]
fn gets_describe_their_supplier() {
    let text = transfer("get: {true} GET@(@who > x + 1)()[]", "sup: {true} SUPPLY@(any)()[]");
    assert_eq!(first_steps(&text), ["g-get from t-sup", "h-get from t-sup"]);
}

#[test]
fn supplies_to_myself_serve_gets_by_name_only() {
    let supply = "sup: {true} SUPPLY@(myself)()[]";
    let by_name = transfer("get: {true} GET@(peer)()[]", supply);
    assert_eq!(first_steps(&by_name), ["g-get from t-sup", "h-get from t-sup"]);
    assert_eq!(first_steps(&transfer("get: {true} GET@(@who = 2)()[]", supply)), ["the stutter"]);
}

#[test]
fn supplies_by_name_serve_that_getter_only() {
    for supply in ["sup: {true} SUPPLY@(friend)()[]", "sup: {true} SUPPLY@(h)()[]"] {
        let by_name = transfer("get: {true} GET@(peer)()[]", supply);
        assert_eq!(first_steps(&by_name), ["h-get from t-sup"]);
        let by_predicate = transfer("get: {true} GET@(@who = 1)()[]", supply);
        assert_eq!(first_steps(&by_predicate), ["h-get from s-sup"]);
    }
}

#[test]
fn each_side_reads_the_data_of_the_other() {
    let get = "get: {V = 2} GET@(peer)(V := 30, Z := 4)[x := V + x]";
    let model = model(&transfer(get, "sup: {V = 30} SUPPLY@(any)(V := y)[y := V + Z]"));
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    // Observers see the supplier's V, and the getter's Z.
    let after = step(&semantics, &state, "g-get from t-sup with V = 2, Z = 4").target;
    assert_eq!(locals(&model, &after, "g"), "peer=t x=2");
    assert_eq!(locals(&model, &after, "t"), "y=34 friend=h");
    assert_eq!(locals(&model, &after, "h"), "peer=t x=0");
}

#[test]
fn data_that_is_read_must_be_assigned() {
    let missing_for_getter = transfer("get: {true} GET@(peer)()[x := Z]", "sup: {true} SUPPLY@(any)(V := y)[]");
    assert_eq!(first_steps(&missing_for_getter), ["the stutter"]);
    let missing_for_supplier = transfer("get: {true} GET@(peer)(V := 1)[]", "sup: {Z = 0} SUPPLY@(any)(V := y)[]");
    assert_eq!(first_steps(&missing_for_supplier), ["the stutter"]);
}

#[test]
fn both_guards_of_a_transfer_must_hold() {
    let supply = "sup: {y = 1} SUPPLY@(any)()[]";
    assert_eq!(first_steps(&transfer("get: {true} GET@(peer)()[]", supply)), ["the stutter"]);
    let supply = "sup: {true} SUPPLY@(any)()[]";
    assert_eq!(first_steps(&transfer("get: {x = 1} GET@(peer)()[]", supply)), ["the stutter"]);
}

#[test]
fn the_automaton_state_moves_with_the_command() {
    let model = model(
        "enum channel {c}
         agent A receive-guard: false repeat: (one: {true} *! (true)()[] ; two: {true} *! (true)()[])
         agent B receive-guard: false repeat: (three: {true} *? [] ; four: {true} c? [])
         system = A(a, true) || B(b, true)",
    );
    let semantics = Semantics::new(&model);
    let first = initial(&semantics);
    assert_eq!(shown(&semantics, &first), ["a-one on * to b-three"]);
    let second = semantics.steps(&first).remove(0).target;
    assert_eq!((second.automaton(InstanceId(0)), second.automaton(InstanceId(1))), (1, 1));
    assert_eq!(shown(&semantics, &second), ["a-two on *, no receiver"]);
    let third = semantics.steps(&second).remove(0).target;
    assert_eq!((third.automaton(InstanceId(0)), third.automaton(InstanceId(1))), (0, 1));
}

/// All choices that the ids of the model allow, most of them nonsense.
fn conceivable(model: &Model) -> Vec<Choice> {
    let all =
        || model.instance_ids().flat_map(|i| (0..model.agent_of(i).edges.len() as u32).map(move |e| (i, EdgeId(e))));
    let mut subsets = vec![Vec::new()];
    for instance in model.instance_ids() {
        let with = |subset: &Vec<(InstanceId, EdgeId)>| {
            let own: Vec<_> = all().filter(|(named, _)| *named == instance).collect();
            own.into_iter().map(|named| subset.iter().copied().chain([named]).collect()).collect::<Vec<Vec<_>>>()
        };
        let extended: Vec<_> = subsets.iter().flat_map(with).collect();
        subsets.extend(extended);
    }
    let sends = all().flat_map(|(sender, edge)| {
        subsets.iter().map(move |receivers| Choice::Send { sender, edge, receivers: receivers.clone() })
    });
    let pairs = all().flat_map(|(getter, get)| {
        all().map(move |(supplier, supply)| Choice::GetSupply { getter, get, supplier, supply })
    });
    sends.chain(pairs).chain([Choice::Stutter]).collect()
}

#[test]
fn a_choice_applies_exactly_if_it_is_listed() {
    let models = [
        sending("*", "@kind", "true", "one: {V = 7} *? [x := V] + two: {big} *? []"),
        sending("c", "true", "chan = c & big", "rcv: {true} c? [] + other: {true} *? []"),
        sending("c", "@kind", "true", "rcv: {true} c? []"),
        ranged("n", "one: {true} *? [y := y + 1] + two: {true} *? [y := y + V]"),
        transfer("get: {true} GET@(peer)()[x := V]", "sup: {true} SUPPLY@(any)(V := y)[]"),
        transfer("get: {true} GET@(@who > x)()[]", "sup: {true} SUPPLY@(friend)()[] + no: {false} SUPPLY@(any)()[]"),
    ];
    for text in models {
        let model = model(&text);
        let semantics = Semantics::new(&model);
        let state = initial(&semantics);
        let steps = semantics.steps(&state);
        let mut listed = 0;
        for choice in conceivable(&model) {
            match semantics.apply(&state, &choice) {
                Ok(step) => {
                    assert!(steps.contains(&step), "{choice:?}");
                    listed += 1;
                }
                Err(why) => {
                    assert!(steps.iter().all(|step| step.choice != choice), "{choice:?}");
                    assert!(!why.describe(&model).is_empty());
                }
            }
        }
        assert_eq!(listed, steps.len());
    }
}

#[test]
fn refusals_say_why() {
    let model = model(&sending("c", "@kind", "big & chan = c", "rcv: {true} c? []"));
    let semantics = Semantics::new(&model);
    let state = initial(&semantics);
    let refused = |receivers: &[(u32, u32)]| {
        let receivers = receivers.iter().map(|(i, e)| (InstanceId(*i), EdgeId(*e))).collect();
        let choice = Choice::Send { sender: InstanceId(0), edge: EdgeId(0), receivers };
        semantics.apply(&state, &choice).map(|_| ()).map_err(|why| why.describe(&model))
    };
    assert_eq!(refused(&[(1, 0)]), Ok(()));
    assert_eq!(refused(&[]), Err("`p` has to receive the message, but does not".to_string()));
    assert_eq!(refused(&[(1, 0), (2, 0)]), Err("`q` does not listen to the channel".to_string()));
    assert_eq!(refused(&[(0, 1), (1, 0)]), Err("`a` would receive its own message".to_string()));
    assert_eq!(refused(&[(1, 0), (1, 0)]), Err("the receivers are not listed in strictly ascending order".to_string()));
    assert_eq!(refused(&[(1, 9)]), Err("`p` has no command number 9".to_string()));
    assert_eq!(refused(&[(1, 0), (9, 0)]), Err("there is no instance number 9".to_string()));
    let stutter = semantics.apply(&state, &Choice::Stutter).map_err(|why| why.describe(&model));
    assert!(stutter.is_err_and(|why| why.starts_with("a stutter is possible in a deadlock only")));
}
