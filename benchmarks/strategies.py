#!/usr/bin/env python3
"""Scenarios of the literature on strategic abilities, of any size, in ISPL; and what MCMAS and `prove` say of them.

    strategies.py list                                    the scenarios and their sizes
    strategies.py write castles 3 3 2 3 > castles.ispl    one of them
    strategies.py compare --mcmas PROGRAM                 a selection, by the whole state
    strategies.py compare --mcmas PROGRAM --uniform       another one, with uniform strategies of the group of each formula
    strategies.py compare --mcmas PROGRAM gossip 4        one of them; without --mcmas, ours alone

By the whole state, all formulas of a model are asked in one process (MCMAS gets `-atlk 1`); with uniform strategies, each is
asked in one of its own, with the group that it begins with (`-uniform -ufgroup g -atlk 1`, and `--uniform=g`). The processes take
turns, and each gets so many seconds by the clock and so much memory.

`compare` prints a table in Markdown: verdicts (T, F, or ? where there is none, and why), seconds by the clock, of the processor,
and megabytes of both. Exit code 1 if verdicts differ.
"""

import argparse
import itertools
import os
import re
import resource
import signal
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

from run import ROOT, execute

# An agent. `variables` are pairs of a name and a type, `observed` those that all agents see (of the environment only), `sees` names
# of further variables of the environment; `protocol` are pairs of a condition and actions, `evolution` lines.
Agent = namedtuple("Agent", "name variables actions protocol evolution observed sees", defaults=((), ()))
# A formula with its name. `group` is the one with which it is asked for uniform strategies.
Formula = namedtuple("Formula", "name group text")
# `propositions` are pairs of a name and a condition, `groups` pairs of a name and agents. `single`: variables change one by one.
Model = namedtuple("Model", "comment agents propositions initial groups formulas single", defaults=(False,))

# One value, for agents that remember nothing: MCMAS wants a variable and a line of each agent.
NOTHING = ("mood", "{calm}")
STAYS = "mood = calm if mood = calm"


def every(parts):
    """A conjunction."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else "(" + " and ".join(parts) + ")"


def some(parts):
    """A disjunction."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else "(" + " or ".join(parts) + ")"


def exactly(count, facts):
    """That so many of the facts hold, None if that cannot be: half by half, so that it does not grow with the number of subsets."""
    facts = list(facts)
    if not 0 <= count <= len(facts):
        return None
    if len(facts) == 1:
        return facts[0] if count else f"!({facts[0]})"
    half = len(facts) // 2
    ways = ((exactly(number, facts[:half]), exactly(count - number, facts[half:])) for number in range(count + 1))
    return some(every(way) for way in ways if None not in way)


def section(name, lines, indent="  "):
    """A section of an agent or of the file."""
    return f"{indent}{name}\n" + "".join(f"{indent}  {line};\n" for line in lines) + f"{indent}end {name.rstrip(':')}\n"


def text_of_agent(agent):
    """The agent in ISPL."""
    text = f"\nAgent {agent.name}\n"
    if agent.observed:
        text += section("Obsvars:", (f"{name} : {kind}" for name, kind in agent.observed))
    if agent.sees:
        text += f"  Lobsvars = {{{', '.join(agent.sees)}}};\n"
    text += section("Vars:", (f"{name} : {kind}" for name, kind in agent.variables))
    text += f"  Actions = {{{', '.join(agent.actions)}}};\n"
    text += section("Protocol:", (f"{condition} : {{{', '.join(actions)}}}" for condition, actions in agent.protocol))
    return text + section("Evolution:", agent.evolution) + "end Agent\n"


def text_of(model, only=None):
    """The model in ISPL, with all its formulas or one."""
    formulas = model.formulas if only is None else [only]
    text = "".join(f"-- {line}\n" for line in model.comment)
    text += "Semantics = SingleAssignment;\n" if model.single else ""
    text += "".join(text_of_agent(agent) for agent in model.agents)
    text += "\n" + section("Evaluation", (f"{name} if {condition}" for name, condition in model.propositions), "")
    text += "\n" + section("InitStates", ["\n    and ".join(model.initial)], "")
    text += "\n" + section("Groups", (f"{name} = {{{', '.join(agents)}}}" for name, agents in model.groups), "")
    return text + "\nFormulae\n" + "".join(f"  -- name: {name}\n  {text};\n" for name, _, text in formulas) + "end Formulae\n"


def environment(variables=(), evolution=(), observed=(), actions=("none",)):
    """The environment, which may take each of its actions at any time."""
    return Agent("Environment", tuple(variables), actions, [("Other", actions)], list(evolution), tuple(observed))


