#!/usr/bin/env python3
"""Print a member of a scalable family of models (modern dialect) whose agents have channels of their own. Others are
models with a parameter, in `models/`.

    generate.py --list
    generate.py resource_allocation --clients 5 --group1 3 --group2 2 > allocation_5.rcp

Every family has one function, which returns the text of the model. Each spec has a `// name:` and an
`// expect:` line; the expected verdicts hold for all sizes that the arguments admit. Families with
`int` in their description have infinitely many states.
"""

import argparse
import sys
from textwrap import dedent


def spec(name, expect, formula):
    """A spec with its two directives."""
    return f"// name: {name}\n// expect: {expect}\nSPEC {formula};\n"


def system(instances):
    """The composition, from triples (type, name, initial condition)."""
    calls = (f"{kind}({name}, {init})" for kind, name, init in instances)
    return "system = " + "\n      || ".join(calls) + "\n"


def every(parts):
    """A conjunction."""
    return "(" + " & ".join(parts) + ")"


def some(parts):
    """A disjunction."""
    return "(" + " | ".join(parts) + ")"


def total(parts):
    """A sum."""
    return " + ".join(parts)


def document(header, body, instances, specs):
    """The whole model; `header` is its comment."""
    comment = "".join(f"// {line}\n" for line in header)
    return "\n".join([comment, dedent(body).strip() + "\n", system(instances), *specs])


ALLOCATION = """
    enum channel {{c, empty, g1, g2, t, {links}}}
    enum rolevals {{clnt, mgr, vm}}
    enum msgvals {{reserve, request, release, buy, connect, full, complete}}

    message-structure: MSG : msgvals, LNK : channel
    property-variables: pv : rolevals

    agent Client
        local: cLink : channel, mLink : channel, tLink : channel, role : rolevals
        init: (cLink = c) & (mLink = empty) & (tLink = t) & (role = clnt)
        relabel: pv <- role
        receive-guard: (chan = *) | (chan = cLink) | (chan = tLink)
        repeat: (
            (
                sReserve: {{cLink = c}} *! (@pv = role)(MSG := reserve)[]
                +
                rReserve: {{(cLink = c) & (MSG = reserve)}} *? [cLink := empty]
            )
            ;
            (
                (
                    sRequest: {{cLink != empty}} cLink! (@pv = mgr)(MSG := request)[];
                    rConnect: {{(mLink = empty) & (MSG = connect)}} cLink? [mLink := LNK];
                    sRelease: {{true}} *! (@pv = role)(MSG := release)[cLink := empty];
                    sBuy: {{mLink != empty}} mLink! (true)(MSG := buy)[mLink := empty];
                    (
                        sSolve: {{true}} tLink! (true)(MSG := complete)[]
                        +
                        rSolve: {{MSG = complete}} tLink? []
                    )
                )
                +
                rRelease: {{(cLink = empty) & (MSG = release)}} *? [cLink := c]
            )
        )

    agent Manager
        local: hLink : channel, sLink : channel, cLink : channel, role : rolevals
        init: (hLink = g1) & (sLink = g2) & (cLink = c) & (role = mgr)
        relabel: pv <- role
        receive-guard: (chan = *) | (chan = cLink) | (chan = hLink)
        repeat: (
            rRequest: {{MSG = request}} cLink? [];
            sForward: {{true}} hLink! (true)(MSG := request)[];
            (
                rConnect: {{MSG = connect}} cLink? []
                +
                (rep (
                    rFull: {{MSG = full}} hLink? [];
                    sRequest: {{true}} sLink! (true)(MSG := request)[]
                ))
            )
        )

    agent Machine
        local: gLink : channel, pLink : channel, cLink : channel, asgn : bool
        init: !asgn & (cLink = empty)
        relabel: pv <- vm
        receive-guard: (chan = *) | (chan = gLink) | (chan = pLink) | (chan = cLink)
        repeat: (
            (
                rForward: {{(cLink = empty) & (MSG = request)}} gLink? [cLink := c];
                (
                    sConnect: {{(cLink = c) & !asgn}} cLink! (true)(MSG := connect, LNK := pLink)[cLink := empty, asgn := true]
                    +
                    sFull: {{(cLink = c) & asgn}} gLink! (true)(MSG := full)[cLink := empty]
                    +
                    rConnect: {{(cLink = c) & (MSG = connect)}} cLink? [cLink := empty]
                    +
                    rFull: {{(cLink = c) & asgn & (MSG = full)}} gLink? [cLink := empty]
                )
            )
            +
            rBuy: {{MSG = buy}} pLink? []
        )
"""


