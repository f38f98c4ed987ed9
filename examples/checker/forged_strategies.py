"""Forged certificates about strategies. See test.py."""

from __future__ import annotations

import copy
from typing import Any, Callable

Certificate = dict[str, Any]
Forgery = Callable[[Certificate], None]

MODELS = {
    "explicit": ["strategies/blind", "strategies/client", "strategies/key_value_store", "strategies/mutual_exclusion",
                 "strategies/trains", "strategies/voter", "taking", "counting", "answering"],
    "pdr": ["strategies/auction"],
}

RADIO = ("explicit", "strategies/blind", "with_a_radio")
VIEW = ("explicit", "strategies/blind", "with_a_view_of_the_gate")
FOG = ("explicit", "strategies/blind", "in_the_fog")
KEEPER = ("explicit", "strategies/blind", "together_with_the_keeper")
GATE = ("explicit", "strategies/blind", "once_the_gate_is_open")
TURNS = ("explicit", "strategies/mutual_exclusion", "in_turns")
TRAINS = ("explicit", "strategies/trains", "both_pass")
SECRET = ("explicit", "strategies/voter", "votes_in_secret")
PROOF = ("explicit", "strategies/voter", "proves_how")
WINS = ("pdr", "strategies/auction", "anna_can_win")
LOOKS = ("explicit", "taking", "looks_at_the_message")
REFUSES = ("explicit", "taking", "cannot_refuse")
SERVES = ("explicit", "taking", "serves_well")
COULD = ("explicit", "taking", "one_step_takes_one")
COULD_NOT = ("explicit", "taking", "asks_for_more")
HEARS = ("explicit", "taking", "hears")
ANSWERS = ("explicit", "answering", "answers_well")
STOPS = ("explicit", "counting", "not_by_stopping")
TOLD = ("explicit", "counting", "if_it_is_told")


# ------------------------------------------------------------------ the evidence

def strategies(certificate: Certificate) -> dict:
    return certificate["evidence"]["strategies"]


def can(certificate: Certificate) -> dict:
    return strategies(certificate)["answers"][0]["can"]


def cannot(certificate: Certificate) -> dict:
    return strategies(certificate)["answers"][0]["cannot"]


def piece(certificate: Certificate) -> dict:
    return strategies(certificate)["pieces"][0]


def first(field: str, value: Any) -> Forgery:
    """Sets a field of the first refusal."""
    return of(can, "refused", 0, field, value)


def of(part: Callable[[Certificate], Any], *path: Any) -> Forgery:
    """Sets the field at a path inside of a part of the evidence; the last element is the new value."""
    def forge(certificate: Certificate) -> None:
        place = part(certificate)
        for key in path[:-2]:
            place = place[key]
        place[path[-2]] = path[-1]
    return forge


def without(part: Callable[[Certificate], Any], *path: Any) -> Forgery:
    """Removes the field, or the element of a list, at a path inside of a part of the evidence."""
    def forge(certificate: Certificate) -> None:
        place = part(certificate)
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
    return forge


def both(*forgeries: Forgery) -> Forgery:
    def forge(certificate: Certificate) -> None:
        for one in forgeries:
            one(certificate)
    return forge


def answer(value: Any) -> Forgery:
    return lambda certificate: of(strategies, "answers", [copy.deepcopy(value)])(certificate)


def other_verdict(certificate: Certificate) -> None:
    certificate["verdict"] = "violated" if certificate["verdict"] == "holds" else "holds"


# ------------------------------------------------------------- strategies that are

def refused_as_well(agent: str, command: int, when: str) -> Forgery:
    return lambda certificate: can(certificate)["refused"].append({"agent": agent, "command": command, "when": when})


def swapped_commands(certificate: Certificate) -> None:
    """Decisions against all other commands than those that are not taken."""
    for decision in can(certificate)["not-taken"]:
        decision["command"] = {0: 2, 1: 0, 2: 1}[decision["command"]]