def castles(first, second, third, strength):
    """Three castles with so many knights each, which strike at other castles, guard theirs (not twice in succession, that makes
    tired) or pause. A castle is weakened by each blow that no guard wards off, falls when its strength is gone, and then its knights do
    nothing. They see the strength of their own castle."""
    knights = {castle: [f"Knight{castle}{number}" for number in range(1, size + 1)]
               for castle, size in enumerate((first, second, third), 1)}
    lines, agents = [], []
    for castle, own in knights.items():
        wall = f"wall{castle}"
        blows = [f"{knight}.Action = strike{castle}" for other in knights if other != castle for knight in knights[other]]
        guards = [f"{knight}.Action = guard" for knight in own]
        through = {}
        for more in range(1, len(blows) + 1):
            ways = ((exactly(more + warded, blows), exactly(warded, guards)) for warded in range(len(guards) + 1))
            through[more] = some(every(way) for way in ways if None not in way)
        # Blows that leave something, and those that leave nothing.
        lines += [f"{wall} = {wall} - {more} if {wall} > {more} and {way}" for more, way in through.items() if more < strength]
        for left in range(1, min(strength, len(blows)) + 1):
            lines.append(f"{wall} = 0 if {wall} = {left} and {some(through[more] for more in through if more >= left)}")
        strikes = [f"strike{other}" for other in knights if other != castle]
        for knight in own:
            agents.append(Agent(knight, [("tired", "boolean")], [*strikes, "guard", "pause"], [
                (f"Environment.{wall} > 0 and tired = false", [*strikes, "guard", "pause"]),
                (f"Environment.{wall} > 0 and tired = true", [*strikes, "pause"]),
                (f"Environment.{wall} = 0", ["pause"]),
            ], ["tired = true if Action = guard", "tired = false if !(Action = guard)"], sees=[wall]))
    everyone = [agent.name for agent in agents]
    walls = [f"wall{castle}" for castle in knights]
    return Model(
        [f"Three castles of strength {strength} with {first}, {second} and {third} knights."],
        [environment([(wall, f"0..{strength}") for wall in walls], lines), *agents],
        [(f"fallen{castle}", f"Environment.wall{castle} = 0") for castle in knights],
        [f"Environment.{wall} = {strength}" for wall in walls] + [f"{knight}.tired = false" for knight in everyone],
        [("one", knights[1]), ("allies", knights[1] + knights[2]), ("three", knights[3]), ("everyone", everyone)],
        [
            Formula("allies_take_the_third", "allies", "<allies> F fallen3"),
            Formula("allies_take_the_third_first", "allies", "<allies> (!fallen1 U fallen3)"),
            Formula("the_first_can_stand", "one", "<one> G !fallen1"),
            Formula("the_third_can_stand", "three", "<three> G !fallen3"),
            Formula("together_two_fall", "everyone", "<everyone> F (fallen1 and fallen2)"),
            Formula("the_first_can_stand_ever_after", "one", "AG <one> G !fallen1"),
        ], single=True)


def bridge(cards, suits):
    """The end of a hand of bridge without trumps: declarer and dummy, so many cards in each hand, in so many suits. The declarer sees the
    dummy; how the other cards lie is unknown, and no one remembers tricks."""
    if cards * 4 % suits:
        sys.exit("bridge: the cards must be as many in each suit")
    size = cards * 4 // suits
    seats = {"s": "South", "w": "West", "n": "South", "e": "East"}
    after = dict(zip("swne", "wnes"))
    hidden = range(1, 4 * cards, 2)
    holds = {"s": range(4, 4 * cards + 1, 4), "n": range(2, 4 * cards, 4), "w": hidden, "e": hidden}
    action = {seat: "table" if seat == "n" else "lay" for seat in seats}

    def suit_of(card):
        return (card - 1) // size

    def in_suit(suit, top):
        return every([f"{top} > {suit * size}", f"{top} <= {(suit + 1) * size}"])

    def held(seat, card):
        """The variable that says so, as the player at the seat names it."""
        return f"Environment.north{card}" if seat == "n" else f"own{card}"

    def allowed(seat, card):
        """The suit that is led has to be followed, by who can."""
        ways = ["Environment.top = 0", in_suit(suit_of(card), "Environment.top")]
        for suit in range(suits):
            if suit != suit_of(card):
                others = [f"{held(seat, other)} = false" for other in holds[seat] if suit_of(other) == suit]
                ways.append(every([in_suit(suit, "Environment.top"), *others]))
        turn = [f"Environment.turn = {seat}", f"{held(seat, card)} = true"]
        return every(turn if suits == 1 else [*turn, some(ways)])

    def lays(seat, card):
        return f"{seats[seat]}.Action = {action[seat]}{card}"

    def wins(card):
        """That the card would be the best one so far; the first one is."""
        return some(["top = 0", every([f"top > {suit_of(card) * size}", f"top < {card}"])])

    plays = {seat: some(lays(seat, card) for card in holds[seat]) for seat in seats}
    takes = {seat: some(every([lays(seat, card), wins(card)]) for card in holds[seat]) for seat in seats}
    anyone, nobody_takes = some(plays.values()), f"!{some(takes.values())}"
    lines = []
    for seat in seats:
        lines += [
            f"turn = {after[seat]} if laid < 3 and {plays[seat]}",
            f"turn = {seat} if laid = 3 and {some([takes[seat], every([f'winner = {seat}', anyone, nobody_takes])])}",
            f"winner = {seat} if {takes[seat]}",
        ]
        lines += [f"top = {card} if laid < 3 and {every([lays(seat, card), wins(card)])}" for card in holds[seat]]
    ours = some([takes["s"], takes["n"], every([some(["winner = s", "winner = n"]), anyone, nobody_takes])])
    lines += [
        f"top = 0 if laid = 3 and {anyone}",
        f"laid = laid + 1 if laid < 3 and {anyone}",
        f"laid = 0 if laid = 3 and {anyone}",
        f"tricks = tricks + 1 if laid = 3 and {ours}",
        *(f"north{card} = false if {lays('n', card)}" for card in holds["n"]),
    ]
    observed = [("turn", "{s, w, n, e}"), ("winner", "{s, w, n, e}"), ("top", f"0..{4 * cards}"), ("laid", "0..3"), ("tricks", f"0..{cards}")]
    observed += [(f"north{card}", "boolean") for card in holds["n"]]
    agents = [environment([], lines, observed)]
    for name in ("South", "West", "East"):
        mine = [seat for seat in seats if seats[seat] == name]
        own = holds[mine[0]]
        agents.append(Agent(
            name, [(f"own{card}", "boolean") for card in own],
            [f"{action[seat]}{card}" for seat in mine for card in holds[seat]] + ["wait"],
            [(allowed(seat, card), [f"{action[seat]}{card}"]) for seat in mine for card in holds[seat]] + [("Other", ["wait"])],
            [f"own{card} = false if Action = lay{card}" for card in own]))
    initial = [f"Environment.{start}" for start in ("turn = s", "winner = s", "top = 0", "laid = 0", "tricks = 0")]
    initial += [f"Environment.north{card} = true" for card in holds["n"]] + [f"South.own{card} = true" for card in holds["s"]]
    initial += [f"(West.own{card} = true and East.own{card} = false or West.own{card} = false and East.own{card} = true)" for card in hidden]
    initial.append(exactly(cards, [f"West.own{card} = true" for card in hidden]))
    formulas = [Formula(f"declarer_takes_{count}", "declarer", f"<declarer> F took{count}") for count in range(1, cards + 1)]
    formulas.append(Formula("defenders_take_one", "defenders", f"<defenders> G !took{cards}"))
    return Model([f"The end of a hand of bridge: {cards} cards in each hand, {suits} suits."], agents,
                 [(f"took{count}", f"Environment.tricks >= {count}") for count in range(1, cards + 1)],
                 initial, [("declarer", ["South"]), ("defenders", ["West", "East"])], formulas, single=True)


