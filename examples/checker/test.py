#!/usr/bin/env python3
"""Tests of the checker: it accepts certificates of the tool, and refuses forged ones.

Usage: RCHECK=path/to/rcheck-smt python3 examples/checker/test.py
RCHECK_SOLVER is the solver, `z3 -in` if it is not set.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
SPECS = HERE.parent.parent / "specs"
sys.path.insert(0, str(HERE))

import check  # noqa: E402
import evidence  # noqa: E402
import forged_models  # noqa: E402
import forged_strategies  # noqa: E402
from clauses import Solver  # noqa: E402
from outcome import BadInput, Refused, Unsupported  # noqa: E402

RCHECK = os.environ.get("RCHECK", "")
COMMAND = shlex.split(os.environ.get("RCHECK_SOLVER", "z3 -in"))
SOLVER = Solver(COMMAND, 30)

MODELS = {
    "explicit": ["features/label_timing", "features/fairness", "features/observations", "features/temporal_operators",
                 "features/initial_restriction", "token_ring", "knowledge/bit_transmission", "features/rep_classic"],
    "pdr": ["bank", "features/fairness", "features/get_supply_data", "features/conditionals",
            "features/precedence_classic", "knowledge/versions"],
    "kind": ["features/arithmetic", "features/numbering_modern", "features/label_timing"],
}
for engine_, names_ in forged_strategies.MODELS.items():
    MODELS[engine_] += names_

Certificate = dict[str, Any]
Forgery = Callable[[Certificate], None]


def model(name: str) -> Path:
    return SPECS / f"{name}.rcp"


def text_of(name: str) -> str:
    """The text of a model in `specs/`, or of one that is in these tests."""
    own = forged_models.OWN.get(name)
    return model(name).read_text(encoding="utf-8") if own is None else own


def verdict(name: str, certificate: Certificate) -> str:
    """The answer of the checker: valid, refused, unsupported or bad input."""
    try:
        check.check(text_of(name), certificate, SOLVER)
        return "valid"
    except Refused:
        return "refused"
    except Unsupported as error:
        return f"unsupported: {error}"
    except BadInput:
        return "bad input"


def closed(certificate: Certificate, part: int = 0) -> dict:
    return certificate["evidence"]["exploration"]["parts"][part]["closed"]


def conjunct(certificate: Certificate, n: int = 0) -> dict:
    return certificate["evidence"]["invariants"][n]


# ------------------------------------------------------------------- forgeries

def set_field(*path: Any) -> Forgery:
    """Sets the field at a path, whose last element is the new value."""
    def forge(certificate: Certificate) -> None:
        place: Any = certificate
        for key in path[:-2]:
            place = place[key]
        place[path[-2]] = path[-1]
    return forge


def drop_last(*path: Any) -> Forgery:
    def forge(certificate: Certificate) -> None:
        place: Any = certificate
        for key in path:
            place = place[key]
        place.pop()
    return forge


def no_members(certificate: Certificate) -> None:
    closed(certificate)["members"] = {"rows": [], "ranks": {"each": []}}


def drop_members(certificate: Certificate) -> None:
    """Leaves the first member only."""
    inside = closed(certificate)["members"]
    inside["rows"] = inside["rows"][:1]
    if "each" in inside["ranks"]:
        inside["ranks"]["each"] = inside["ranks"]["each"][:1]


def flat_ranks(certificate: Certificate) -> None:
    """Puts all ranks beside each other, in one order."""
    for rank in closed(certificate)["ranks"]:
        rank["order"] = 0


def reversed_ranks(certificate: Certificate) -> None:
    for rank in closed(certificate)["ranks"]:
        rank["order"] = 10 - rank["order"]


def reasons(value: Any) -> Forgery:
    def forge(certificate: Certificate) -> None:
        closed(certificate)["reasons"] = [value for _ in closed(certificate)["reasons"]]
    return forge


def other_truth(certificate: Certificate) -> None:
    """Makes the opposite of each obligation of the first member's set."""
    place = closed(certificate)["members"]["rows"][0][-1]
    for obligation in closed(certificate)["obligations"][place]:
        obligation["truth"] = not obligation["truth"]