def nothing_is_taken(certificate: Certificate) -> None:
    """Decides against every command for some message."""
    decisions = can(certificate)["not-taken"]
    for number in range(len({d["command"] for d in decisions}) + 1):
        if not any(d["command"] == number and d["message"] == decisions[0]["message"] for d in decisions):
            decisions.append(decisions[0] | {"command": number})


def message(field: str, value: Any) -> Forgery:
    return of(can, "not-taken", 0, "message", field, value)


# ---------------------------------------------------------- strategies that fail

def stronger_learnt(certificate: Certificate) -> None:
    cannot(certificate)["learnt"] = [clause[:1] for clause in cannot(certificate)["learnt"]]


def only_the_first_failure(certificate: Certificate) -> None:
    del cannot(certificate)["failures"][1:]


def failures_at_once(certificate: Certificate) -> None:
    """Runs of their first state only."""
    for failure in cannot(certificate)["failures"]:
        trace = failure["trace"]
        trace.pop("loop", None)
        trace["steps"], trace["states"] = [], trace["states"][:1]


def failures_of_others(certificate: Certificate) -> None:
    """Exchanges the strategies of the first two failures."""
    failures = cannot(certificate)["failures"]
    failures[0]["refused"], failures[1]["refused"] = failures[1]["refused"], failures[0]["refused"]


def no_loops(certificate: Certificate) -> None:
    for failure in cannot(certificate)["failures"]:
        failure["trace"].pop("loop", None)


def stuck_failures(certificate: Certificate) -> list[dict]:
    return [f for f in cannot(certificate)["failures"] if "stuck" in f]


def not_stuck(certificate: Certificate) -> None:
    for failure in stuck_failures(certificate):
        del failure["stuck"]


def stuck_with(field: str, value: Any) -> Forgery:
    def forge(certificate: Certificate) -> None:
        for failure in stuck_failures(certificate):
            failure[field] = copy.deepcopy(value)
    return forge


def stuck_everywhere(certificate: Certificate) -> None:
    """Says that the strategy which refuses nothing is stuck, by the evidence for another one."""
    stuck = stuck_failures(certificate)[0]
    cannot(certificate)["failures"] = [stuck | {"refused": []}]


def stuck_state(certificate: Certificate) -> None:
    for failure in stuck_failures(certificate):
        for state in failure["trace"]["states"]:
            state["server"]["odd"] = True


def hears_wrongly(certificate: Certificate) -> None:
    """Proves that there is no strategy, by a loop on which a member always hears something else.

    The speaker's local is not kept, as the listener reads no data. But its decisions do: it can take the first two
    words by `one` and all others by `two`.
    """
    words = ["first", "second", "other"]
    decisions = [{"agent": "ear", "command": command, "locals": {"got": got},
                  "message": {"channel": "*", "data": {"N": 0, "WORD": words[got]}}}
                 for got in (0, 1) for command in (0, 1)]
    failures = [{"refused": [], "trace": spoken([0, 0], 1)}, {"refused": [0], "trace": spoken([1])},
                {"refused": [2], "trace": spoken([0, 1])}]
    cannot_ = {"cannot": {"decisions": decisions, "failures": failures, "learnt": []}}
    certificate["verdict"] = "violated"
    certificate["evidence"] = {"strategies": {"answers": [cannot_], "rest": {"trace": spoken([])}}}