def resource_allocation(clients, group1, group2):
    """Finite: the case study of STTT 2023 (`specs/resource_allocation`), as many machines as clients."""
    if group1 + group2 != clients:
        sys.exit("resource_allocation: --group1 + --group2 must be --clients")
    names = [f"client{k}" for k in range(1, clients + 1)]
    machines = [f"machine{k}" for k in range(1, clients + 1)]
    links = [f"vmm{k}" for k in range(1, clients + 1)]
    groups = ["g1"] * group1 + ["g2"] * group2
    instances = [("Client", name, "true") for name in names] + [("Manager", "manager", "true")]
    for machine, link, group in zip(machines, links, groups):
        instances.append(("Machine", machine, f"(gLink = {group}) & (pLink = {link})"))
    body = ALLOCATION.format(links=", ".join(links))
    header = [f"Resource allocation with {clients} clients, machines in groups of {group1} and {group2}."]
    specs = allocation_observations(names, machines) + allocation_labels(names, machines, group2)
    specs += allocation_reachability(names, machines)
    return document(header, body, instances, specs)


def allocation_observations(names, machines):
    """The formulas of STTT 2023, Sect. 5.2 and 6.3."""
    sends = "(sender = {0}) & (MSG = {1})".format
    complete = "<<(sender = k) & (MSG = complete)>> true"
    others = [
        f"(({name} = k) | ([[(sender != {name}) & (MSG = complete)]] {name}-rSolve))" for name in names
    ]
    linked = [f"(F ({name}-mLink != empty))" for name in names]
    connected = some(f"({machine}-cLink = c)" for machine in machines)
    reserved = f"G ([[{sends('client1', 'reserve')}]] (F (<<{sends('client1', '%s')}>> true)))"
    return [
        spec("reserve_then_request", "holds", reserved % "request"),
        spec("reserve_then_release", "holds", reserved % "release"),
        spec("request_then_connect", "holds",
             f"G ([[{sends('client1', 'request')}]] (F (<<MSG = connect>> (client1-mLink != empty))))"),
        spec("manager_connects_some_machine", "holds",
             f"G ([[{sends('manager', 'request')}]] {connected})"),
        spec("free_machine_connects", "holds",
             "forall k : Machine . G (!k-asgn -> (F (<<(sender = k) & (MSG = connect)>> true)))"),
        spec("joint_mission", "holds",
             f"exists k : Client . ((F (({complete}) & {every(others)})) & {every(linked)})"),
        spec("mission_and_links", "holds",
             f"exists k : Client . forall j : Client . ((F ({complete})) & (F (j-mLink != empty)))"),
    ]


def allocation_labels(names, machines, group2):
    """The formulas of the conference version, Sect. 5, and STTT 2023, Sect. 6.3 (2)."""
    linked = every(f"(F ({name}-mLink != empty))" for name in names)
    solved = some(f"{name}-sSolve" for name in names)
    specs = [
        spec("label_request_then_connect", "holds", "G (client1-sRequest -> (F client1-rConnect))"),
        spec("label_forward_reaches_machine1", "holds", "G (manager-sForward -> (X machine1-rForward))"),
        spec("label_release_disconnects", "holds", "F (client1-sRelease & (X (G !client1-rConnect)))"),
        spec("label_release_disconnects_as_written", "violated",
             "F (client1-sRelease & (G !client1-rConnect))"),
        spec("label_joint_mission", "holds", f"{linked} -> (F {solved})"),
    ]
    if group2 > 0:
        last = machines[-1]
        specs.append(spec("label_forward_reaches_last_machine", "violated",
                          f"G (manager-sForward -> (X {last}-rForward))"))
        specs.append(spec("manager_connects_all_machines", "violated",
                          "forall k : Machine . G ((<<(sender = manager) & (MSG = request)>> true)"
                          " -> ([[sender = manager]] (k-cLink = c)))"))
    return specs