def swap_local_states(certificate: Certificate) -> None:
    lists = certificate["evidence"]["exploration"]["graphs"][0]["local-states"]
    for local_states in lists:
        local_states.reverse()


def wrong_generator(certificate: Certificate) -> None:
    """Swaps instances of different types."""
    generators = certificate["evidence"]["exploration"]["graphs"][0]["generators"]
    generators[0]["instances"] = [2, 1, 0]


def broken_generator(certificate: Certificate) -> None:
    generators = certificate["evidence"]["exploration"]["graphs"][0]["generators"]
    generators[0]["commands"][0] = list(reversed(generators[0]["commands"][0]))


def without_receives(certificate: Certificate) -> None:
    closed(certificate)["received"] = [[] for _ in closed(certificate)["received"]]


def image_of_itself(certificate: Certificate) -> None:
    parts = certificate["evidence"]["exploration"]["parts"]
    for n, part in enumerate(parts):
        if "image" in part:
            part["image"]["of"] = n


def images_of_the_first(certificate: Certificate) -> None:
    for part in certificate["evidence"]["exploration"]["parts"]:
        if "image" in part:
            part["image"]["of"] = 0


def clauses(*texts: str) -> Forgery:
    def forge(certificate: Certificate) -> None:
        for entry in certificate["evidence"]["invariants"]:
            entry["clauses"] = list(texts)
    return forge


def add_clause(text: str) -> Forgery:
    def forge(certificate: Certificate) -> None:
        conjunct(certificate)["clauses"].append(text)
    return forge


def reduction(value: Any) -> Forgery:
    return set_field("evidence", "invariants", 0, "reduction", value)


def trace_value(instance: str, name: str, value: Any, state: int) -> Forgery:
    return set_field("evidence", "trace", "states", state, instance, name, value)


def no_states(certificate: Certificate) -> None:
    certificate["evidence"]["labels"]["states"].pop()


def flip_witnesses(certificate: Certificate) -> None:
    """Says that no run makes a question false where some run does, and the other way round."""
    for entry in certificate["evidence"]["labels"]["formulas"]:
        if entry is not None:
            entry["reasons"] = ["passing" if r == "witnessed" else "witnessed" for r in entry["reasons"]]


def no_witnesses(certificate: Certificate) -> None:
    for entry in certificate["evidence"]["labels"]["formulas"]:
        if entry is not None:
            entry.pop("witnesses", None)


def no_conjuncts(certificate: Certificate) -> None:
    certificate["evidence"]["labels"]["conjuncts"] = []


TOOL_BACK = ("explicit", "features/fairness", "the_tool_comes_back_without_assumptions")
FIRST = ("explicit", "features/label_timing", "first_send_is_received")
RING = ("explicit", "token_ring", "one_token")
STRONG = ("explicit", "token_ring", "jobs_get_done_under_fairness")
MONEY = ("pdr", "bank", "money_is_conserved")
FROZEN = ("pdr", "bank", "balance_of_a_blocked_account_is_frozen")
COUNTED = ("pdr", "features/fairness", "the_tool_comes_back_without_assumptions")
RANKED = ("pdr", "features/fairness", "who_holds_puts_back_under_weak_fairness")
RUN = ("explicit", "features/label_timing", "each_send_is_received")
POSSIBLE = ("explicit", "knowledge/bit_transmission", "it_is_always_possible")
LEARNT = ("explicit", "knowledge/bit_transmission", "bob_learns_the_bit")

AGED = ("pdr", "knowledge/versions", "how_old_it_is_at_most")
ALIKE = ("pdr", "knowledge/versions", "it_is_known_to_be_fresh_when_it_is")