def spoken(commands: list[int], loop: int | None = None) -> dict:
    """A run on which nothing happens but that the listener takes words by these of its commands."""
    words = ["first", "second", "other"]
    states, steps, got = [], [], 0
    for n in range(len(commands) + 1):
        states.append({"asker": {"automaton-state": 0, "sent": 0}, "reader": {"automaton-state": 0, "got": 0},
                       "desk": {"automaton-state": 0, "served": 0}, "speaker": {"automaton-state": 0, "next": words[n]},
                       "ear": {"automaton-state": 0, "got": got}})
        if n < len(commands):
            steps.append({"kind": "broadcast", "sender": {"instance": "speaker", "command": "say"}, "channel": "*",
                          "data": {"N": 0, "WORD": words[n]},
                          "receivers": [{"instance": "ear", "command": ["one", "two"][commands[n]]}]})
            got = commands[n] + 1
    trace = {"format": "rcheck-smt trace", "version": 1, "states": states, "steps": steps}
    return trace if loop is None else trace | {"loop": loop}


# ----------------------------------------------------------------------- pieces

def views(certificate: Certificate) -> list[dict]:
    return piece(certificate)["views"]


def swapped_answers(certificate: Certificate) -> None:
    found = views(certificate)
    answers = [v["answer"] for v in found]
    for view, other in zip(found, answers[1:] + answers[:1]):
        view["answer"] = other


def fewer_states(kind: str) -> Forgery:
    """Removes a state of each view with this answer."""
    def forge(certificate: Certificate) -> None:
        for view in views(certificate):
            if kind in view["answer"]:
                view["states"].pop()
    return forge


def more_states(certificate: Certificate) -> None:
    """Adds states of other views to each view."""
    every = [s for view in views(certificate) for s in view["states"]]
    for view in views(certificate):
        view["states"] = copy.deepcopy(every)


# ------------------------------------------------------------------------- games

def games(certificate: Certificate) -> dict:
    evidence = certificate["evidence"]
    labels = evidence["labels"] if "labels" in evidence else evidence["labelled-states"]["labels"]
    return labels["games"][0]


def ranked(change: Callable[[Any], Any]) -> Forgery:
    def forge(certificate: Certificate) -> None:
        games(certificate)["ranks"] = [change(r) for r in games(certificate)["ranks"]]
    return forge


def answers_nobody_else(certificate: Certificate) -> None:
    """Says that the desk can avoid the step to the second state, as if it could refuse one of two equal gets."""
    labels = certificate["evidence"]["labelled-states"]["labels"]
    labels["games"] = [{"ranks": [None, 0]}]
    labels["conjuncts"] = [{
        "graph": 0, "received": [[]], "obligations": [[{"subformula": 3, "truth": False}]], "reasons": ["passing"],
        "ranks": [{"within": None, "order": 0, "why": 0}],
        "members": {"rows": [[0, 0, 0]], "ranks": {"each": [0]}}}]
    certificate["verdict"] = "holds"
    certificate["evidence"] = {"labels": labels}