def allocation_reachability(names, machines):
    """A state that no run reaches, and one that only long runs reach."""
    # States 1, 5 and 4 of a client: before its request, its connection and its release.
    session = "((({0}-automaton-state = 1) & ({0}-cLink = c)) | ({0}-automaton-state >= 4))".format
    both = (every([session(a), session(b)]) for i, a in enumerate(names) for b in names[:i])
    assigned = every(f"{machine}-asgn" for machine in machines)
    return [
        spec("one_session_at_a_time", "holds", f"G !{some(both)}"),
        spec("not_all_machines_assigned", "violated", f"G !{assigned}"),
    ]


def token_ring(nodes):
    """Int: a token that counts jobs travels around a ring (`specs/token_ring.rcp`)."""
    links = [f"link{k}" for k in range(1, nodes + 1)]
    names = [f"node{k}" for k in range(1, nodes + 1)]
    body = f"""
    enum channel {{{", ".join(links)}}}
    message-structure: COUNT : int

    agent Node
        local: left : channel, right : channel, token : bool, worked : bool, jobs : int, total : int
        init: !worked & (jobs = 0) & (total = 0)
        receive-guard: chan = left
        repeat: (
            work: {{token & !worked}} *! (false)(COUNT := total + 1)[jobs := jobs + 1, total := total + 1, worked := true]
            +
            pass: {{token}} right! (true)(COUNT := total)[token := false, worked := false]
            +
            take: {{!token}} left? [token := true, total := COUNT]
        )
    """
    instances = []
    for k, name in enumerate(names):
        holder = "token" if k == 0 else "!token"
        instances.append(("Node", name, f"(left = {links[k - 1]}) & (right = {links[k]}) & {holder}"))
    jobs = total(f"{name}-jobs" for name in names)
    specs = [
        spec("one_token", "holds",
             "forall k : Node . forall j : Node . (k = j) | (G !(k-token & j-token))"),
        spec("token_counts_all_jobs", "holds", f"forall k : Node . G (k-token -> (k-total = {jobs}))"),
        spec("token_comes_back", "holds", "forall k : Node . G (F k-token)"),
        spec("few_jobs", "violated", f"G (node1-total <= {nodes})"),
        spec("jobs_get_done", "violated", "F (node1-jobs > 0)"),
    ]
    return document([f"A token ring of {nodes} nodes."], body, instances, specs)


