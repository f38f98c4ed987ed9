#!/usr/bin/env python3
"""Draw a cactus plot of results: how many specs are solved when each may take at most so long.

    cactus.py RESULTS.jsonl .. > plot.svg

Takes files that `batch --output` writes; there is a line for each file and mode, so that engines, limits or versions can
be compared. A spec is solved if it has an answer other than unknown.
"""

import argparse
import json
from math import ceil, log10
from pathlib import Path
from xml.sax.saxutils import escape

SOLVED = ("holds", "violated", "impossible", "possible", "dead", "taken", "clear")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#111111")
WIDTH, HEIGHT, LEFT, MARGIN, BELOW = 640, 300, 60, 12, 40
# Seconds; shorter times are drawn as this.
SHORTEST = 0.001


def series(files):
    """The times of solved specs, sorted, by file and mode."""
    found = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["verdict"] in SOLVED:
                found.setdefault(f"{file.stem}, {record['mode']}", []).append(record["seconds"]["wall"])
    return {name: sorted(times) for name, times in found.items()}


def plot(lines):
    """Numbers of specs to the right, seconds upwards, on a logarithmic scale."""
    most = max((len(times) for times in lines.values()), default=1)
    longest = max((times[-1] for times in lines.values()), default=SHORTEST)
    decades = max(ceil(log10(max(longest, SHORTEST) / SHORTEST)), 1)
    bottom, right = HEIGHT - BELOW, WIDTH - MARGIN

    def x(number):
        return LEFT + (right - LEFT) * number / most

    def y(seconds):
        return bottom - (bottom - MARGIN) * log10(max(seconds, SHORTEST) / SHORTEST) / decades

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="12">')
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    for decade in range(decades + 1):
        seconds = SHORTEST * 10**decade
        yield f'<line x1="{LEFT}" x2="{right}" y1="{y(seconds):.1f}" y2="{y(seconds):.1f}" stroke="#ccc"/>'
        yield f'<text x="{LEFT - 6}" y="{y(seconds) + 4:.1f}" text-anchor="end">{seconds:g} s</text>'
    for number in range(0, most + 1, max(ceil(most / 8), 1)):
        yield f'<text x="{x(number):.1f}" y="{bottom + 18}" text-anchor="middle">{number}</text>'
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">specs solved</text>'
    for index, (name, times) in enumerate(lines.items()):
        colour = COLOURS[index % len(COLOURS)]
        way = " ".join(f"{x(number):.1f},{y(seconds):.1f}" for number, seconds in enumerate(times, 1))
        yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<text x="{LEFT + 10}" y="{MARGIN + 14 * (index + 1)}" fill="{colour}">{escape(name)}: {len(times)} solved</text>'
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS")
    print("\n".join(plot(series(parser.parse_args().results))))


if __name__ == "__main__":
    main()
