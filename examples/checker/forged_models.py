"""Models about strategies for tests, of kinds that `specs/` does not have."""

# A member chooses how it takes messages; its choice may look at what the message carries.
TAKING = """
point-to-point: tool
enum channel {line}
enum word {first, second, other}
message-structure: N : 0..1, WORD : word

agent Asker
    local: sent : 0..2
    init: sent = 0
    receive-guard: false
    repeat: (
        zero: {sent = 0} line! (true)(N := 0, WORD := other)[sent := 1]
        +
        one: {sent = 0} line! (true)(N := 1, WORD := other)[sent := 2]
        +
        ask: {sent != 0} GET@(desk)()[]
    )

agent Reader
    local: got : 0..3
    init: got = 0
    receive-guard: chan = line
    repeat: (
        as_one: {true} line? [got := 1]
        +
        as_two: {true} line? [got := 2]
        +
        only_zero: {N = 0} line? [got := 3]
    )

agent Desk
    local: served : 0..2
    init: served = 0
    receive-guard: false
    repeat: (
        well: {true} SUPPLY@(any)()[served := 1]
        +
        badly: {true} SUPPLY@(any)()[served := 2]
    )

agent Speaker
    local: next : word
    init: next = first
    receive-guard: false
    repeat: say: {true} *! (true)(N := 0, WORD := next)[next := if next = first then second else other]

agent Listener
    local: got : 0..2
    init: got = 0
    receive-guard: false
    repeat: (
        one: {true} *? [got := 1]
        +
        two: {true} *? [got := 2]
    )

system = Asker(asker, true) || Reader(reader, true) || Desk(desk, true) || Speaker(speaker, true) || Listener(ear, true)

// name: looks_at_the_message
SPEC can({reader}, G (((asker-sent = 1) -> (reader-got = 3)) & ((asker-sent = 2) -> (reader-got = 2))));
// name: cannot_refuse
SPEC can({reader}, G (reader-got = 0));
// name: serves_well
SPEC can({desk}, G (desk-served != 2));
// name: one_step_takes_one
SPEC could({desk}, G (desk-served != 2));
// name: asks_for_more
SPEC could({asker}, F (reader-got = 3));
// name: hears
SPEC can({ear, asker}, ((X (ear-got = 1)) & (X (X (ear-got = 1)))) & F (ear-got = 2));
"""

# Strategies that make an assumption impossible do not count.
COUNTING = """
agent Server
    local: state : 0..2, odd : bool
    init: state < 2 & !odd
    receive-guard: false
    repeat: (
        serve: {state != 2} *! (false)()[odd := !odd]
        +
        stop: {state != 2} *! (false)()[state := 2]
    )

agent Breaker
    local: broken : bool, odd : bool
    init: !broken & !odd
    receive-guard: false
    repeat: (
        break: {!broken} *! (false)()[broken := true]
        +
        work: {!broken} *! (false)()[odd := !odd]
    )

system = Server(server, true) || Breaker(breaker, true)

ASSUME G F server-serve;
ASSUME G !breaker-break;

// name: not_by_stopping
SPEC can({server}, F (server-state = 2));
// name: if_it_is_told
SPEC server-state = 1 -> can({server}, G (server-state = 1 & !breaker-broken));
"""

# A supplier that can answer one getter well, and the other one badly, whatever it decides.
ANSWERING = """
point-to-point: tool

agent Asker
    receive-guard: false
    repeat: ask: {true} GET@(desk)()[]

agent Desk
    local: bad : bool
    init: !bad
    receive-guard: false
    repeat: (
        well: {true} SUPPLY@(friend)()[]
        +
        badly: {true} SUPPLY@(other)()[bad := true]
    )

system = Asker(friend, true) || Asker(other, true) || Desk(desk, true)

// name: answers_well
SPEC could({desk}, G !desk-bad);
"""

OWN = {"taking": TAKING, "counting": COUNTING, "answering": ANSWERING}