def pipeline(stages):
    """Int: items travel through a chain of stages, each holding at most one; counters at the ends."""
    links = [f"link{k}" for k in range(stages + 1)]
    body = f"""
    enum channel {{{", ".join(links)}}}
    message-structure: ITEM : int

    agent Source
        local: sent : int
        init: sent = 0
        receive-guard: chan = *
        repeat: emit: {{true}} link0! (true)(ITEM := sent)[sent := sent + 1]

    agent Stage
        local: left : channel, right : channel, full : bool, item : int
        init: !full & (item = -1)
        receive-guard: chan = left
        repeat: (
            load: {{!full}} left? [full := true, item := ITEM]
            +
            unload: {{full}} right! (true)(ITEM := item)[full := false]
        )

    agent Sink
        local: received : int
        init: received = 0
        receive-guard: chan = link{stages}
        repeat: absorb: {{ITEM = received}} link{stages}? [received := received + 1]
    """
    names = [f"stage{k}" for k in range(1, stages + 1)]
    instances = [("Source", "source", "true")]
    for k, name in enumerate(names):
        instances.append(("Stage", name, f"(left = {links[k]}) & (right = {links[k + 1]})"))
    instances.append(("Sink", "sink", "true"))
    specs = [
        spec("in_flight_fits", "holds",
             f"G ((source-sent >= sink-received) & (source-sent <= sink-received + {stages}))"),
        spec("in_order", "holds",
             f"G ({names[-1]}-full -> ({names[-1]}-item = sink-received))"),
        spec("never_stuck", "holds", "G !deadlock"),
        spec("items_arrive", "holds", "G (F sink-absorb)"),
        spec("one_item_less", "violated", f"G (source-sent < sink-received + {stages})"),
        spec("few_items", "violated", "G (sink-received < 2)"),
    ]
    return document([f"A pipeline of {stages} stages."], body, instances, specs)


# Family -> (its function, its sizes: name -> (default, smallest)).
PHILOSOPHERS = """
    message-structure: TAKE : bool

    agent Philosopher
        local: left : location, right : location, phase : 0..3
        init: phase = 0
        receive-guard: false
        repeat: (
            take_left: {phase = 0} GET@(left)(TAKE := true)[phase := 1]
            +
            take_right: {phase = 1} GET@(right)(TAKE := true)[phase := 2]
            +
            drop_left: {phase = 2} GET@(left)(TAKE := false)[phase := 3]
            +
            drop_right: {phase = 3} GET@(right)(TAKE := false)[phase := 0]
        )

    agent Fork
        local: free : bool
        init: free
        receive-guard: false
        repeat: (
            give: {free & TAKE} SUPPLY@(any)()[free := false]
            +
            take_back: {!free & !TAKE} SUPPLY@(any)()[free := true]
        )
"""


def philosophers(number, fault):
    """Finite: philosophers at a round table take two forks one after the other; without the fault the last one begins
    with the right fork."""
    names = range(1, number + 1)
    forks = {k: (k, k % number + 1) for k in names}
    if not fault:
        forks[number] = forks[number][::-1]
    instances = [("Philosopher", f"p{k}", f"left = f{left} & right = f{right}") for k, (left, right) in forks.items()]
    instances += [("Fork", f"f{k}", "true") for k in names]
    neighbours = [f"(p{k}-phase = 2 & p{k % number + 1}-phase = 2)" for k in names]
    specs = [
        spec("neighbours_do_not_eat_together", "holds", f"G !{some(neighbours)}"),
        spec("nobody_waits_for_everybody", "violated" if fault else "holds", "G !deadlock"),
        spec("the_first_one_thinks_again", "violated", "G F (p1-phase = 0)"),
    ]
    header = [f"{number} philosophers, " + ("all with the left fork first." if fault else "one with the right fork first.")]
    return document(header, PHILOSOPHERS, instances, specs)


STABILISING = """
    message-structure: V : 0..{most}

    agent Bottom
        local: before : location, x : 0..{most}
        receive-guard: false
        repeat: (
            move: {{V = x}} GET@(before)()[x := if x = {most} then 0 else x + 1]
            +
            show: {{true}} SUPPLY@(any)(V := x)[]
        )

    agent Node
        local: before : location, x : 0..{most}
        receive-guard: false
        repeat: (
            move: {{V != x}} GET@(before)()[x := V]
            +
            show: {{true}} SUPPLY@(any)(V := x)[]
        )
"""


