"""The answers of the tool, as values."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, overload

from ._tool import StrPath
from ._trace import Trace, Value, Values

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Finding:
    """An error, a warning or a note about a file."""

    severity: str
    #: As in ``E0201``.
    code: str
    message: str
    #: From 1, in characters.
    line: int
    column: int
    help: str | None = None

    @staticmethod
    def read(record: Mapping[str, Any]) -> Finding:
        """From JSON."""
        names = ("severity", "code", "message", "line", "column", "help")
        return Finding(**{name: record[name] for name in names})

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity} [{self.code}]: {self.message}"


@dataclass(frozen=True)
class Spec:
    """A spec of a model, or the like of it that a check asks about."""

    #: A name for job schedulers: the same on every machine that has the same file.
    id: str
    #: From 1; missing for a check.
    number: int | None
    name: str | None
    line: int | None
    text: str | None
    #: The expectation of the file: ``holds``, ``violated`` or ``unknown``.
    expect: str | None

    @staticmethod
    def read(record: Mapping[str, Any]) -> Spec:
        """From JSON."""
        names = ("id", "name", "line", "text", "expect")
        return Spec(number=record["spec"], **{name: record[name] for name in names})

    def __str__(self) -> str:
        number = "" if self.number is None else f"{self.number} "
        return f"{number}{self.name or self.text or ''}".strip()


@dataclass(frozen=True)
class Picture:
    """A picture, which notebooks show."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: StrPath) -> None:
        """Writes it to a file."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True)
class Result:
    """The answer about a spec. The fields mean what docs/results.md says of the fields of records."""

    spec: Spec
    model: str
    #: ``holds``, ``violated``, ``clear`` (no counterexample up to ``depth``, which is no proof), ``unknown``, and others.
    verdict: str
    #: The number of steps of the counterexample, or the depth that is clear.
    depth: int | None
    #: Why there is no verdict: a word for programs, and words for people.
    cause: str | None
    reason: str | None
    #: The evidence of the proof, in words.
    proof: str | None
    engine: str | None
    #: ``met``, ``mismatch`` or ``open``, where something is expected.
    agreement: str | None
    #: The counterexample, which the tool has replayed.
    trace: Trace | None
    #: By the clock. It is no part of equality.
    seconds: float = field(compare=False)
    #: The constants and sizes that were chosen, beside those of the file.
    constants: Mapping[str, Value] = field(default_factory=dict, hash=False)
    #: The assumptions that the verdict stands under, as formulas.
    assumed: tuple[str, ...] = ()
    #: The counterexample as a message sequence chart.
    chart: Picture | None = field(default=None, compare=False, repr=False)
    #: All that the tool says.
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def read(record: Mapping[str, Any], chart: Picture | None = None) -> Result:
        """From a record."""
        names = ("model", "verdict", "depth", "cause", "reason", "proof", "engine", "agreement")
        return Result(
            spec=Spec.read(record),
            seconds=record["seconds"]["wall"],
            constants=Values(record["constants"]),
            # Results of earlier versions have their number only.
            assumed=tuple(record.get("assumed", ())),
            trace=None if record["trace"] is None else Trace.read(record["trace"]),
            chart=chart,
            record=record,
            **{name: record[name] for name in names},
        )

    @property
    def name(self) -> str:
        """That of the spec, or its text if it has none."""
        return self.spec.name or self.spec.text or ""

    @property
    def is_proved(self) -> bool:
        """True if the spec holds on all runs (or nothing can deadlock or overflow, or a command is dead)."""
        return self.verdict in ("holds", "impossible", "dead")

    @property
    def is_shown(self) -> bool:
        """True if there is a run that shows the contrary."""
        return self.verdict in ("violated", "possible", "taken")

    @property
    def told(self) -> str:
        """The verdict with what it stands under: ``holds under 2 assumptions``."""
        number = len(self.assumed) or self.record.get("assumptions", 0)
        if number == 0 or not (self.is_proved or self.is_shown or self.verdict == "clear"):
            return self.verdict
        return f"{self.verdict} under {number} assumption{'' if number == 1 else 's'}"

    @property
    def system(self) -> str:
        """The model, with the constants that were chosen: ``queue.rcp (N = 3)``."""
        chosen = ", ".join(f"{name} = {_written(value)}" for name, value in self.constants.items())
        return f"{self.model} ({chosen})" if chosen else self.model

    def __str__(self) -> str:
        steps = "" if self.depth is None else f" ({self.depth} steps)"
        why = self.reason or self.proof
        return f"{str(self.spec) or self.model}: {self.told}{steps}{f': {why}' if why else ''}"

    def _repr_html_(self) -> str:
        text = f"<p><b>{html.escape(str(self.spec))}</b>: {_colored(self)}</p>"
        if why := self.reason or self.proof:
            text += f"<p>{html.escape(why)}</p>"
        if self.assumed:
            listed = "".join(f"<li><code>{html.escape(assumption)}</code></li>" for assumption in self.assumed)
            text += f"<p>assumed:</p><ul>{listed}</ul>"
        if self.spec.text:
            text += f"<pre>{html.escape(self.spec.text)}</pre>"
        return text + (self.chart.svg if self.chart else "")


def _written(value: Value) -> str:
    """As the language writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _colored(result: Result) -> str:
    good = result.is_proved or result.verdict in ("clear", "well-formed", "taken")
    color = "#1a7f37" if good and result.verdict != "dead" else "#9a6700" if result.verdict == "unknown" else "#cf222e"
    steps = "" if result.depth is None else f", {result.depth} steps"
    return f'<span style="color:{color}">{html.escape(result.told)}</span>{steps}'