FORGERIES: list[tuple[tuple[str, str, str], str, Forgery]] = [
    (FIRST, "no members", no_members),
    (FIRST, "a member is missing", drop_members),
    (FIRST, "ranks do not go down", flat_ranks),
    (FIRST, "ranks go up", reversed_ranks),
    (FIRST, "other obligations", other_truth),
    (FIRST, "receives are forgotten", without_receives),
    (FIRST, "local states in another order", swap_local_states),
    (FIRST, "a part is missing", drop_last("evidence", "exploration", "parts")),
    (FIRST, "a graph is missing", drop_last("evidence", "exploration", "graphs")),
    (FIRST, "an instance is missing", drop_last("evidence", "exploration", "graphs", 0, "local-states")),
    (FIRST, "the other verdict", set_field("verdict", "violated")),
    (FIRST, "another version", set_field("version", 3)),
    (FIRST, "another formula", set_field("spec", "formula", "X b-rcv")),
    (FIRST, "another spec", set_field("spec", "name", "each_send_is_received")),
    (FIRST, "another model", set_field("model", "fingerprint", "sha256:" + 64 * "0")),
    (FIRST, "a constant that the model does not have", set_field("model", "constants", {"N": 3})),
    (FIRST, "another reading", set_field("model", "point-to-point", "paper")),
    (FIRST, "another kind", set_field("evidence", {"labels": {}})),
    (FIRST, "a truth value as a number", set_field("evidence", "exploration", "parts", 0, "closed", "graph", False)),
    (TOOL_BACK, "no members", no_members),
    (TOOL_BACK, "a member is missing", drop_members),
    (TOOL_BACK, "ranks do not go down", flat_ranks),
    (TOOL_BACK, "no conditions", reasons("passing")),
    (TOOL_BACK, "witnesses", reasons("witnessed")),
    (TOOL_BACK, "a condition that is none", reasons({"unanswered": [{"subformula": 1, "truth": True}]})),
    (TOOL_BACK, "an eventuality that is not pending", reasons({"pending": {"subformula": 2, "truth": True}})),
    (TOOL_BACK, "instances of other types are swapped", wrong_generator),
    (TOOL_BACK, "other commands are swapped", broken_generator),
    (RING, "images of themselves", image_of_itself),
    (RING, "images of another part", images_of_the_first),
    (STRONG, "no conditions", reasons("passing")),
    (STRONG, "ranks do not go down", flat_ranks),
    (MONEY, "no clauses", clauses()),
    (MONEY, "no initial state", add_clause("false")),
    (MONEY, "a clause that is not inductive", clauses("(= alice-balance 10)")),
    (MONEY, "a clause about something unknown", add_clause("(= dave-balance 10)")),
    (MONEY, "a number as clause", add_clause("alice-balance")),
    (MONEY, "a script as clause", add_clause("true)(check-sat)(assert true")),
    (MONEY, "an operator that is none", add_clause("(exists ((x Int)) true)")),
    (MONEY, "a conjunct is missing", drop_last("evidence", "invariants")),
    (MONEY, "k = 0", set_field("evidence", "invariants", 0, "k", 0)),
    (MONEY, "no clauses, but k = 2", lambda c: (clauses()(c), set_field("evidence", "invariants", 0, "k", 2)(c))[0]),
    (FROZEN, "no clauses", clauses()),
    (FROZEN, "nothing is pending", clauses("(not obligation-0)")),
    (FROZEN, "an invariance", reduction("invariance")),
    (FROZEN, "a ranking that is none", reduction({"ranking": {"counted": 1, "components": ["true"]}})),
    (COUNTED, "counted to less", reduction({"counting": 0})),
    (COUNTED, "safety", reduction("safety")),
    (COUNTED, "a constant ranking", reduction({"ranking": {"counted": 0, "components": ["0"]}})),
    (RANKED, "no clauses", clauses()),
    (RANKED, "a ranking that grows", reduction({"ranking": {"counted": 1, "components": ["(ite one-holds 0 1)"]}})),
    (RANKED, "counted to less", reduction({"counting": 0})),
    (RANKED, "a counter in a ranking", reduction({"ranking": {"counted": 1, "components": ["(ite counter-3 0 1)"]}})),
    (RUN, "another value", trace_value("a", "n", 1, 0)),
    (RUN, "another local state", trace_value("b", "y", 2, 1)),
    (RUN, "a step is missing", drop_last("evidence", "trace", "steps")),
    (RUN, "without receivers", set_field("evidence", "trace", "steps", 0, "receivers", [])),
    (RUN, "a loop", set_field("evidence", "trace", "loop", 0)),
    (RUN, "the beginning only", lambda c: (drop_last("evidence", "trace", "steps")(c),
                                           drop_last("evidence", "trace", "states")(c))[0]),
    (RUN, "another spec", set_field("spec", {"number": 3, "name": "first_send_is_received",
                                             "formula": "(a-snd & b-y = 0) -> X b-rcv"})),
    (POSSIBLE, "a state is missing", no_states),
    (POSSIBLE, "witnesses that are none", flip_witnesses),
    (POSSIBLE, "no conjuncts", no_conjuncts),
    (POSSIBLE, "no witnesses", no_witnesses),
    (LEARNT, "a state is missing", no_states),
    (LEARNT, "no conjuncts", no_conjuncts),
    (LEARNT, "evidence where none is needed", set_field("evidence", "labels", "formulas", 0, {})),
    (AGED, "a condition that is never true", set_field("evidence", "conditions", "conditions", ["false"])),
    (AGED, "a condition on what is not seen",
     set_field("evidence", "conditions", "conditions", ["(>= primary-stamp 0)"])),
    (AGED, "a part is missing", drop_last("evidence", "conditions", "parts")),
    (AGED, "no clauses", set_field("evidence", "conditions", "parts", 1, "invariants", 0, "clauses", [])),
    (ALIKE, "nothing looks alike", set_field("evidence", "look-alike", "others", [])),
    (ALIKE, "other observers", set_field("evidence", "look-alike", "others", 0, "observers", [0])),
    (ALIKE, "no observers", set_field("evidence", "look-alike", "others", 0, "observers", [])),
    (ALIKE, "another position", set_field("evidence", "look-alike", "others", 0, "position", 999)),
] + forged_strategies.FORGERIES