def gossip(people):
    """Each person has a secret, and in each round calls another one or stays idle. A call reaches a person who is idle, and then both know
    what each of them knew. They see which secrets they know."""
    names = range(1, people + 1)

    def knows(one, secret):
        return f"p{one}_knows_{secret}"

    def talk(one, other):
        return some(f"(P{a}.Action = call{b} and P{b}.Action = idle)" for a, b in ((one, other), (other, one)))

    pairs = list(itertools.permutations(names, 2))
    lines = []
    for one, secret in pairs:
        ways = [talk(one, secret)]
        ways += [every([talk(one, other), f"{knows(other, secret)} = true"]) for other in names if other not in (one, secret)]
        lines.append(f"{knows(one, secret)} = true if {some(ways)}")
    agents = [environment([(knows(*pair), "boolean") for pair in pairs], lines)]
    for one in names:
        others = [other for other in names if other != one]
        actions = [f"call{other}" for other in others] + ["idle"]
        agents.append(Agent(f"P{one}", [NOTHING], actions, [("mood = calm", actions)], [STAYS],
                            sees=[knows(one, other) for other in others]))
    everything = {one: every(f"Environment.{knows(one, other)} = true" for other in names if other != one) for one in names}
    everyone = [f"P{one}" for one in names]
    return Model(
        [f"Gossip of {people} people."], agents,
        [("expert1", everything[1]), ("expert2", everything[2]), ("experts", every(everything.values())),
         ("told", f"Environment.{knows(1, 2)} = true")],
        [f"Environment.{knows(*pair)} = false" for pair in pairs] + [f"P{one}.mood = calm" for one in names],
        [("first", everyone[:1]), ("two", everyone[:2]), ("everyone", everyone), ("others", everyone[1:])],
        [
            Formula("everyone_learns_everything", "everyone", "<everyone> F experts"),
            Formula("two_learn_everything", "two", "<two> F (expert1 and expert2)"),
            Formula("one_learns_everything", "first", "<first> F expert1"),
            Formula("others_keep_something", "others", "<others> G !expert1"),
            Formula("one_is_told", "first", "<first> F told"),
            Formula("two_tell", "two", "<two> F told"),
        ], single=True)


def tian_ji(horses, free):
    """Tian Ji and the king race so many horses, each once; of equal horses either may win. The king begins with his fastest one and goes on
    in order, or with 1 chooses freely. All see how many races each has won. (MCMAS comes with a model of the story.)"""
    runs = range(1, horses + 1)

    def wins(one, other):
        """That the horse of one is at least as fast."""
        return some(every([f"{one}.Action = run{fast}", some(f"{other}.Action = run{slow}" for slow in range(1, fast + 1))]) for fast in runs)

    def chooser(name):
        return Agent(name, [(f"fresh{horse}", "boolean") for horse in runs], [*(f"run{horse}" for horse in runs), "rest"],
                     [(f"fresh{horse} = true", [f"run{horse}"]) for horse in runs] + [("Other", ["rest"])],
                     [f"fresh{horse} = false if Action = run{horse}" for horse in runs])

    king = chooser("King") if free else Agent(
        "King", [("turn", f"0..{horses}")], [*(f"run{horse}" for horse in runs), "rest"],
        [(f"turn = {horse}", [f"run{horse}"]) for horse in runs] + [("Other", ["rest"])], ["turn = turn - 1 if turn >= 1"])
    rested = [f"King.fresh{horse} = true" for horse in runs] if free else [f"King.turn = {horses}"]
    ours, theirs = "Environment.ours", "Environment.theirs"
    over = f"{ours} + {theirs} = {horses}"
    return Model(
        [f"Tian Ji races {horses} horses with the king, who " + ("chooses freely." if free else "begins with his fastest one.")],
        [environment([], [f"ours = ours + 1 if {wins('TianJi', 'King')}", f"theirs = theirs + 1 if {wins('King', 'TianJi')}"],
                     [("ours", f"0..{horses}"), ("theirs", f"0..{horses}")]), chooser("TianJi"), king],
        [("victory", f"{over} and {ours} > {theirs}"), ("defeat", f"{over} and {ours} < {theirs}"),
         ("not_ahead", f"{ours} <= {theirs}"), ("all_but_one", f"{ours} >= {horses - 1}")],
        [f"{ours} = 0", f"{theirs} = 0", *(f"TianJi.fresh{horse} = true" for horse in runs), *rested],
        [("tian_ji", ["TianJi"]), ("king", ["King"]), ("both", ["TianJi", "King"])],
        [
            Formula("tian_ji_wins", "tian_ji", "<tian_ji> F victory"),
            Formula("tian_ji_could_still_win", "tian_ji", "<tian_ji> G <tian_ji> F victory"),
            Formula("tian_ji_wins_from_behind", "tian_ji", "<tian_ji> (not_ahead U victory)"),
            Formula("tian_ji_wins_all_but_one", "tian_ji", "<tian_ji> F all_but_one"),
            Formula("the_king_wins", "king", "<king> F defeat"),
            Formula("the_king_does_not_lose", "king", "<king> G !victory"),
            Formula("they_agree_on_victory", "both", "<both> F victory"),
        ])


