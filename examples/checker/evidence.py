"""Evidence of all kinds but strategies."""

from __future__ import annotations

from typing import Any

import logic
from clauses import Solver, check_invariants
from knowledge import check_conditions, check_look_alike
from labels import check_labelled_states, check_labels
from model import Model
from outcome import Unsupported, require
from rows import check_exploration
from runs import check_trace
from trees import Node

# The verdict of each kind, and whether the spec is about other runs, knowledge or strategies (None: either).
KINDS = {"exploration": ("holds", False), "invariants": ("holds", False), "labels": ("holds", None),
         "trace": ("violated", False), "labelled-states": ("violated", True), "conditions": ("holds", True),
         "look-alike": ("violated", True)}
OTHER_KINDS = {"uniform", "diagrams", "labelled-trace", "recurrent"}


def read_evidence(evidence: Any) -> tuple[str, Any]:
    """The kind of evidence, and its value."""
    require(isinstance(evidence, dict) and len(evidence) == 1, "no evidence")
    return next(iter(evidence.items()))


def check_evidence(model: Model, formula: Node, verdict: Any, evidence: Any, solver: Solver,
                   with_texts: bool = True) -> None:
    """Raises an exception unless the evidence proves the verdict of a formula without `can`.

    The texts of conjuncts are compared as well, if the formula is one that can be written.
    """
    kind, value = read_evidence(evidence)
    if kind in OTHER_KINDS:
        raise Unsupported(f"evidence of the kind {kind}")
    require(kind in KINDS, "evidence of an unknown kind")
    require(verdict == KINDS[kind][0], f"{kind} does not support this verdict")
    require(not logic.decides(formula), f"{kind} does not fit a spec with strategies")
    require(KINDS[kind][1] in (None, logic.branches(formula)), f"{kind} does not fit the spec")
    if kind == "exploration":
        check_exploration(model, formula, value)
    elif kind == "invariants":
        check_invariants(model, formula, value, solver, with_texts)
    elif kind == "labels":
        check_labels(model, formula, value)
    elif kind == "labelled-states":
        check_labelled_states(model, formula, value)
    elif kind == "conditions":
        check_conditions(model, formula, value, solver)
    elif kind == "look-alike":
        check_look_alike(model, formula, value)
    else:
        check_trace(model, formula, value)
