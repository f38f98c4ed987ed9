"""The largest size of each family that each tool decides: `peers.py --largest`."""

import csv
import re
import shutil
import subprocess
import tempfile
from collections import namedtuple
from pathlib import Path
from xml.sax.saxutils import escape

import suite
from run import generate, specs_of

ENGINES = ("explicit", "bmc", "kind", "pdr", "rlive", "spacer", "bdd")
COLUMNS = ("family", "fault", "spec", "expected", "size", "tool", "answer", "seconds", "wall", "megabytes")
# A question: `case` as for other tools, besides the key by which a model by hand is chosen.
Question = namedtuple("Question", "family fault spec size case")
Case = namedtuple("Case", "instance number name expected")


class ByHand:
    """A tool that gets a model of its own."""

    def __init__(self, arguments, execute):
        self.arguments, self.execute = arguments, execute


class Spin(ByHand):
    """Spin with partial-order reduction, as users run it; compilation is not counted."""

    name = "Spin, by hand"

    @property
    def program(self):
        """The path, if all that it needs is there."""
        return shutil.which("gcc") and shutil.which("spin")

    def solve_question(self, question, folder):
        """The answer, if there is a model by hand."""
        found = suite.PROMELA.get((question.family, question.fault, question.spec))
        if found is None:
            return None
        text, compiling, running = found
        folder = Path(folder)
        (folder / "model.pml").write_text(text(question.size))
        subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
        megabytes = int(self.arguments.memory * 1000)
        subprocess.run(["gcc", "-O2", "-w", *compiling, f"-DMEMLIM={megabytes}", "-DVECTORSZ=4096", "-o", "pan", "pan.c"], cwd=folder,
                       check=True, capture_output=True)
        result, output = self.execute(["./pan", "-m5000000", *running], self.arguments, folder)
        errors = re.search(r"errors: (\d+)", output)
        if result.answer == "time" or not errors or "max search depth too small" in output or "Search not completed" in output:
            return result._replace(answer="violated") if errors and int(errors.group(1)) else result
        return result._replace(answer="violated" if int(errors.group(1)) else "holds")


class SmvByHand(ByHand):
    """NuSMV on a model by hand."""

    name = "NuSMV, by hand"

    @property
    def program(self):
        """The path."""
        built = Path(__file__).resolve().parent.parent / ".nusmv" / "NuSMV"
        return shutil.which("NuSMV") or (str(built) if built.exists() else None)

    def solve_question(self, question, folder):
        """The answer, if there is a model by hand."""
        text = suite.nusmv_by_hand(question.family, question.fault, question.spec, question.size)
        if text is None:
            return None
        path = Path(folder, "model.smv")
        path.write_text(text)
        result, output = self.execute([self.program, "-dynamic", str(path)], self.arguments, folder)
        answers = re.findall(r"^-- (?:invariant|specification) .* is (true|false)\s*$", output, re.MULTILINE)
        if result.answer == "time" or len(answers) != len(re.findall(r"SPEC ", text)):
            return result
        return result._replace(answer="violated" if "false" in answers else "holds")


def questions(family, spec, folder):
    """A spec of a family, by size."""
    for size in family.sizes:
        yield question_of(family, spec, size, folder)


def question_of(family, spec, size, folder):
    """A spec of a member."""
    others = family.others(size)
    instance = generate(family.name, {family.parameter: size, **others}, Path(tempfile.mkdtemp(dir=folder)))
    found = [Case(instance, number, name, expected) for number, name, expected in specs_of(instance) if name == spec]
    return Question(family.name, others.get("fault"), spec, size, found[0])


