"""Runs of a model, as values."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union, overload

from ._tool import StrPath

if TYPE_CHECKING:
    import pandas

#: An integer, a Boolean, or the name of an agent, a channel or a constant of an enumeration.
Value = Union[int, bool, str]

_DIGITS = re.compile(r"-?\d+")


def _value(written: Any) -> Value:
    # Large integers are written as digits; no name begins with one.
    if isinstance(written, str) and _DIGITS.fullmatch(written):
        return int(written)
    if not isinstance(written, (int, str)):
        raise TypeError(f"{written!r} is no value")
    return written


class Values(Mapping[str, Value]):
    """Values by names, which stay as they are."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        self._values = {name: _value(value) for name, value in written.items()}

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


@dataclass(frozen=True)
class Taken:
    """A command that an instance takes."""

    instance: str
    #: Its label, or ``#`` and its place among the commands of its agent.
    command: str

    def __str__(self) -> str:
        return f"{self.instance}-{self.command}"


class State(Mapping[str, Mapping[str, Value]]):
    """The values of all locals, by instance and name: ``state["one"]["ticket"]``, or ``state["one-ticket"]`` as in specs."""

    def __init__(self, locals: Mapping[str, Mapping[str, Any]]) -> None:
        self._locals = {name: Values(of) for name, of in locals.items()}

    def __getitem__(self, name: str) -> Any:
        if name in self._locals:
            return self._locals[name]
        instance, _, local = name.partition("-")
        if instance not in self._locals:
            raise KeyError(f"no instance is called {instance}; there are {', '.join(self._locals)}")
        if local not in self._locals[instance]:
            raise KeyError(f"no local is called {name}; {instance} has {', '.join(self._locals[instance])}")
        return self._locals[instance][local]

    def __iter__(self) -> Iterator[str]:
        return iter(self._locals)

    def __len__(self) -> int:
        return len(self._locals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._locals == other._locals

    def __hash__(self) -> int:
        return hash(tuple(self.flat().items()))

    def __repr__(self) -> str:
        return f"State({ {name: dict(of) for name, of in self._locals.items()} })"

    def flat(self) -> dict[str, Value]:
        """The locals, called as in specs: ``one-ticket``."""
        return {f"{name}-{local}": value for name, of in self._locals.items() for local, value in of.items()}

    def changes(self, before: State) -> dict[str, Value]:
        """The locals that are not as they were before."""
        then = before.flat()
        return {name: value for name, value in self.flat().items() if name not in then or then[name] != value}


@dataclass(frozen=True)
class Step:
    """A step between two states."""

    #: ``broadcast``, ``multicast``, ``get-supply``, or ``stutter`` where nothing else is possible.
    kind: str
    sender: Taken | None = None
    channel: str | None = None
    receivers: tuple[Taken, ...] = ()
    getter: Taken | None = None
    supplier: Taken | None = None
    data: Mapping[str, Value] = field(default_factory=dict, hash=False)

    @staticmethod
    def read(written: Mapping[str, Any]) -> Step:
        """From a trace file."""

        def taken(name: str) -> Taken | None:
            return Taken(**written[name]) if name in written else None

        return Step(
            kind=written["kind"],
            sender=taken("sender"),
            channel=written.get("channel"),
            receivers=tuple(Taken(**receiver) for receiver in written.get("receivers", ())),
            getter=taken("getter"),
            supplier=taken("supplier"),
            data=Values(written.get("data", {})),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self._parts() == other._parts()

    def _parts(self) -> tuple[object, ...]:
        return (self.kind, self.sender, self.channel, self.receivers, self.getter, self.supplier, dict(self.data))

    def __str__(self) -> str:
        data = ", ".join(f"{name} = {value}" for name, value in self.data.items())
        data = f" ({data})" if data else ""
        if self.getter is not None:
            return f"{self.getter}{data} <- {self.supplier}"
        if self.sender is None:
            return self.kind
        receivers = ", ".join(map(str, self.receivers))
        return f"{self.sender} on {self.channel}{data}" + (f" -> {receivers}" if receivers else ", no receiver")


@dataclass(frozen=True)
class Trace(Sequence[State]):
    """A run: ``trace[i]`` is its state at position i, ``trace.steps[i]`` leads from there to the next."""

    states: tuple[State, ...]
    steps: tuple[Step, ...]
    #: The position to which the run goes back after its last state, if it does.
    loop: int | None = None
    #: Where the steps start that go on for ever with other values, if no state recurs.
    round: int | None = None
    #: As the tool writes it, with the fingerprint of the model.
    document: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def read(document: Mapping[str, Any]) -> Trace:
        """From the JSON of the tool."""
        return Trace(
            states=tuple(State(state) for state in document["states"]),
            steps=tuple(Step.read(step) for step in document["steps"]),
            loop=document.get("loop"),
            round=document.get("round", {}).get("start"),
            document=document,
        )

    @staticmethod
    def load(path: StrPath) -> Trace:
        """From a file that ``--save-trace`` or `save` wrote. Raises `ValueError` if it is another one."""
        with open(path, encoding="utf-8") as file:
            try:
                return Trace.read(json.load(file))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise ValueError(f"{os.fspath(path)} is no trace of rcheck-smt, or is damaged") from error

    def save(self, path: StrPath) -> None:
        """To a file that ``rcheck-smt simulate --trace`` replays."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(self.document), file)

    @overload
    def __getitem__(self, position: int) -> State: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[State, ...]: ...
    def __getitem__(self, position: int | slice) -> State | tuple[State, ...]:
        return self.states[position]

    def __len__(self) -> int:
        return len(self.states)

    def values(self, local: str) -> list[Value]:
        """The values of a local, by position: ``trace.values("one-ticket")``."""
        return [state[local] for state in self.states]

    def to_frame(self) -> pandas.DataFrame:
        """A row for each position, with a column for each local, and ``step`` for what happens next."""
        import pandas

        rows = [state.flat() for state in self.states]
        frame = pandas.DataFrame(rows, index=pandas.RangeIndex(len(rows), name="position"))
        steps = [str(step) for step in self.steps]
        frame.insert(0, "step", steps + [None] * (len(rows) - len(steps)))
        return frame

    def __str__(self) -> str:
        lines = ["0  " + ", ".join(f"{name} = {value}" for name, value in self.states[0].flat().items())]
        for position, step in enumerate(self.steps):
            before, after = self.states[position], self.states[position + 1]
            changes = ", ".join(f"{name} = {value}" for name, value in after.changes(before).items())
            lines += [f"   {step}", f"{position + 1}  {changes or 'nothing changed'}"]
        if self.loop is not None:
            lines.append(f"   back to {self.loop}")
        if self.round is not None:
            lines.append(f"   and so on for ever from {self.round}, with other values")
        return "\n".join(lines)
