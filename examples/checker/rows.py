"""The check of explorations."""

from __future__ import annotations

from typing import Any

import logic
from closed import Closed, Graph, fields, items, natural, numbers
from initial import initial_rows
from model import Model
from outcome import require
from semantics import kept_locals
from symmetry import Renaming, same
from trees import Node


def check_exploration(model: Model, formula: Node, evidence: Any) -> None:
    """E1 to E7. Raises an exception unless the evidence proves the formula."""
    fields(evidence, {"graphs", "parts"})
    parts = logic.parts_of(formula)
    claims = items(evidence["parts"])
    require(len(claims) == len(parts), f"evidence for {len(claims)} parts, and the spec has {len(parts)}")
    graphs: dict[int, tuple[Graph, list]] = {}
    for n, claim in enumerate(claims):
        require(isinstance(claim, dict) and len(claim) == 1, "evidence for a part that is unknown")
        if "closed" in claim:
            check_part(model, formula, parts[n], claim["closed"], items(evidence["graphs"]), graphs)
        else:
            require("image" in claim, "evidence for a part that is unknown")
            check_image(model, parts, n, claim["image"], claims)


def check_part(model: Model, formula: Node, part: Node, value: Any, listed: list,
               graphs: dict[int, tuple[Graph, list]]) -> None:
    """A part with a closed set."""
    require(isinstance(value, dict) and "graph" in value, "a closed set without graph")
    place = natural(value["graph"], len(listed))
    if place not in graphs:
        entry = fields(listed[place], {"local-states", "generators"}, {"split"})
        graph = Graph(model, formula, entry["local-states"], kept_locals(model, formula), entry["generators"],
                      entry.get("split", []))
        graphs[place] = (graph, initial_rows(model, graph.space))
    graph, initial = graphs[place]
    width = len(graph.cells)

    def rows(written: Any) -> list[tuple]:
        return [(graph.row(entry[:width]), entry[width], entry[width + 1]) for entry in numbers(written, width + 2)]

    closed = Closed(graph, part, value, rows)
    closed.check_fixed()
    closed.check_started([graph.representative(row)[0] for row in initial])
    closed.check_steps()


def check_image(model: Model, parts: list[Node], n: int, value: Any, claims: list) -> None:
    """A part that is the image of another one."""
    fields(value, {"of", "by"})
    of = natural(value["of"], len(parts))
    require(isinstance(claims[of], dict) and "closed" in claims[of], "the image of a part that has no closed set")
    renaming = Renaming(model, value["by"])
    renaming.check_symmetry()
    require(same(renaming.tree(parts[of]), parts[n]), "a part is not the image that it is said to be")
