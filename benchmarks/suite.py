"""The families that `peers.py --largest` asks, and models of the same systems that were written by hand for other tools.

A family is a model in `models/`, one of `specs/parametrised/`, or a function of `generate.py`; its size goes up until no tool
decides it. Models by hand are as a user of that tool would write them: shared variables instead of messages.
"""

from collections import namedtuple

from exploration import RING

# A family whose size is the value of `parameter`; `others` are further arguments, of the size. `specs` are those that are asked.
Family = namedtuple("Family", "name parameter sizes specs others", defaults=(lambda size: {},))

SUITE = (
    Family("philosophers", "number", (4, 6, 8, 10, 12, 14, 16, 20, 24, 30),
           ("neighbours_do_not_eat_together", "nobody_waits_for_everybody"), lambda size: {"fault": 0}),
    Family("philosophers", "number", (4, 6, 8, 10, 12, 14, 16, 20, 24, 30),
           ("nobody_waits_for_everybody", "the_first_one_thinks_again"), lambda size: {"fault": 1}),
    Family("peterson", "N", (2, 3, 4, 5, 6, 7), ("mutual_exclusion", "who_climbs_enters", "nobody_enters")),
    Family("bakery_lamport", "process", (2, 3, 4, 5, 6, 8), ("mutual_exclusion", "numbers_are_below_next")),
    Family("two_phase_commit", "participant", (2, 4, 6, 8, 10, 12, 16), ("agreement", "it_is_decided", "nobody_commits")),
    Family("paxos", "N", (3, 5, 7, 9, 11, 13, 15), ("agreement", "every_run_ends", "not_both_decide")),
    Family("stabilising_ring", "nodes", (3, 4, 5, 6, 7, 8, 9),
           ("somebody_has_a_privilege", "stabilises", "one_privilege_stays_one")),
    Family("chang_roberts", "nodes", (3, 4, 5, 6, 7, 8, 9),
           ("leaders_have_the_greatest_number", "somebody_leads", "nobody_leads")),
    Family("mesi", "cache", (3, 4, 6, 8, 10, 12, 16), ("owner_is_alone", "at_most_one_shares")),
    Family("sliding_window", "N", (1, 2, 3, 4, 6, 8), ("in_order", "window_is_kept", "not_all_arrive")),
    Family("elevator", "N", (4, 6, 8, 10, 12, 14, 16), ("served", "never_stuck", "not_all_call")),
    Family("gossip", "people", (3, 4, 5, 6, 7, 8),
           ("who_knows_a_secret_shares_one", "what_is_known_stays_known", "not_everybody_knows_everything")),
    Family("auction", "N", (2, 3, 4, 5, 6, 8), ("winner_bids_most", "one_pays", "price_stays_low")),
    Family("resource_allocation", "clients", (3, 4, 5, 6, 7, 8, 10),
           ("one_session_at_a_time", "reserve_then_request", "not_all_machines_assigned"),
           lambda size: {"group1": size - size // 2, "group2": size // 2}),
)


def every(operator, parts):
    """Parts with an operator between them."""
    return f" {operator} ".join(parts)


# Promela: of a family and a spec, the model for a size. Safety is an assertion or a deadlock; the rest is a claim.
PHILOSOPHERS = """
#define N {size}
bool taken[N];
byte eats[N];
proctype Philosopher(byte me; byte left; byte right) {{
    do :: atomic {{ !taken[left] -> taken[left] = true }};
          atomic {{ !taken[right] -> taken[right] = true; {eating} }};
          atomic {{ taken[left] = false; {thinking} }};
          taken[right] = false
    od
}}
init {{
    byte k;
    atomic {{ for (k : 0 .. N - 2) {{ run Philosopher(k, k, k + 1) }} run Philosopher(N - 1, {last}); k = 0 }}
}}
"""

ELEVATOR = """
#define N {size}
bool called[N];
byte at;
bool up = true, open, done;
proctype Elevator() {{
    do :: atomic {{ !open && (done || !called[at]) && up && at < N - 1 -> at = at + 1; done = false }}
       :: atomic {{ !open && (done || !called[at]) && !up && at > 0 -> at = at - 1; done = false }}
       :: atomic {{ !open && (done || !called[at]) && ((up && at == N - 1) || (!up && at == 0)) -> up = !up }}
       :: atomic {{ !open && !done && called[at] -> called[at] = false; open = true }}
       :: atomic {{ open -> open = false; done = true }}
    od
}}
proctype Floor(byte k) {{ do :: atomic {{ !called[k] -> called[k] = true }} od }}
init {{ byte k; atomic {{ run Elevator(); for (k : 0 .. N - 1) {{ run Floor(k) }} k = 0 }} }}
"""

PETERSON = """
#define N {size}
byte level[N];
byte last[N + 1];
byte inside;
active [N] proctype Process() {{
    byte k;
    do :: level[_pid] = 1;
          do :: level[_pid] < N ->
                  last[level[_pid]] = _pid;
                  // One look at all, as in our model.
                  atomic {{ last[level[_pid]] != _pid || ({alone}) -> level[_pid] = level[_pid] + 1 }}
             :: level[_pid] == N -> break
          od;
          atomic {{ inside = inside + 1; assert(inside == 1) }};
          atomic {{ inside = inside - 1; level[_pid] = 0 }}
    od
}}
"""


def philosophers(size, safety, fault):
    """Neighbours are asserted not to eat together, or the model has nothing but deadlocks."""
    last = "N - 1, 0" if fault else "0, N - 1"
    eating = "eats[me] = 1; assert(!eats[(me + 1) % N] && !eats[(me + N - 1) % N])" if safety else "skip"
    return PHILOSOPHERS.format(size=size, last=last, eating=eating, thinking="eats[me] = 0" if safety else "skip")


def stabilises(size):
    """Again and again there is not exactly one privilege."""
    privileges = ["(x[0] == x[N - 1])", *(f"(x[{k}] != x[{k - 1}])" for k in range(1, size))]
    one = f"(({every('+', privileges)}) == 1)"
    return RING.format(size=size) + f"ltl stabilises {{ <>[] {one} }}\n"


def privileged(size):
    """No node could go on otherwise, which is a deadlock."""
    return RING.format(size=size)


def served(size):
    """A floor waits for ever."""
    starts = every("\n", (f":: called[{k}] -> goto waits{k}" for k in range(size)))
    loops = every("\n", (f"accept{k}: waits{k}: do :: called[{k}] od;" for k in range(size)))
    return ELEVATOR.format(size=size) + f"never {{ do :: true\n{starts} od;\n{loops}\n}}\n"


def peterson(size):
    """One at most is inside."""
    alone = every("&&", (f"(_pid == {k} || level[{k}] < level[_pid])" for k in range(size)))
    return PETERSON.format(size=size, alone=alone)


# A spec -> (its model, options of `pan`'s compilation, options of `pan`). Without fairness, as in our models.
SAFETY = ("-DSAFETY",)
PROMELA = {
    ("philosophers", 0, "neighbours_do_not_eat_together"): (lambda size: philosophers(size, True, False), SAFETY, ("-E",)),
    ("philosophers", 0, "nobody_waits_for_everybody"): (lambda size: philosophers(size, False, False), SAFETY, ("-A",)),
    ("philosophers", 1, "nobody_waits_for_everybody"): (lambda size: philosophers(size, False, True), SAFETY, ("-A",)),
    ("stabilising_ring", None, "somebody_has_a_privilege"): (privileged, SAFETY, ()),
    ("stabilising_ring", None, "stabilises"): (stabilises, (), ("-a",)),
    ("elevator", None, "served"): (served, (), ("-a",)),
    ("peterson", None, "mutual_exclusion"): (peterson, SAFETY, ("-E",)),
}


# NuSMV: one step is one process's.
def smv(variables, initial, steps, spec):
    """A module whose steps change what they name and keep the rest."""
    cases = []
    for guard, changes in steps:
        kept = [f"next({name}) = {changes.get(name, name)}" for name in variables]
        cases.append("(" + every("&", [guard, *kept]) + ")")
    stuck = every("&", [f"!({guard})" for guard, _ in steps] + [f"next({name}) = {name}" for name in variables])
    declared = "".join(f"  {name} : {sort};\n" for name, sort in variables.items())
    body = every("\n  | ", [*cases, f"({stuck})"])
    return f"MODULE main\nVAR\n{declared}INIT\n  {initial}\nTRANS\n  {body}\n{spec}\n"


def smv_philosophers(size, fault, spec):
    """A fork is taken or not, a philosopher in one of four phases."""
    variables = {f"p{k}": "0..3" for k in range(size)} | {f"taken{k}": "boolean" for k in range(size)}
    steps = []
    for k in range(size):
        left, right = k, (k + 1) % size
        if k == size - 1 and not fault:
            left, right = right, left
        steps += [(f"p{k} = 0 & !taken{left}", {f"p{k}": "1", f"taken{left}": "TRUE"}),
                  (f"p{k} = 1 & !taken{right}", {f"p{k}": "2", f"taken{right}": "TRUE"}),
                  (f"p{k} = 2", {f"p{k}": "3", f"taken{left}": "FALSE"}),
                  (f"p{k} = 3", {f"p{k}": "0", f"taken{right}": "FALSE"})]
    initial = every("&", [f"p{k} = 0 & !taken{k}" for k in range(size)])
    if spec == "neighbours_do_not_eat_together":
        claim = "INVARSPEC !(" + every("|", [f"p{k} = 2 & p{(k + 1) % size} = 2" for k in range(size)]) + ")"
    elif spec == "nobody_waits_for_everybody":
        claim = "INVARSPEC " + every("|", [f"({guard})" for guard, _ in steps])
    else:
        claim = "LTLSPEC G F p0 = 0"
    return smv(variables, initial, steps, claim)


def smv_ring(size, spec):
    """Values of the nodes."""
    variables = {f"x{k}": f"0..{size - 1}" for k in range(size)}
    steps = [(f"x0 = x{size - 1}", {"x0": f"(x0 + 1) mod {size}"})]
    steps += [(f"x{k} != x{k - 1}", {f"x{k}": f"x{k - 1}"}) for k in range(1, size)]
    one = "count(" + ", ".join(f"({guard})" for guard, _ in steps) + ") = 1"
    claim = {"somebody_has_a_privilege": "INVARSPEC " + every("|", [f"{guard}" for guard, _ in steps]),
             "stabilises": f"LTLSPEC F G {one}", "one_privilege_stays_one": f"LTLSPEC G ({one} -> X {one})"}[spec]
    return smv(variables, "TRUE", steps, claim)


def smv_elevator(size, spec):
    """Calls, and where the elevator is."""
    variables = {"at": f"0..{size - 1}", "up": "boolean", "open": "boolean", "done": "boolean"}
    variables |= {f"called{k}": "boolean" for k in range(size)}
    here = "(" + every("|", [f"(at = {k} & called{k})" for k in range(size)]) + ")"
    free = f"!open & (done | !{here})"
    steps = [(f"{free} & up & at < {size - 1}", {"at": f"(at < {size - 1} ? at + 1 : at)", "done": "FALSE"}),
             (f"{free} & !up & at > 0", {"at": "(at > 0 ? at - 1 : at)", "done": "FALSE"}),
             (f"{free} & (up ? at = {size - 1} : at = 0)", {"up": "!up"}),
             ("open", {"open": "FALSE", "done": "TRUE"})]
    steps += [(f"!open & !done & at = {k} & called{k}", {f"called{k}": "FALSE", "open": "TRUE"}) for k in range(size)]
    steps += [(f"!called{k}", {f"called{k}": "TRUE"}) for k in range(size)]
    initial = "at = 0 & up & !open & !done & " + every("&", [f"!called{k}" for k in range(size)])
    claim = {"served": "".join(f"LTLSPEC G (called{k} -> F !called{k})\n" for k in range(size)),
             "never_stuck": "INVARSPEC " + every("|", [f"({guard})" for guard, _ in steps]),
             "not_all_call": "INVARSPEC !(" + every("&", [f"called{k}" for k in range(size)]) + ")"}[spec]
    return smv(variables, initial, steps, claim)


def nusmv_by_hand(family, fault, spec, size):
    """The text, or None if there is none by hand."""
    if family == "philosophers":
        return smv_philosophers(size, bool(fault), spec)
    if family == "stabilising_ring":
        return smv_ring(size, spec)
    return smv_elevator(size, spec) if family == "elevator" else None