FORGERIES: list[tuple[tuple[str, str, str], str, Forgery]] = [
    (RADIO, "the other verdict", other_verdict),
    (RADIO, "everything is offered", of(can, "refused", [])),
    (RADIO, "nothing is offered", refused_as_well("bert", 0, "true")),
    (RADIO, "offered where it should not be", first("when", "bert-called")),
    (RADIO, "a condition that is none", first("when", "0")),
    (RADIO, "a condition on others", first("when", "(not keeper-open)")),
    (RADIO, "a condition on the automaton", first("when", "(= bert-automaton-state 1)")),
    (RADIO, "a condition on two types", first("when", "(= bert-at channel.*)")),
    (RADIO, "refused by no member", refused_as_well("keeper", 0, "false")),
    (RADIO, "a message is refused", refused_as_well("bert", 1, "false")),
    (RADIO, "a command that does not exist", refused_as_well("bert", 2, "false")),
    (RADIO, "no evidence", of(can, "evidence", [])),
    (RADIO, "evidence twice", lambda c: can(c)["evidence"].append(can(c)["evidence"][0])),
    (RADIO, "evidence for what remains", lambda c: of(can, "evidence", [strategies(c)["rest"]])(c)),
    (RADIO, "strategies in strategies", lambda c: of(can, "evidence", [c["evidence"]])(c)),
    (RADIO, "no answer", of(strategies, "answers", [])),
    (RADIO, "an answer twice", lambda c: strategies(c)["answers"].append(strategies(c)["answers"][0])),
    (RADIO, "no reason", both(answer({"cannot": {"decisions": [], "failures": [], "learnt": []}}), other_verdict)),
    (RADIO, "a clause without reason",
     both(answer({"cannot": {"decisions": [], "failures": [], "learnt": [[]]}}), other_verdict)),
    (RADIO, "nothing remains", without(strategies, "rest")),
    (RADIO, "a piece that is not there", of(strategies, "pieces", [{"condition": "true", "views": []}])),
    (RADIO, "another kind", lambda c: c.update(evidence=strategies(c)["rest"])),
    (FOG, "the other verdict", other_verdict),
    (FOG, "one strategy fails", only_the_first_failure),
    (FOG, "no strategy fails", of(cannot, "failures", [])),
    (FOG, "strategies of other runs", failures_of_others),
    (FOG, "nothing happens", failures_at_once),
    (FOG, "without loops", no_loops),
    (FOG, "a value on a run", of(cannot, "failures", 0, "trace", "states", 1, "anna", "at", "through")),
    (FOG, "another loop", of(cannot, "failures", 0, "trace", "loop", 0)),
    (FOG, "a decision elsewhere", of(cannot, "decisions", 0, "locals", {"at": "through"})),
    (FOG, "a decision of no member", of(cannot, "decisions", 0, "agent", "bert")),
    (FOG, "a decision about a message", of(cannot, "decisions", 0, "message", {"data": {}})),
    (FOG, "no decisions", of(cannot, "decisions", [])),
    (FOG, "a literal that is none", of(cannot, "learnt", [[0]])),
    (FOG, "an answer without reason", answer({"can": {"refused": [], "evidence": []}})),
    (FOG, "stuck where nothing is assumed", of(cannot, "failures", 1, "stuck", {"exploration": {}})),
    (KEEPER, "nothing is learnt", of(cannot, "learnt", [])),
    (KEEPER, "a clause that does not follow", of(cannot, "learnt", [[]])),
    (KEEPER, "a decision elsewhere", of(cannot, "decisions", 2, "locals", {"open": True})),
    (KEEPER, "a channel of a get", of(cannot, "decisions", 0, "message", "channel", "*")),
    (TURNS, "everything is offered", of(can, "refused", [])),
    (TURNS, "one refusal is forgotten", without(can, "refused", 0)),
    (TRAINS, "nothing is learnt", of(cannot, "learnt", [])),
    (TRAINS, "more is learnt", stronger_learnt),
    (TRAINS, "one strategy fails", only_the_first_failure),
    (GATE, "true everywhere", of(piece, "condition", "true")),
    (GATE, "true nowhere", of(piece, "condition", "false")),
    (GATE, "a view is missing", without(piece, "views", 0)),
    (GATE, "no views", of(piece, "views", [])),
    (GATE, "fewer states to reckon with", fewer_states("can")),
    (GATE, "more states to reckon with", more_states),
    (GATE, "other answers", swapped_answers),
    (GATE, "no reason", without(piece, "views")),
    (GATE, "no pieces", of(strategies, "pieces", [])),
    (GATE, "the condition is equivalent", lambda c: piece(c).update(equivalent=strategies(c)["rest"])),
    (SECRET, "true everywhere", of(piece, "condition", "true")),
    (SECRET, "true of a local", of(piece, "condition", "(= anna-vote party.red)")),
    (SECRET, "a condition that is none", of(piece, "condition", "anna-vote")),
    (SECRET, "a strategy that tells", of(can, "refused", [])),
    (SECRET, "views of knowledge", both(of(piece, "views", []), without(piece, "equivalent"))),
    (PROOF, "true everywhere", of(piece, "condition", "true")),
    (PROOF, "nothing is learnt", of(cannot, "learnt", [])),
    (WINS, "everything is offered", of(can, "refused", [])),
    (WINS, "a condition on others", first("when", "bert-turn")),
    (WINS, "no clauses", of(can, "evidence", 0, "invariants", 0, "clauses", [])),
    (LOOKS, "messages are taken by any command", without(can, "not-taken")),
    (LOOKS, "a decision is forgotten", without(can, "not-taken", 0)),
    (LOOKS, "other decisions", swapped_commands),
    (LOOKS, "a message is refused", nothing_is_taken),
    (LOOKS, "another channel", message("channel", "*")),
    (LOOKS, "less data", message("data", {"N": 0})),
    (LOOKS, "no channel", lambda c: can(c)["not-taken"][0]["message"].pop("channel")),
    (LOOKS, "supplies for a message", message("ready", [0])),
    (LOOKS, "a value that does not exist", message("data", {"N": 2, "WORD": "other"})),
    (REFUSES, "one strategy fails", only_the_first_failure),
    (SERVES, "messages are taken by any command", without(can, "not-taken")),
    (SERVES, "other supplies are ready", message("ready", [1])),
    (SERVES, "no supplies are ready", message("ready", [])),
    (SERVES, "a message is refused", nothing_is_taken),
    (HEARS, "a loop on which other data are heard", hears_wrongly),
    (STOPS, "strategies that count", not_stuck),
    (STOPS, "no evidence that they do not", stuck_with("stuck", {"exploration": {"graphs": [], "parts": []}})),
    (STOPS, "stuck whatever is offered", stuck_everywhere),
    (STOPS, "stuck elsewhere", stuck_state),
    (STOPS, "one strategy fails", only_the_first_failure),
    (STOPS, "the assumption is always possible", of(piece, "condition", "true")),
    (STOPS, "the assumption is never possible", of(piece, "condition", "false")),
    (TOLD, "no evidence that it counts", lambda c: can(c)["evidence"].pop()),
    (TOLD, "the server stops", refused_as_well("server", 0, "true")),
    (VIEW, "no ranks", of(games, "ranks", [])),
    (VIEW, "no state has a rank", ranked(lambda r: None)),
    (VIEW, "each state has a rank", ranked(lambda r: r or 0)),
    (VIEW, "ranks do not go down", ranked(lambda r: r if r is None else 1)),
    (VIEW, "ranks go up", ranked(lambda r: r if r is None else 100 - r)),
    (VIEW, "a rank is missing", lambda c: games(c)["ranks"].pop()),
    (VIEW, "fair sets", lambda c: games(c).update(fair=[{"inside": [], "outside": [], "stages": []}])),
    (VIEW, "no games", lambda c: c["evidence"]["labels"].pop("games")),
    (VIEW, "the other verdict", other_verdict),
    (COULD, "no state has a rank", ranked(lambda r: None)),
    (COULD, "each state has a rank", ranked(lambda r: r or 0)),
    (ANSWERS, "one of two gets is refused", answers_nobody_else),
    (COULD_NOT, "each state has a rank", ranked(lambda r: r or 0)),
]

# Changes of nothing that matters.
HARMLESS: list[tuple[tuple[str, str, str], str, Forgery]] = [
    (RADIO, "refused where it is not possible", refused_as_well("bert", 0, "(= bert-at place.through)")),
    (FOG, "a clause that follows at once", of(cannot, "learnt", [[], [1, -1], [7]])),
    (FOG, "a strategy fails twice", lambda c: cannot(c)["failures"].append(cannot(c)["failures"][0])),
    (KEEPER, "a decision that is never asked for", of(cannot, "decisions", 0, "message", "ready", [0])),
    (REFUSES, "without loops", no_loops),
    (GATE, "a view twice", lambda c: views(c).append(views(c)[0])),
    (VIEW, "ranks further apart", ranked(lambda r: r if r is None else 10 * r)),
]
