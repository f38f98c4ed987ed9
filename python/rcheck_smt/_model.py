"""A model, and what can be asked of it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence

from ._records import Finding, Picture, Result, Results, Spec
from ._simulation import Simulation
from ._tool import ANSWERS, Interrupted, ModelError, Running, StrPath, ToolError, options, run, several


@dataclass(frozen=True)
class Model:
    """A model in a file. What is read of it here is as the file was when it was loaded; every question reads it again."""

    path: str
    #: Of the file, or what is asked beyond it.
    specs: tuple[Spec, ...]
    #: Warnings and notes.
    findings: tuple[Finding, ...]
    _reading: tuple[str, ...] = ()

    @staticmethod
    def load(
        path: StrPath,
        *,
        const: Mapping[str, int | bool] | None = None,
        size: Mapping[str, int] | None = None,
        any_number: str | Sequence[str] = (),
        fair: str | None = None,
        point_to_point: str | None = None,
        dialect: str | None = None,
    ) -> Model:
        """Reads a file. Raises `ModelError` if it has errors, and `ToolError` if it cannot be read.

        :param const: other values for constants of the model.
        :param size: how many members families of any size have.
        :param any_number: agent types whose listed instances stand for any number of them.
        :param fair: ``weak`` or ``strong``: what is assumed of all agents.
        :param point_to_point: ``tool`` or ``paper``: which gets meet which supplies.
        :param dialect: ``modern`` or ``classic``, if it is not to be detected.
        """
        name = os.fspath(path)
        if os.path.isdir(name):
            raise IsADirectoryError(f"{name} is a folder; name a file, or use `batch`")
        reading = tuple(
            options(
                const=dict(const or {}),
                size=dict(size or {}),
                any_number=several(any_number),
                fair=fair,
                point_to_point=point_to_point,
                dialect=dialect,
            )
        )
        written = run(["check", "--format=json", *_file(name, reading)], codes=(0, 2))
        records = json.loads(written) if written else []
        findings = tuple(map(Finding.read, records))
        if errors := tuple(finding for finding in findings if finding.severity == "error"):
            raise ModelError("\n".join(f"{name}:{error}" for error in errors), 2, errors)
        # A file that cannot be read has no findings: the tool says why.
        listed = run(["batch", "--units", "--format=json", "--quiet", *_file(name, reading)])
        units = [json.loads(line) for line in listed.splitlines()]
        if units and units[0]["sha256"] is None:
            run(["check", *_file(name, reading)])
        specs = tuple(Spec.read(unit) for unit in units if unit["spec"] is not None)
        return Model(name, specs, findings, reading)

    def prove(
        self,
        *specs: str | int | Spec,
        engines: str | Sequence[str] | None = None,
        timeout: float | None = None,
        memory: int | None = None,
        jobs: int | None = None,
        certificate: StrPath | None = None,
        deadlock: bool = False,
        overflow: bool = False,
        dead_code: bool = False,
        progress: bool | None = None,
    ) -> Results:
        """Decides specs for all runs: these, or all.

        :param engines: only these engines.
        :param timeout: seconds for each spec.
        :param memory: megabytes for all of them together.
        :param jobs: how many specs at the same time.
        :param certificate: a folder for the evidence.
        :param deadlock: also ask whether the system can get stuck; likewise ``overflow`` and ``dead_code``.
        :param progress: whether a bar shows how many specs are decided; if not said, in notebooks and on terminals.
        :raises Interrupted: with the results so far, if the user presses Ctrl-C.
        """
        asked = options(engine=",".join(several(engines)) or None, certificate=certificate)
        asked += options(timeout=timeout, memory=memory, jobs=jobs)
        asked += options(deadlock=deadlock, overflow=overflow, dead_code=dead_code)
        return self._ask("prove", specs, asked, progress)

    def bmc(
        self,
        *specs: str | int | Spec,
        bound: int = 30,
        timeout: float | None = None,
        memory: int | None = None,
        jobs: int | None = None,
        deadlock: bool = False,
        overflow: bool = False,
        dead_code: bool = False,
        progress: bool | None = None,
    ) -> Results:
        """Searches for shortest counterexamples with at most so many steps. The arguments are those of `prove`."""
        asked = options(bound=bound, timeout=timeout, memory=memory, jobs=jobs)
        asked += options(deadlock=deadlock, overflow=overflow, dead_code=dead_code)
        return self._ask("bmc", specs, asked, progress)

    def simulate(self, *, seed: int = 1) -> Simulation:
        """A session on the concrete semantics: the caller chooses every step."""
        return Simulation([*options(seed=seed), *_file(self.path, self._reading)])

    def automaton(self, agent: str | None = None) -> Picture:
        """The structure automaton of an agent type, or of all of them."""
        return Picture(run(["graph", "--format=svg", *options(agent=agent), *_file(self.path, self._reading)]))

    def states(self, most: int = 20) -> Picture:
        """The first reachable states, and the steps between them."""
        return Picture(run(["graph", "--format=svg", *options(reachable=most), *_file(self.path, self._reading)]))

    def format(self) -> str:
        """The model in canonical form, in the modern dialect."""
        return run(["fmt", *_file(self.path, ())])

    def _repr_html_(self) -> str:
        return self.automaton().svg

    def _named(self, spec: str | int | Spec) -> str | int | None:
        if not isinstance(spec, Spec):
            return spec
        if spec not in self.specs:
            raise ValueError(f"`{spec}` is no spec of {self.path} as it was when it was loaded")
        return spec.number

    def _ask(self, command: str, specs: Iterable[str | int | Spec], asked: list[str], progress: bool | None) -> Results:
        named = [f"--spec={self._named(spec)}" for spec in specs]
        expected = len(named) or len(self.specs)
        with tempfile.TemporaryDirectory(prefix="rcheck-smt-") as folder:
            charts = Path(folder)
            arguments = [command, "--format=json", "--quiet", f"--chart={charts}/{{spec}}.svg", *named, *asked]
            running = Running([*arguments, *_file(self.path, self._reading)])
            results: list[Result] = []
            try:
                with _bar(f"{command} {Path(self.path).name}", expected, progress) as bar:
                    for line in running.lines():
                        if line is None:
                            bar.refresh()
                        else:
                            results.append(_result(line, charts))
                            bar.update()
                code, words = running.end()
            except KeyboardInterrupt:
                results += [_result(line, charts) for line in running.interrupt()]
                raise Interrupted(Results(results)) from None
            finally:
                running.close()
        if code not in ANSWERS:
            raise ToolError(words, code)
        return Results(results)


def _file(path: str, reading: Iterable[str]) -> list[str]:
    return [*reading, "--", path]


def _result(line: str, charts: Path) -> Result:
    record = json.loads(line)
    drawn = [Path(path) for path in record["evidence"] if Path(path).parent == charts]
    record["evidence"] = [path for path in record["evidence"] if Path(path).parent != charts]
    return Result.read(record, Picture(drawn[0].read_text(encoding="utf-8")) if drawn else None)


class _NoBar:
    """Stands for the bar where no progress is shown."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self) -> None:
        """One more."""

    def refresh(self) -> None:
        """Still at work."""


def _bar(title: str, total: int, wanted: bool | None) -> Any:
    if wanted is None:
        wanted = "ipykernel" in sys.modules or sys.stderr.isatty()
    if not wanted:
        return _NoBar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _NoBar()
    return tqdm(total=total, desc=title, unit="spec", leave=False)