@unittest.skipUnless(RCHECK, "RCHECK is not set")
class Certificates(unittest.TestCase):
    """Certificates of the tool, made once for all tests."""

    folder: str
    made: dict[tuple[str, str], dict[str, Certificate]]

    @classmethod
    def setUpClass(cls) -> None:
        if shutil.which(COMMAND[0]) is None:
            raise unittest.SkipTest(f"there is no {COMMAND[0]}")
        cls.folder = tempfile.mkdtemp()
        cls.made = {}
        for engine, names in MODELS.items():
            for name in names:
                target = Path(cls.folder) / engine / name
                path = Path(cls.folder) / f"{len(cls.made)}.rcp"
                path.write_text(text_of(name), encoding="utf-8")
                timeout = "2" if engine == "explicit" else "10"
                subprocess.run([RCHECK, "prove", "--quiet", "--timeout", timeout, "--engine", engine, "--certificate",
                                str(target), str(path)], capture_output=True, check=False)
                found = [check.read_certificate(str(p)) for p in sorted(target.glob("*.json"))]
                cls.made[engine, name] = {str(c["spec"]["name"]): c for c in found}

    @classmethod
    def tearDownClass(cls) -> None:
        shutil.rmtree(cls.folder)

    def certificate(self, source: tuple[str, str, str]) -> Certificate:
        return copy.deepcopy(self.made[source[0], source[1]][source[2]])

    def test_all_are_accepted(self) -> None:
        kinds = set()
        for (engine, name), certificates in self.made.items():
            self.assertTrue(certificates, f"{name} has no certificates")
            for spec, certificate in certificates.items():
                kind = next(iter(certificate["evidence"]))
                if kind in evidence.OTHER_KINDS:
                    continue
                kinds.add(kind)
                with self.subTest(model=name, engine=engine, spec=spec):
                    self.assertEqual(verdict(name, certificate), "valid")
        self.assertEqual(kinds, {*evidence.KINDS, "strategies"})

    def test_forged_ones_are_refused(self) -> None:
        for source, what, forge in FORGERIES:
            with self.subTest(model=source[1], spec=source[2], forgery=what):
                certificate = self.certificate(source)
                forge(certificate)
                self.assertEqual(verdict(source[1], certificate), "refused")

    def test_harmless_changes_are_accepted(self) -> None:
        for source, what, forge in forged_strategies.HARMLESS:
            with self.subTest(model=source[1], spec=source[2], change=what):
                certificate = self.certificate(source)
                forge(certificate)
                self.assertEqual(verdict(source[1], certificate), "valid")

    def test_evidence_of_other_specs_is_refused(self) -> None:
        """A spec that is violated is not proved by whatever proves another one."""
        for engine, name in (("explicit", "features/label_timing"), ("pdr", "bank")):
            made = self.made[engine, name]
            proofs = [c["evidence"] for c in made.values() if c["verdict"] == "holds"]
            for spec, certificate in made.items():
                if certificate["verdict"] == "holds":
                    continue
                for evidence in proofs:
                    forged = copy.deepcopy(certificate) | {"verdict": "holds", "evidence": evidence}
                    with self.subTest(model=name, spec=spec):
                        self.assertNotEqual(verdict(name, forged), "valid")

    def test_other_models_are_refused(self) -> None:
        certificate = self.certificate(FIRST)
        self.assertEqual(verdict("features/stutter", certificate), "refused")

    def test_changed_models_are_refused(self) -> None:
        text = model("bank").read_text(encoding="utf-8").replace("balance = 10", "balance = 11")
        with self.assertRaises(Refused):
            check.check(text, self.certificate(MONEY), SOLVER)

    def test_packed_lists(self) -> None:
        certificate = self.certificate(TOOL_BACK)
        members = closed(certificate)["members"]
        rows = members["rows"]
        flat = [n for row in rows for n in row]
        for content, expected in ((flat, "valid"), (flat[:-1], "refused"), (flat[:len(rows[0])], "refused")):
            packed = base64.b64encode(zlib.compress(struct.pack(f"<{len(content)}I", *content))).decode()
            members["rows"] = {"width": len(rows[0]), "packed": packed}
            self.assertEqual(verdict(TOOL_BACK[1], certificate), expected)

    def test_unneeded_evidence_does_no_harm(self) -> None:
        certificate = self.certificate(MONEY)
        conjunct(certificate)["clauses"].append("(or true (= alice-balance 0))")
        self.assertEqual(verdict(MONEY[1], certificate), "valid")

    def test_lines_and_exit_codes(self) -> None:
        good, bad, broken = (Path(self.folder) / f"{n}.json" for n in ("good", "bad", "broken"))
        certificate = self.certificate(FIRST)
        good.write_text(json.dumps(certificate), encoding="utf-8")
        no_members(certificate)
        bad.write_text(json.dumps(certificate), encoding="utf-8")
        broken.write_text('{"format": "rcheck-smt certificate", "version": 4, "version": 4}', encoding="utf-8")
        for files, code in (([good], 0), ([good, bad], 1), ([broken], 2)):
            command = [sys.executable, str(HERE / "check.py"), str(model(FIRST[1]))] + list(map(str, files))
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), len(files))


if __name__ == "__main__":
    unittest.main()