def train_gate(trains):
    """A number of trains ask at any time, and go through a tunnel at a green light; the gate shows a green light to one of them while no train is
    inside, or to none. (A standard example of alternating-time logic.)"""
    numbers = range(1, trains + 1)
    names = [f"Train{number}" for number in numbers]
    agents = [environment()]
    for number, name in zip(numbers, names):
        agents.append(Agent(name, [("place", "{outside, before, tunnel}")], ["ask", "go", "exit", "stay"], [
            ("place = outside", ["ask", "stay"]), ("place = before", ["go", "stay"]), ("place = tunnel", ["exit", "stay"]),
        ], [
            "place = before if Action = ask",
            f"place = tunnel if Action = go and Gate.Action = light{number}",
            "place = outside if Action = exit",
        ]))
    lights = [f"light{number}" for number in numbers]
    agents.append(Agent("Gate", [("inside", f"0..{trains}")], [*lights, "dark"],
                        [("inside = 0", [*lights, "dark"]), ("inside > 0", ["dark"])],
                        [f"inside = {number} if Action = {light} and {name}.Action = go" for number, light, name in zip(numbers, lights, names)]
                        + [f"inside = 0 if inside = {number} and {name}.Action = exit" for number, name in zip(numbers, names)]))
    crash = some(f"(tunnel{a} and tunnel{b})" for a, b in itertools.combinations(numbers, 2))
    return Model(
        [f"A gate before a tunnel, and {trains} trains."], agents,
        [(f"tunnel{number}", f"{name}.place = tunnel") for number, name in zip(numbers, names)],
        [f"{name}.place = outside" for name in names] + ["Gate.inside = 0"],
        [("first", names[:1]), ("gate", ["Gate"]), ("two", ["Train1", "Gate"]), ("trains", names), ("others", ["Gate", *names[1:]])],
        [
            Formula("no_crash", "gate", f"<gate> G !{crash}"),
            Formula("a_train_gets_in", "first", "<first> F tunnel1"),
            Formula("the_gate_gets_a_train_in", "gate", "<gate> F tunnel1"),
            Formula("both_get_the_train_in", "two", "<two> F tunnel1"),
            Formula("both_always_get_the_train_in", "two", "AG <two> F tunnel1"),
            Formula("trains_get_one_in", "trains", "<trains> F tunnel1"),
            Formula("others_keep_it_out", "others", "<others> G !tunnel1"),
            Formula("it_keeps_out", "first", "<first> G !tunnel1"),
            Formula("the_last_is_kept_out", "gate", f"AG (tunnel1 -> <gate> G !tunnel{trains})"),
        ])


def drones(number, places, fuel):
    """Drones on a ring of places, with a short cut from place 0 half round, each with fuel for so many moves. When a drone moves
    from place 1, wind may blow it to place 0. They are to visit all places; each sees where it is."""
    half, last = places // 2, places - 1
    flock = range(1, number + 1)
    moves = ["onward", "backward", "across"]
    lines, agents = [], []
    for one in flock:
        at, does = f"at{one}", f"Drone{one}.Action"
        for goal in range(places):
            steps = [((goal - 1) % places, "onward"), ((goal + 1) % places, "backward")] + [(0, "across")] * (goal == half)
            # Wind at place 1 takes all moves to place 0.
            ways = [f"({at} = {place} and {does} = {move}{' and Action = still' if place == 1 and goal else ''})" for place, move in steps]
            ways += [f"({at} = 1 and Action = wind and !({does} = hover))"] * (goal == 0)
            lines.append(f"{at} = {goal} if {some(ways)}")
        here = f"Environment.{at}"
        agents.append(Agent(f"Drone{one}", [("fuel", f"0..{fuel}")], [*moves, "hover"], [
            (f"fuel > 0 and {here} = 0", [*moves, "hover"]),
            (f"fuel > 0 and {here} > 0", [*moves[:2], "hover"]),
            ("fuel = 0", ["hover"]),
        ], ["fuel = fuel - 1 if fuel > 0 and !(Action = hover)"], sees=[at]))
    goals = range(1, places)
    lines += [f"visited{goal} = true if {some(f'at{one} = {goal}' for one in flock)}" for goal in goals]
    variables = [(f"at{one}", f"0..{last}") for one in flock] + [(f"visited{goal}", "boolean") for goal in goals]
    return Model(
        [f"A ring of {places} places, and {number} drones with fuel for {fuel} moves."],
        [environment(variables, lines, actions=("still", "wind")), *agents],
        [*((f"visited{goal}", f"Environment.visited{goal} = true") for goal in goals),
         ("complete", every(f"Environment.visited{goal} = true" for goal in goals)),
         ("home", "Environment.at1 = 0"), ("empty", "Drone1.fuel = 0")],
        [f"Environment.at{one} = 0" for one in flock] + [f"Environment.visited{goal} = false" for goal in goals]
        + [f"Drone{one}.fuel = {fuel}" for one in flock],
        [("first", ["Drone1"]), ("flock", [f"Drone{one}" for one in flock])],
        [
            Formula("one_gets_across", "first", f"<first> F visited{half}"),
            Formula("one_gets_to_the_last", "first", f"<first> F visited{last}"),
            Formula("all_places_are_visited", "flock", "<flock> F complete"),
            Formula("one_comes_back", "first", f"<first> F (visited{last} and home)"),
            Formula("one_keeps_fuel", "first", "<first> G !empty"),
            Formula("all_are_visited_with_fuel_left", "flock", "<flock> (!empty U complete)"),
        ], single=True)