def stabilising_ring(nodes):
    """Finite: Dijkstra's ring stabilises itself, from any state, to one privilege (CACM 1974, K-state)."""
    last = nodes - 1
    instances = [("Bottom", "n0", f"before = n{last}")]
    instances += [("Node", f"n{k}", f"before = n{k - 1}") for k in range(1, nodes)]
    privileges = [f"n0-x = n{last}-x", *(f"n{k}-x != n{k - 1}-x" for k in range(1, nodes))]
    one = total(f"(if {privilege} then 1 else 0)" for privilege in privileges)
    specs = [
        spec("somebody_has_a_privilege", "holds", f"G {some(f'({privilege})' for privilege in privileges)}"),
        spec("stabilises", "holds", f"F G ({one} = 1)"),
        spec("one_privilege_stays_one", "holds", f"G ({one} = 1 -> X ({one} = 1))"),
        spec("is_stable_from_the_start", "violated", f"G ({one} = 1)"),
    ]
    return document([f"A ring of {nodes} nodes with {nodes} values each."], STABILISING.format(most=last), instances, specs)


CHANG_ROBERTS = """
    message-structure: TOKEN : 0..{nodes}

    agent Node
        local: before : location, id : 1..{nodes}, token : 0..{nodes}, leader : bool
        init: token = id & !leader
        receive-guard: false
        repeat: (
            // Smaller numbers go no further, and a greater one waits until there is a place for it.
            drop: {{TOKEN < id}} GET@(before)()[]
            +
            take: {{token = 0 & TOKEN > id}} GET@(before)()[token := TOKEN]
            +
            elected: {{TOKEN = id}} GET@(before)()[leader := true]
            +
            pass: {{token != 0}} SUPPLY@(any)(TOKEN := token)[token := 0]
        )
"""


def chang_roberts(nodes):
    """Finite: the election of Chang and Roberts (CACM 1979) on a ring with the numbers 1 to n in any order."""
    names = range(1, nodes + 1)
    instances = [("Node", f"n{k}", f"before = n{(k - 2) % nodes + 1}") for k in names]
    specs = [
        spec("leaders_have_the_greatest_number", "holds", f"G (forall k : Node . k-leader -> k-id = {nodes})"),
        spec("the_greatest_number_is_not_dropped", "holds",
             f"G (exists k : Node . k-token = {nodes} | k-leader)"),
        spec("somebody_leads", "holds", "F (exists k : Node . k-leader)"),
        spec("the_first_one_leads_if_it_has_the_greatest_number", "holds", f"n1-id = {nodes} -> (F n1-leader)"),
        spec("nobody_leads", "violated", "G !(exists k : Node . k-leader)"),
        spec("the_first_one_leads", "violated", "F n1-leader"),
    ]
    differ = "    where forall k : Node . forall j : Node . k != j -> k-id != j-id\n"
    comment = f"An election on a ring of {nodes} nodes."
    return document([comment], CHANG_ROBERTS.format(nodes=nodes), instances, [differ, *specs])


def gossip(people):
    """Finite: each person has a secret; a call tells both all secrets of the other one."""
    names = range(1, people + 1)
    told = ", ".join(f"S{k} := k{k}" for k in names)
    heard = ", ".join(f"k{k} := k{k} | S{k}" for k in names)
    body = f"""
    message-structure: {", ".join(f"S{k} : bool" for k in names)}

    agent Person
        local: {", ".join(f"k{k} : bool" for k in names)}
        receive-guard: false
        repeat: (
            call: {{true}} GET@(true)({told})[{heard}]
            +
            answer: {{true}} SUPPLY@(any)({told})[{heard}]
        )
    """
    instances = [
        ("Person", f"p{k}", " & ".join(f"k{j}" if j == k else f"!k{j}" for j in names)) for k in names
    ]
    own = [f"p{k}-k{k}" for k in names]
    all_known = [f"p{k}-k{j}" for k in names for j in names]
    specs = [
        spec("nobody_forgets_the_own_secret", "holds", f"G {every(own)}"),
        spec("what_is_known_stays_known", "holds", "G (p1-k2 -> G p1-k2)"),
        spec("who_knows_a_secret_shares_one", "holds", "G (p1-k2 -> (" + " | ".join(f"p2-k{k}" for k in names if k != 2) + "))"),
        spec("not_everybody_knows_everything", "violated", f"G !{every(all_known)}"),
        spec("everybody_gets_to_know_everything", "violated", f"F {every(all_known)}"),
    ]
    return document([f"Gossip among {people} people."], body, instances, specs)