class Results(Sequence[Result]):
    """Results in the order of the specs; ``results["name"]`` is the one of that spec."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._results = tuple(results)

    @overload
    def __getitem__(self, key: int | str) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> Results: ...
    def __getitem__(self, key: int | str | slice) -> Result | Results:
        if isinstance(key, str):
            for result in self._results:
                if result.spec.name == key:
                    return result
            names = ", ".join(result.spec.name for result in self._results if result.spec.name) or "none with a name"
            raise KeyError(f"no result is that of a spec called {key}; there are {names}")
        return Results(self._results[key]) if isinstance(key, slice) else self._results[key]

    def __len__(self) -> int:
        return len(self._results)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._results == other._results

    def __hash__(self) -> int:
        return hash(self._results)

    def __repr__(self) -> str:
        if not self._are_of_several:
            return "\n".join(map(str, self._results))
        # Files that cannot be read say themselves what they are called.
        told = [str(result) if not str(result.spec) else f"{result.system}: {result}" for result in self._results]
        return "\n".join(told)

    @property
    def _are_of_several(self) -> bool:
        """True if results are of several models, or with several values of constants, so that each has to say which."""
        return len({result.system for result in self._results}) > 1

    @property
    def only(self) -> Result:
        """The result, if there is one."""
        if len(self._results) != 1:
            raise ValueError(f"there are {len(self._results)} results, not one")
        return self._results[0]

    def to_frame(self) -> pandas.DataFrame:
        """A row for each result. There is a column ``const_N`` for each constant ``N`` that was chosen, and one, ``assumed``, for
        the assumptions, joined by ``;``."""
        import pandas

        chosen = list(dict.fromkeys(name for result in self._results for name in result.constants))
        known = ("verdict", "depth", "engine", "seconds", "agreement", "reason")
        columns = ["model", *(f"const_{name}" for name in chosen), "spec", "name", *known, "assumed"]
        rows = [
            [
                result.model,
                *(result.constants.get(name) for name in chosen),
                result.spec.number,
                result.name,
                *(getattr(result, name) for name in known),
                "; ".join(result.assumed),
            ]
            for result in self._results
        ]
        return pandas.DataFrame(rows, columns=columns)

    def save(self, path: StrPath) -> None:
        """Writes a file of results, as ``rcheck-smt report`` reads it."""
        lines = [json.dumps(result.record) + "\n" for result in self._results]
        Path(path).write_text("".join(lines), encoding="utf-8")

    def _repr_html_(self) -> str:
        several = self._are_of_several
        cells = [
            (
                *([html.escape(result.system)] if several else []),
                html.escape(str(result.spec)),
                _colored(result),
                html.escape(result.engine or ""),
                f"{result.seconds:.2f}",
            )
            for result in self._results
        ]
        rows = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells]
        model = "<th>model</th>" if several else ""
        head = f"<tr>{model}<th>spec</th><th>result</th><th>engine</th><th>s</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"