def safe(codes, look):
    """A safe with one of so many codes, which a thief does not know and can try once; with 1, the thief may look it up before."""
    numbers = range(1, codes + 1)
    tries = [f"try{number}" for number in numbers]
    right = some(f"(Action = try{number} and Lock.Action = opens{number})" for number in numbers)
    wrong = some(f"(Action = try{number} and !(Lock.Action = opens{number}))" for number in numbers)
    lines = [f"door = open if {right}", f"door = alarmed if {wrong}"]
    variables = [("door", "{shut, open, alarmed}")]
    if look:
        variables.append(("note", "{blank, " + ", ".join(f"code{number}" for number in numbers) + "}"))
        lines += [f"note = code{number} if Action = look and Lock.Action = opens{number}" for number in numbers]
        tries.append("look")
    thief = Agent("Thief", variables, [*tries, "rest"], [("door = shut", tries), ("Other", ["rest"])], lines)
    lock = Agent("Lock", [("code", "{" + ", ".join(f"code{number}" for number in numbers) + "}")], [f"opens{number}" for number in numbers],
                 [(f"code = code{number}", [f"opens{number}"]) for number in numbers], ["code = code1 if code = code1"])
    return Model(
        [f"A safe with one of {codes} codes; the thief " + ("may look for it." if look else "does not know it.")],
        [environment(), thief, lock],
        [("open", "Thief.door = open"), ("alarmed", "Thief.door = alarmed"), ("tried", "!(Thief.door = shut)")],
        ["Thief.door = shut"] + (["Thief.note = blank"] if look else []),
        [("thief", ["Thief"]), ("both", ["Thief", "Lock"])],
        [
            Formula("the_thief_opens_it", "thief", "<thief> F open"),
            Formula("the_thief_opens_it_at_once", "thief", "<thief> X open"),
            Formula("the_thief_tries_well", "thief", "<thief> F (tried and !alarmed)"),
            Formula("both_open_it", "both", "<both> F open"),
            Formula("there_need_not_be_an_alarm", "thief", "<thief> G !alarmed"),
            Formula("the_thief_always_opens_it", "thief", "AG <thief> F open"),
            Formula("the_thief_knows_that_it_is_open", "thief", "<thief> F K(Thief, open)"),
        ], single=True)


def selene(voters):
    """A vote as with Selene: each of so many voters has a tracker, a board shows the vote of each tracker, and
    a coercer, who wants a vote for 1, asks the first voter for the tracker; the voter may show any."""
    numbers = range(1, voters + 1)
    votes = (1, 2)

    def cast(tracker, vote):
        return some(f"(tracker{number} = {tracker} and Voter{number}.Action = vote{vote})" for number in numbers)

    lines = [f"board{tracker} = {vote} if phase = voting and {cast(tracker, vote)}" for tracker in numbers for vote in votes]
    lines += ["phase = asking if phase = voting", "phase = after if phase = asking"]
    agents = [environment([(f"tracker{number}", f"1..{voters}") for number in numbers], lines,
                          [("phase", "{voting, asking, after}"), *((f"board{number}", "0..2") for number in numbers)])]
    for number in numbers:
        shows = [f"show{tracker}" for tracker in numbers] if number == 1 else []
        variables = [("vote", "0..2")] + ([("shown", f"0..{voters}")] if shows else [])
        protocol = [("Environment.phase = voting", ["vote1", "vote2"])]
        protocol += [("Environment.phase = asking", shows)] if shows else []
        evolution = [f"vote = {vote} if Action = vote{vote}" for vote in votes]
        evolution += [f"shown = {tracker} if Action = show{tracker}" for tracker in numbers if shows]
        agents.append(Agent(f"Voter{number}", variables, ["vote1", "vote2", *shows, "wait"], [*protocol, ("Other", ["wait"])], evolution,
                            sees=[f"tracker{number}"]))
    agents.append(Agent(
        "Coercer", [("heard", f"0..{voters}"), ("verdict", "{none, punished, spared}")], ["punish", "spare", "wait"],
        [("Environment.phase = after and verdict = none", ["punish", "spare"]), ("Other", ["wait"])],
        [*(f"heard = {tracker} if Voter1.Action = show{tracker}" for tracker in numbers),
         "verdict = punished if Action = punish", "verdict = spared if Action = spare"]))
    orders = (every(f"Environment.tracker{number} = {tracker}" for number, tracker in enumerate(order, 1))
              for order in itertools.permutations(numbers))
    initial = ["Environment.phase = voting", *(f"Environment.board{number} = 0" for number in numbers),
               *(f"Voter{number}.vote = 0" for number in numbers), "Voter1.shown = 0", "Coercer.heard = 0", "Coercer.verdict = none", some(orders)]
    return Model(
        [f"A vote with trackers, {voters} voters and a coercer."], agents,
        [("against", "Voter1.vote = 2"), ("after", "Environment.phase = after"), ("punished", "Coercer.verdict = punished"),
         ("spared", "Coercer.verdict = spared"),
         ("obedient", some(f"(Coercer.heard = {tracker} and Environment.board{tracker} = 1)" for tracker in numbers))],
        initial, [("voter", ["Voter1"]), ("friends", ["Voter1", "Voter2"]), ("coercer", ["Coercer"])],
        [
            Formula("a_voter_seems_obedient", "voter", "<voter> F (against and after and obedient)"),
            Formula("friends_seem_obedient", "friends", "<friends> F (against and after and obedient)"),
            Formula("the_coercer_punishes", "coercer", "<coercer> F (!against or punished)"),
            Formula("the_coercer_does_not_spare", "coercer", "<coercer> G !(against and spared)"),
            Formula("friends_keep_the_secret", "friends", "<friends> G !K(Coercer, against)"),
            Formula("a_voter_gives_it_away", "voter", "<voter> F (after and K(Coercer, against))"),
        ], single=True)