def packet_commit(participants):
    """Finite: two-phase commit over a network that keeps each packet until it is delivered; it has most of the state."""
    names = range(1, participants + 1)
    to_one = {"request": "STEP := ask", "commit": "STEP := commit", "abort": "STEP := abort"}
    to_desk = {"yes": "STEP := yes", "no": "STEP := no", "done": "STEP := done"}
    packets = [f"{kind}_{k}" for k in names for kind in [*to_one, *to_desk]]
    commands = [f"keep_{kind}: {{{data.replace(':=', '=')}}} net? [{', '.join(f'{kind}_{k} := true' for k in names)}]"
                for kind, data in to_one.items()]
    commands += [f"keep_{kind}_{k}: {{FROM = p{k} & {data.replace(':=', '=')}}} net? [{kind}_{k} := true]"
                 for k in names for kind, data in to_desk.items()]
    commands += [f"give_{kind}_{k}: {{{kind}_{k}}} c{k}! (true)({data})[{kind}_{k} := false]"
                 for k in names for kind, data in to_one.items()]
    commands += [f"give_{kind}_{k}: {{{kind}_{k}}} desk! (true)({data})[{kind}_{k} := false]"
                 for k in names for kind, data in to_desk.items()]
    between = "\n            +\n            "
    body = f"""
    enum channel {{net, desk, {", ".join(f"c{k}" for k in names)}}}
    enum step {{ask, yes, no, commit, abort, done}}
    enum outcome {{open, committed, aborted}}

    message-structure: FROM : location, STEP : step

    agent Coordinator
        local: agreed : 0..{participants}, ended : 0..{participants}, begun : bool, refused : bool, result : outcome
        init: !begun & agreed = 0 & ended = 0 & !refused & result = open
        receive-guard: chan = desk
        repeat: (
            start: {{!begun}} net! (true)(STEP := ask)[begun := true]
            +
            consent: {{STEP = yes}} desk? [agreed := agreed + 1]
            +
            objection: {{STEP = no}} desk? [refused := true]
            +
            end: {{STEP = done}} desk? [ended := ended + 1]
            +
            decide: {{agreed = {participants} & result = open}} net! (true)(STEP := commit)[result := committed]
            +
            give_up: {{refused & result = open}} net! (true)(STEP := abort)[result := aborted]
        )

    agent Participant
        local: own : channel, asked : bool, voted : bool, result : outcome
        init: !asked & !voted & result = open
        receive-guard: chan = own
        repeat: (
            listen: {{STEP = ask}} own? [asked := true]
            +
            agree: {{asked & result = open}} net! (true)(FROM := myself, STEP := yes)[asked := false, voted := true]
            +
            object: {{asked & result = open}} net! (true)(FROM := myself, STEP := no)[asked := false, result := aborted]
            +
            commits: {{STEP = commit}} own? [result := committed, asked := true]
            +
            aborts: {{STEP = abort}} own? [result := aborted, asked := true]
            +
            end: {{asked & result != open}} net! (true)(FROM := myself, STEP := done)[asked := false]
        )

    agent Network
        local: {", ".join(f"{packet} : bool" for packet in packets)}
        init: {" & ".join(f"!{packet}" for packet in packets)}
        receive-guard: chan = net
        repeat: (
            {between.join(commands)}
        )
    """
    instances = [("Coordinator", "coordinator", "true"), ("Network", "network", "true")]
    instances += [("Participant", f"p{k}", f"own = c{k}") for k in names]
    specs = [
        spec("agreement", "holds",
             "G (forall k : Participant . forall j : Participant . !(k-result = committed & j-result = aborted))"),
        spec("commits_are_unanimous", "holds",
             "G !(coordinator-result = committed & (exists k : Participant . !k-voted))"),
        spec("nobody_commits", "violated", "G (forall k : Participant . k-result != committed)"),
    ]
    return document([f"Two-phase commit of {participants} participants over a network."], body, instances, specs)