def ask(tool, question, folder):
    """The answer of a tool, or None if it cannot be asked."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        if isinstance(tool, ByHand):
            return tool.solve_question(question, scratch)
        return tool.solve(question.case, scratch)


def measure(tools, family, spec, folder):
    """The points of a spec. A tool is asked until it does not decide."""
    going = list(tools)
    for question in questions(family, spec, folder):
        for tool in tuple(going):
            result = ask(tool, question, folder)
            if result is None or result.answer not in ("holds", "violated"):
                going.remove(tool)
            if result is not None:
                yield point_of(question, tool, result)
        if not going:
            return


def point_of(question, tool, result):
    """A row of `largest.csv`."""
    return {"family": question.family, "fault": question.fault, "spec": question.spec, "expected": question.case.expected,
            "size": question.size, "tool": tool.name, "answer": result.answer, "seconds": round(result.seconds, 3),
            "wall": round(result.wall, 3), "megabytes": round(result.megabytes, 1)}


def run(arguments, tools):
    """Asks, and writes what came out after each spec; the exit code."""
    folder = arguments.largest
    folder.mkdir(parents=True, exist_ok=True)
    points = []
    with tempfile.TemporaryDirectory() as scratch:
        for family in suite.SUITE:
            for spec in family.specs:
                if arguments.only and not re.search(arguments.only, f"{family.name} {spec}"):
                    continue
                points += measure(tools, family, spec, scratch)
                write(points, [tool.name for tool in tools], arguments.limit, folder)
    print((folder / "largest.md").read_text())
    return told(points)


def told(points):
    """Tells of what contradicts the expectation; the exit code."""
    wrong = [point for point in points if {point["answer"], point["expected"]} == {"holds", "violated"}]
    for point in wrong:
        print(f"WRONG: {point}")
    return 1 if wrong else 0


def lines(points):
    """The points of each spec, by tool."""
    found = {}
    for point in points:
        fault = {0: ", no fault", 1: ", fault"}.get(point["fault"], "")
        title = f"{point['family']}{fault}: {point['spec']} ({point['expected']})"
        found.setdefault(title, {}).setdefault(point["tool"], []).append(point)
    return found


def write(points, tools, limit, folder):
    """The table, all points, and the picture."""
    with open(folder / "largest.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(points)
    text = [f"| largest size, seconds of at most {limit:g} | {' | '.join(tools)} |", "|---" * (len(tools) + 1) + "|"]
    for title, by_tool in lines(points).items():
        cells = []
        for tool in tools:
            decided = [point for point in by_tool.get(tool, ()) if point["answer"] in ("holds", "violated")]
            asked = "-" if tool in by_tool else ""
            cells.append(f"{decided[-1]['size']} ({decided[-1]['seconds']:.1f})" if decided else asked)
        text.append(f"| {title} | {' | '.join(cells)} |")
    (folder / "largest.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    (folder / "largest.svg").write_text(plot(points, tools, limit), encoding="utf-8")


COLOURS = ("#111111", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c564b", "#999933", "#882255", "#44aa99", "#666666")
WIDE, HIGH, ACROSS, LEAST = 300, 170, 3, 0.01


def plot(points, tools, limit):
    """Seconds, on a logarithmic scale, against sizes: a panel per spec, a line per tool."""
    panels = lines(points)
    rows = (len(panels) + ACROSS - 1) // ACROSS
    width, height = ACROSS * WIDE, rows * HIGH + 20 * ((len(tools) + 5) // 6) + 10
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for index, (title, by_tool) in enumerate(panels.items()):
        svg += panel(title, by_tool, tools, limit, (index % ACROSS * WIDE, index // ACROSS * HIGH))
    for index, tool in enumerate(tools):
        x, y = 10 + index % 6 * 145, rows * HIGH + 15 + index // 6 * 20
        svg.append(f'<text x="{x}" y="{y}" fill="{COLOURS[index % len(COLOURS)]}">&#9679; {escape(tool)}</text>')
    return "\n".join([*svg, "</svg>\n"])


def panel(title, by_tool, tools, limit, place):
    """One of them."""
    from math import log10

    left, top = place[0] + 35, place[1] + 25
    wide, high = WIDE - 50, HIGH - 50
    sizes = sorted({point["size"] for line in by_tool.values() for point in line})
    span = max(sizes[-1] - sizes[0], 1)

    def at(point):
        seconds = min(max(point["seconds"], LEAST), limit)
        return (left + wide * (point["size"] - sizes[0]) / span,
                top + high * (1 - log10(seconds / LEAST) / log10(max(limit, 1) / LEAST)))

    yield f'<text x="{left - 25}" y="{top - 10}">{escape(title)}</text>'
    yield f'<path d="M{left} {top}v{high}h{wide}" fill="none" stroke="#888"/>'
    yield f'<text x="{left - 30}" y="{top + 8}">{limit:g} s</text><text x="{left - 30}" y="{top + high}">{LEAST} s</text>'
    for size in sizes:
        yield f'<text x="{left + wide * (size - sizes[0]) / span - 3:.1f}" y="{top + high + 12}">{size}</text>'
    for index, tool in enumerate(tools):
        decided = [at(point) for point in by_tool.get(tool, ()) if point["answer"] in ("holds", "violated")]
        colour = COLOURS[index % len(COLOURS)]
        if decided:
            way = " ".join(f"{x:.1f},{y:.1f}" for x, y in decided)
            yield f'<polyline points="{way}" fill="none" stroke="{colour}"><title>{escape(tool)}</title></polyline>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in decided)