def pennies(rounds, agents, initial, score):
    """The common part of the three games of matching pennies; `score` is the variable with the wins of the matcher."""
    return Model(
        [f"Matching pennies, {rounds} rounds."], agents,
        [("won", f"{score} >= 1"), ("won_all", f"{score} = {rounds}"), ("lost_all", f"Environment.round = {rounds} and {score} = 0")],
        ["Environment.round = 0", *initial],
        [("matcher", ["Matcher"]), ("rival", ["Rival"]), ("both", ["Matcher", "Rival"])],
        [
            Formula("the_matcher_wins", "matcher", "<matcher> F won"),
            Formula("the_matcher_wins_all", "matcher", "<matcher> F won_all"),
            Formula("the_rival_prevents_it", "rival", "<rival> G !won"),
            Formula("both_agree_on_it", "both", "<both> F won_all"),
            Formula("the_rival_wins_all", "rival", "<rival> F lost_all"),
            Formula("nobody_can_do_anything", "matcher", "!<matcher> F won and !<rival> G !won"),
        ])


SIDES = ("heads", "tails")


def pennies_sim(rounds):
    """Matching pennies, so many rounds: both show a side at the same time, and the matcher wins if the sides are alike."""
    playing = f"Environment.round < {rounds}"
    protocol = [(playing, SIDES), ("Other", ["rest"])]
    alike = some(f"(Action = {side} and Rival.Action = {side})" for side in SIDES)
    matcher = Agent("Matcher", [("score", f"0..{rounds}")], [*SIDES, "rest"], protocol, [f"score = score + 1 if {alike}"])
    rival = Agent("Rival", [NOTHING], [*SIDES, "rest"], protocol, [STAYS])
    game = environment([], [f"round = round + 1 if round < {rounds}"], [("round", f"0..{rounds}")])
    return pennies(rounds, [game, matcher, rival], ["Matcher.score = 0", "Rival.mood = calm"], "Matcher.score")


def pennies_in_turn(rounds, seen):
    """The rival shows a side first, and the matcher sees it or not."""
    playing = f"Environment.round < {rounds}"
    game = environment(
        [("coin", "{none, heads, tails}")],
        [f"coin = {side} if coin = none and round < {rounds} and Rival.Action = {side}" for side in SIDES]
        + [f"round = round + 1 and coin = none if round < {rounds} and !(coin = none)"], [("round", f"0..{rounds}")])
    # The turn of the matcher begins after each step that is not an answer, also after the last round.
    ready = f"{playing} and {'!(Environment.coin = none)' if seen else 'answers = true'}"
    matcher = Agent("Matcher", [("answers", "boolean")], [*SIDES, "rest"], [(ready, SIDES), ("Other", ["rest"])], [
        "answers = true if answers = false",
        f"answers = false if answers = true and {some(f'Action = {side}' for side in SIDES)}",
    ], sees=["coin"] if seen else [])
    rival = Agent("Rival", [("shows", "{none, heads, tails}"), ("score", f"0..{rounds}")], [*SIDES, "rest"],
                  [(f"shows = none and {playing}", SIDES), ("Other", ["rest"])],
                  [f"shows = {side} if shows = none and Action = {side}" for side in SIDES]
                  + [f"shows = none and score = score + 1 if {some(f'(shows = {side} and Matcher.Action = {side})' for side in SIDES)}",
                     f"shows = none if {some(f'(shows = {side} and !(Matcher.Action = {side}))' for side in SIDES)}"])
    initial = ["Environment.coin = none", "Matcher.answers = false", "Rival.shows = none", "Rival.score = 0"]
    return pennies(rounds, [game, matcher, rival], initial, "Rival.score")


def pennies_seen(rounds):
    """Matching pennies, so many rounds: the rival shows a side first, and the matcher sees it and answers."""
    return pennies_in_turn(rounds, True)


def pennies_hidden(rounds):
    """Matching pennies, so many rounds: the rival hides a side first, and the matcher answers without having seen it."""
    return pennies_in_turn(rounds, False)