def mailbox(clients, places):
    """Finite: a server answers requests in the order in which they come to its mailbox, which has most of the state."""
    put = "\n            +\n            ".join(
        f"put_{k}: {{count = {k - 1}}} box? [place_{k} := OWN, count := {k}]" for k in range(1, places + 1))
    moved = ", ".join(f"place_{k} := place_{k + 1}" for k in range(1, places))
    body = f"""
    enum channel {{box, {", ".join(f"c{k}" for k in range(1, clients + 1))}}}
    message-structure: OWN : channel

    agent Client
        local: own : channel, waits : 0..{places}
        init: waits = 0
        receive-guard: chan = own
        repeat: (
            ask: {{waits < {places}}} box! (true)(OWN := own)[waits := waits + 1]
            +
            hear: {{waits > 0}} own? [waits := waits - 1]
        )

    agent Server
        local: count : 0..{places}, {", ".join(f"place_{k} : channel" for k in range(1, places + 1))}
        init: count = 0 & {" & ".join(f"place_{k} = *" for k in range(1, places + 1))}
        receive-guard: chan = box
        repeat: (
            {put}
            +
            answer: {{count > 0}} place_1! (true)()[count := count - 1, {moved}, place_{places} := *]
        )
    """
    instances = [("Server", "server", "true")]
    instances += [("Client", f"client{k}", f"own = c{k}") for k in range(1, clients + 1)]
    waiting = total(f"client{k}-waits" for k in range(1, clients + 1))
    specs = [
        spec("all_requests_are_in_the_box", "holds", f"G ({waiting} = server-count)"),
        spec("box_is_never_full", "violated", f"G (server-count < {places})"),
    ]
    return document([f"A mailbox with {places} places for {clients} clients."], body, instances, specs)


FAMILIES = {
    "resource_allocation": (resource_allocation, {"clients": (3, 2), "group1": (2, 1), "group2": (1, 0)}),
    "token_ring": (token_ring, {"nodes": (3, 2)}),
    "pipeline": (pipeline, {"stages": (3, 1)}),
    "philosophers": (philosophers, {"number": (5, 2), "fault": (1, 0)}),
    "chang_roberts": (chang_roberts, {"nodes": (3, 2)}),
    "gossip": (gossip, {"people": (3, 2)}),
    "packet_commit": (packet_commit, {"participants": (3, 2)}),
    "mailbox": (mailbox, {"clients": (2, 1), "places": (3, 2)}),
    "stabilising_ring": (stabilising_ring, {"nodes": (4, 2)}),
}


def parse_arguments():
    """The command line: one sub-command per family."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="list the families and their sizes")
    families = parser.add_subparsers(dest="family", metavar="family")
    for name, (function, sizes) in FAMILIES.items():
        family = families.add_parser(name, help=function.__doc__, description=function.__doc__)
        for size, (default, smallest) in sizes.items():
            family.add_argument(f"--{size}", type=int, default=default,
                                help=f"at least {smallest}; default {default}")
    return parser, parser.parse_args()


def main():
    """Print the list, or one model."""
    parser, arguments = parse_arguments()
    if arguments.list:
        for name, (function, sizes) in FAMILIES.items():
            print(name, *(f"--{size} {default}" for size, (default, _) in sizes.items()))
            print("   ", function.__doc__)
        return
    if arguments.family is None:
        parser.error("which family? (--list shows them)")
    function, sizes = FAMILIES[arguments.family]
    values = {size: getattr(arguments, size) for size in sizes}
    for size, (_, smallest) in sizes.items():
        if values[size] < smallest:
            parser.error(f"--{size} must be at least {smallest}")
    sys.stdout.write(function(**values))


if __name__ == "__main__":
    main()
