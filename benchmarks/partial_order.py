#!/usr/bin/env python3
"""The most that partial-order reduction could save, on the families of `suite.py`.

All reachable states of a small member are read from `rcheck-smt graph --reachable`. On them, two kinds of steps (who acts with whom
by which commands) are independent if neither ever disables the other and both orders lead to the same states; and what a
kind waits for are the kinds that ever enable it. An implementation knows less than that in advance, so it saves less. Of each state,
the smallest stubborn set (Valmari, ICATPN 1989) is explored, for two questions: deadlock; and a spec about the first agent alone,
without `X`: kinds that ever change the agent are explored with all others or not at all, and so is what is enabled
where a search in depth meets its own stack.

    partial_order.py [--binary PATH]
"""

import argparse
import re
import subprocess
import tempfile
from collections import defaultdict, namedtuple
from pathlib import Path

from run import generate
from suite import SUITE

ROOT = Path(__file__).resolve().parent.parent
MOST = 20000
# Per family, the sizes whose graphs are read. Bids of the auction and numbers of the bakery have no bound.
SIZES = {
    "philosophers": (5, 7), "peterson": (2, 3), "two_phase_commit": (4, 6), "paxos": (3, 4), "stabilising_ring": (3, 4),
    "chang_roberts": (4, 5), "mesi": (3, 4), "sliding_window": (2, 3), "elevator": (4, 6), "gossip": (3, 4),
    "resource_allocation": (3, 4),
}

# `first` has what is known of the first agent in a state; `steps`, per state and kind of step, the states that it leads to.
Graph = namedtuple("Graph", "initial first steps")


def read(text):
    """The graph of a DOT file, if it has all reachable states."""
    if not re.search(r'label="all \d+ reachable states', text):
        return None
    first = {int(number): label.split("\\l")[1] for number, label in re.findall(r'^\s*n0_(\d+) \[label="([^"]*)"', text, re.M)}
    initial = [int(number) for number in re.findall(r"start0_\d+ -> n0_(\d+);", text)]
    steps = {state: defaultdict(set) for state in first}
    for source, target, label in re.findall(r'n0_(\d+) -> n0_(\d+) \[.*?label="([^"]*)"\]', text):
        kind = " ".join(part.strip() for part in label.split("\\l") if " = " not in part)
        steps[int(source)][kind].add(int(target))
    return Graph(initial, first, steps)


class Reduction:
    """How kinds of steps depend on each other."""

    def __init__(self, graph):
        self.graph = graph
        self.dependent = defaultdict(set)
        self.enabling = defaultdict(set)
        self.visible = set()
        for state, steps in graph.steps.items():
            for one, targets in steps.items():
                if any(graph.first[target] != graph.first[state] for target in targets):
                    self.visible.add(one)
                for target in targets:
                    for other in graph.steps[target].keys() - steps.keys():
                        self.enabling[other].add(one)
                for other in steps:
                    if one < other and other not in self.dependent[one] and not self.commute(state, one, other):
                        self.dependent[one].add(other)
                        self.dependent[other].add(one)

    def commute(self, state, one, other):
        """True if both orders are possible here and lead to the same states."""
        steps = self.graph.steps

        def after(first, second):
            between = [steps[state_between].get(second) for state_between in steps[state][first]]
            return None if None in between else set().union(*between)

        forth = after(one, other)
        return forth is not None and forth == after(other, one)

    def stubborn(self, state, spec):
        """The enabled kinds of a smallest stubborn set."""
        enabled = self.graph.steps[state]
        best = list(enabled)
        for seed in enabled:
            found, work = {seed}, [seed]
            while work:
                kind = work.pop()
                more = (self.dependent if kind in enabled else self.enabling)[kind] - found
                found |= more
                work.extend(more)
            chosen = [kind for kind in enabled if kind in found]
            if len(chosen) < len(best) and not (spec and self.visible.intersection(chosen)):
                best = chosen
        return best

    def explore(self, spec):
        """How many states a search in depth visits."""
        seen, path = set(), set()
        stack = []

        def visit(state):
            chosen = self.stubborn(state, spec)
            steps = self.graph.steps[state]
            targets = [target for kind in chosen for target in steps[kind]]
            if spec and not path.isdisjoint(targets):
                targets = [target for reached in steps.values() for target in reached]
            seen.add(state)
            path.add(state)
            stack.append((state, iter(targets)))

        for state in self.graph.initial:
            if state not in seen:
                visit(state)
            while stack:
                state, targets = stack[-1]
                target = next((target for target in targets if target not in seen), None)
                if target is None:
                    stack.pop()
                    path.remove(state)
                else:
                    visit(target)
        return len(seen)


def draw(binary, family, size, folder):
    """The graph of a member."""
    instance = generate(family.name, {family.parameter: size, **family.others(size)}, Path(folder))
    command = [binary, "graph", instance.path, *instance.options, f"--reachable={MOST}", "--format=dot"]
    return read(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target" / "release" / "rcheck-smt")
    arguments = parser.parse_args()
    print("| family | size | states | deadlock | first agent |\n|---|---|---|---|---|")
    names = set()
    for family in SUITE:
        if family.name in names or family.name not in SIZES:
            continue
        names.add(family.name)
        for size in SIZES[family.name]:
            with tempfile.TemporaryDirectory() as folder:
                graph = draw(arguments.binary, family, size, folder)
            if graph is None:
                print(f"| {family.name} | {size} | over {MOST} | | |")
                continue
            reduction = Reduction(graph)
            counts = [len(graph.first) / reduction.explore(spec) for spec in (False, True)]
            print(f"| {family.name} | {size} | {len(graph.first):,} |" + "".join(f" {count:.1f} |" for count in counts), flush=True)


if __name__ == "__main__":
    main()