def voting(voters, candidates):
    """A number of voters vote for one of some candidates, and then hand a receipt to a coercer or say nothing; the coercer punishes or spares
    each, one after the other."""
    numbers, choices = range(1, voters + 1), range(1, candidates + 1)
    stages = ("chose", "told", "hid")
    agents = [environment()]
    for number in numbers:
        values = ["undecided"] + [f"{stage}{choice}" for stage in stages for choice in choices]
        agents.append(Agent(
            f"Voter{number}", [("ballot", "{" + ", ".join(values) + "}")],
            [*(f"choose{choice}" for choice in choices), *(f"tell{choice}" for choice in choices), "hide", "wait"],
            [("ballot = undecided", [f"choose{choice}" for choice in choices]),
             *((f"ballot = chose{choice}", [f"tell{choice}", "hide"]) for choice in choices), ("Other", ["wait"])],
            [line for choice in choices for line in (
                f"ballot = chose{choice} if Action = choose{choice}",
                f"ballot = told{choice} if Action = tell{choice}",
                f"ballot = hid{choice} if ballot = chose{choice} and Action = hide")]))
    variables, protocol, evolution, before = [], [], [], []
    receipts = ", ".join(f"receipt{choice}" for choice in choices)
    for number in numbers:
        heard, fate = f"heard{number}", f"fate{number}"
        variables += [(heard, f"{{nothing, silence, {receipts}}}"), (fate, "{unsettled, punished, spared}")]
        # The one that comes before is settled first.
        ready = every([*before, f"!({heard} = nothing)", f"{fate} = unsettled"])
        protocol.append((ready, [f"punish{number}", f"spare{number}"]))
        before.append(f"!({fate} = unsettled)")
        evolution += [f"{heard} = receipt{choice} if Voter{number}.Action = tell{choice}" for choice in choices]
        evolution += [f"{heard} = silence if Voter{number}.Action = hide",
                      f"{fate} = punished if Action = punish{number}", f"{fate} = spared if Action = spare{number}"]
    verbs = [f"{verb}{number}" for number in numbers for verb in ("punish", "spare")]
    agents.append(Agent("Coercer", variables, [*verbs, "wait"], [*protocol, ("Other", ["wait"])], evolution))

    def voted(number, choice):
        return some(f"Voter{number}.ballot = {stage}{choice}" for stage in stages)

    return Model(
        [f"A coercer, {voters} voters and {candidates} candidates."], agents,
        [("first_for_1", voted(1, 1)), ("first_for_2", voted(1, 2)), ("last_for_2", voted(voters, 2)),
         ("punished", "Coercer.fate1 = punished"), ("spared", "Coercer.fate1 = spared"), ("hidden", "Coercer.heard1 = silence")],
        [f"Voter{number}.ballot = undecided" for number in numbers]
        + [f"Coercer.heard{number} = nothing and Coercer.fate{number} = unsettled" for number in numbers],
        [("first", ["Voter1"]), ("voters", [f"Voter{number}" for number in numbers]), ("coercer", ["Coercer"]), ("pair", ["Voter1", "Coercer"])],
        [
            Formula("a_voter_is_spared", "first", "<first> F (first_for_1 and spared)"),
            Formula("a_voter_is_not_punished", "first", "<first> G !punished"),
            Formula("both_agree", "pair", "<pair> F (first_for_1 and spared)"),
            Formula("the_coercer_does_not_spare", "coercer", "<coercer> G !(first_for_2 and spared)"),
            Formula("the_coercer_gets_something", "coercer", "<coercer> F (first_for_1 or punished)"),
            Formula("a_voter_keeps_the_secret", "first", "<first> G !K(Coercer, first_for_2)"),
            Formula("a_voter_tells", "first", "<first> F K(Coercer, first_for_1)"),
            Formula("voters_keep_a_secret", "voters", "<voters> F (first_for_1 and last_for_2 and !K(Coercer, first_for_1))"),
            Formula("a_voter_hides_the_vote", "first", "<first> F (first_for_1 and hidden and !K(Coercer, first_for_1))"),
        ], single=True)


# The scenarios, each with its sizes and the least ones. Castles, drones, the end of a hand of bridge, voting and Selene are benchmarks
# of the papers on STV.
SCENARIOS = {
    "castles": (castles, {"first": 1, "second": 1, "third": 1, "strength": 1}),
    "bridge": (bridge, {"cards": 1, "suits": 1}),
    "gossip": (gossip, {"people": 2}),
    "tian_ji": (tian_ji, {"horses": 2, "free": 0}),
    "train_gate": (train_gate, {"trains": 2}),
    "drones": (drones, {"number": 1, "places": 3, "fuel": 1}),
    "safe": (safe, {"codes": 2, "look": 0}),
    "selene": (selene, {"voters": 2}),
    "pennies_sim": (pennies_sim, {"rounds": 1}),
    "pennies_seen": (pennies_seen, {"rounds": 1}),
    "pennies_hidden": (pennies_hidden, {"rounds": 1}),
    "voting": (voting, {"voters": 1, "candidates": 2}),
}
# The instances that are compared if none is named.
WHOLE_STATE = [
    ("castles", 3, 2, 2, 3), ("castles", 3, 3, 2, 3), ("castles", 3, 3, 3, 3),
    ("bridge", 2, 1), ("bridge", 3, 1), ("bridge", 3, 3), ("bridge", 4, 1),
    ("gossip", 3), ("gossip", 4), ("gossip", 5),
    ("tian_ji", 6, 0), ("tian_ji", 6, 1), ("tian_ji", 7, 0), ("tian_ji", 7, 1), ("tian_ji", 8, 0), ("tian_ji", 8, 1),
    ("train_gate", 11), ("train_gate", 12), ("train_gate", 13),
    ("drones", 4, 5, 3), ("drones", 4, 5, 4), ("drones", 4, 5, 5),
    ("safe", 64, 1),
    ("selene", 3), ("selene", 4),
    ("pennies_sim", 8), ("pennies_seen", 8), ("pennies_hidden", 8),
    ("voting", 3, 2), ("voting", 4, 2),
]
UNIFORM = [
    ("castles", 1, 1, 1, 3), ("castles", 1, 1, 1, 4),
    ("bridge", 2, 1), ("bridge", 2, 2), ("bridge", 3, 1),
    ("gossip", 3), ("gossip", 4), ("gossip", 5),
    ("tian_ji", 3, 0), ("tian_ji", 3, 1), ("tian_ji", 4, 0), ("tian_ji", 4, 1),
    ("train_gate", 6), ("train_gate", 7),
    ("drones", 1, 4, 3), ("drones", 1, 4, 4),
    ("safe", 4, 0), ("safe", 4, 1), ("safe", 8, 0), ("safe", 8, 1), ("safe", 16, 0), ("safe", 16, 1),
    ("selene", 2), ("selene", 3),
    ("pennies_sim", 2), ("pennies_sim", 3), ("pennies_seen", 2), ("pennies_hidden", 2), ("pennies_hidden", 3),
    ("voting", 2, 2), ("voting", 3, 2),
]
# How many seconds a process may outlive its limit.
PATIENCE = 10
THEIRS = {"TRUE": "T", "FALSE": "F"}
OURS = {"holds": "T", "violated": "F"}
# Verdicts, a letter for each formula; why there are not more; and what the process took.
Answer = namedtuple("Answer", "verdicts why wall seconds megabytes")


def build(name, sizes):
    """The model; says what is wrong with its sizes."""
    if name not in SCENARIOS:
        sys.exit(f"strategies.py: no scenario is called `{name}` (`list` shows them)")
    function, least = SCENARIOS[name]
    if len(sizes) != len(least) or any(size < smallest for size, smallest in zip(sizes, least.values())):
        sys.exit(f"strategies.py: {name} has the sizes " + ", ".join(f"{size} (at least {smallest})" for size, smallest in least.items()))
    return function(*sizes)


def run(command, arguments):
    """A process within the limits; gives what it printed, and what it took."""
    size = int(arguments.memory * 2**30)

    def confine():
        # An alarm outlives the start of a program, and ends it.
        signal.setitimer(signal.ITIMER_REAL, arguments.timeout)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return execute([str(word) for word in command], arguments.timeout + PATIENCE, confine)


def answer(done, pattern, letters, count):
    """The printed facts: pairs of a number and a word."""
    found = {int(number): letters.get(word, "?") for number, word in re.findall(pattern, done.output)}
    verdicts = "".join(found.get(number, "?") for number in range(1, count + 1))
    ended = "time" if done.code in (-signal.SIGALRM, -signal.SIGKILL) else f"exit code {done.code}"
    why = ended if "?" in verdicts else ""
    return Answer(verdicts, why, done.wall, done.seconds, done.megabytes)


def ask_mcmas(arguments, path, count, group):
    """All formulas of a file."""
    uniform = ["-uniform", "-ufgroup", group] if group else []
    done = run([arguments.mcmas, *uniform, "-atlk", "1", path], arguments)
    return answer(done, r"Formula number (\d+): .*, is (TRUE|FALSE) in the model", THEIRS, count)


def ask_prove(arguments, path, count, group):
    """The same of `prove`."""
    uniform = [f"--uniform={group}"] if group else []
    command = [arguments.binary, "prove", path, *uniform, "--jobs", "1", "--stats", "--quiet", "--timeout", f"{arguments.timeout:g}s"]
    return answer(run(command, arguments), r"stats: spec=(\d+) verdict=(\w+)", OURS, count)


def cells(asked):
    """The columns of a tool; empty if it was not asked."""
    if asked is None:
        return ["", "", "", ""]
    return [f"{asked.verdicts} {asked.why}".strip(), f"{asked.wall:.2f}", f"{asked.seconds:.2f}", f"{asked.megabytes:.0f}"]


def compare(arguments):
    """Prints the table; whether all verdicts agree."""
    # There is the library of the solver.
    os.environ.setdefault("LD_LIBRARY_PATH", str(ROOT / ".z3" / "lib"))
    chosen = [(arguments.scenario, *arguments.sizes)] if arguments.scenario else UNIFORM if arguments.uniform else WHOLE_STATE
    print("| model | formula | MCMAS | s | of processor | MB | `prove` | s | of processor | MB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    agree = True
    with tempfile.TemporaryDirectory() as folder:
        for name, *sizes in chosen:
            model = build(name, sizes)
            for title, group, only, count in questions(model, arguments.uniform):
                path = Path(folder, "_".join(map(str, (name, *sizes))) + ".ispl")
                path.write_text(text_of(model, only))
                theirs = ask_mcmas(arguments, path, count, group) if arguments.mcmas else None
                ours = ask_prove(arguments, path, count, group)
                print("| " + " | ".join([path.stem, title, *cells(theirs), *cells(ours)]) + " |", flush=True)
                if theirs and any({one, other} == {"T", "F"} for one, other in zip(theirs.verdicts, ours.verdicts)):
                    agree = False
                    print(f"strategies.py: {path.stem}, {title}: MCMAS says {theirs.verdicts}, `prove` {ours.verdicts}", file=sys.stderr)
    return agree


def questions(model, uniform):
    """The work of one process: its title, the group, the formula if it is one, and how many it is."""
    if not uniform:
        return [(f"all {len(model.formulas)}", None, None, len(model.formulas))]
    return [(f"{formula.group}: {formula.name}", formula.group, formula, 1) for formula in model.formulas]


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="list the scenarios and their sizes")
    writing = commands.add_parser("write", help="print a model")
    writing.add_argument("scenario")
    writing.add_argument("sizes", type=int, nargs="+")
    comparing = commands.add_parser("compare", help="ask MCMAS and `prove`")
    comparing.add_argument("--mcmas", metavar="PROGRAM", help="without it, `prove` alone")
    comparing.add_argument("--binary", type=Path, default=ROOT / "target/release/rcheck-smt")
    comparing.add_argument("--uniform", action="store_true", help="uniform strategies of the group of each formula")
    comparing.add_argument("--timeout", type=float, default=60, metavar="S", help="of each process, by the clock (default: 60)")
    comparing.add_argument("--memory", type=float, default=8, metavar="GB", help="of each process (default: 8)")
    comparing.add_argument("scenario", nargs="?")
    comparing.add_argument("sizes", type=int, nargs="*")
    return parser.parse_args()


def main():
    """Lists, writes or compares."""
    arguments = parse_arguments()
    if arguments.command == "list":
        for name, (function, least) in SCENARIOS.items():
            print(name, *least)
            print("   ", " ".join(function.__doc__.split()))
    elif arguments.command == "write":
        sys.stdout.write(text_of(build(arguments.scenario, arguments.sizes)))
    else:
        sys.exit(0 if compare(arguments) else 1)


if __name__ == "__main__":
    main()
