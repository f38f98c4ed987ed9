"""Many models, on many machines."""

from __future__ import annotations

import json
import math
import os
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from functools import partial
from typing import Any, Iterable, Iterator, Mapping, Sequence

from ._model import _bar
from ._records import Result, Results
from ._tool import StrPath, ToolError, options, stream


#: Units that took less than that are answered several at a time, since a process takes a twentieth of a second to start.
_SMALL_SECONDS = 0.5

#: So much together, as far as is known: that is what a lost worker costs, and what the others wait for at the end.
_TOGETHER_SECONDS = 2.0
_TOGETHER_UNITS = 50


def units(paths: StrPath | Sequence[StrPath], **given: Any) -> list[str]:
    """What there is to verify in these files and folders, by names that every machine with the same files knows.
    Keyword arguments are the options of ``rcheck-smt batch``, as in ``const={"N": range(2, 7)}`` or ``deadlock=True``."""
    return [unit["id"] for unit in _listed(paths, given)]


def _listed(paths: StrPath | Sequence[StrPath], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    asked = ["batch", "--units", "--format=json", "--quiet", *options(**given), "--"]
    return list(map(json.loads, stream(asked + [os.fspath(file) for file in files])))


def answer(units: Sequence[str], how: Mapping[str, Any], folder: str) -> list[str]:
    """The records of units, as lines of JSON. This is what workers run: the tool and the files have to be there.

    :param how: options of ``rcheck-smt unit``.
    :param folder: where the names of files start.
    """
    asked = ["unit", "--format=json", "--quiet", "--jobs=1", *options(**how), "--", *units]
    # A file with errors has a record, too.
    return list(stream(asked, codes=(0, 2), folder=folder))


def _question(unit: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a unit, or a record, asks, whatever the content of the file was."""
    return unit["model"], json.dumps(unit["constants"]), unit["spec"], unit["check"], unit["name"]


def _jobs(listed: Sequence[Mapping[str, Any]], slowest_first: StrPath | None) -> list[list[str]]:
    """Units that were small, several at a time, after all others, one by one in the order of the list."""
    took: dict[tuple[Any, ...], float] = {}
    if slowest_first is not None:
        with open(slowest_first, encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.endswith("\n")]
        took = {_question(record): record["seconds"]["wall"] for record in records}
    seconds = [took.get(_question(unit), math.inf) for unit in listed]
    single = [[unit["id"]] for unit, time in zip(listed, seconds) if time >= _SMALL_SECONDS]
    # Neighbours share what is made of their model.
    small = sorted((_question(unit), unit["id"], time) for unit, time in zip(listed, seconds) if time < _SMALL_SECONDS)
    jobs: list[list[str]] = []
    left = 0.0
    for _, name, time in small:
        if left < time or len(jobs[-1]) >= _TOGETHER_UNITS:
            jobs.append([])
            left = _TOGETHER_SECONDS
        jobs[-1].append(name)
        left -= time
    return single + jobs


def batch(
    paths: StrPath | Sequence[StrPath],
    *,
    mode: str = "prove",
    client: Any = None,
    jobs: int | None = None,
    bound: int | None = None,
    engines: Sequence[str] | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    output: StrPath | None = None,
    resume: bool = False,
    slowest_first: StrPath | None = None,
    retries: int = 3,
    progress: bool | None = None,
    **listing: Any,
) -> Results:
    """Verifies all specs of many models; whoever is free takes the next one.

    :param client: a ``distributed.Client`` of Dask, whose workers have the tool and the same files at the same place, or a
        ``concurrent.futures.Executor``; without it, threads of this process start the tool.
    :param jobs: without a client, how many specs at the same time; if not said, one for each processor.
    :param output: a file of results, which has each as soon as it is known.
    :param resume: keep what the file answers, and do the rest.
    :param slowest_first: results of an earlier run: what took long then begins first, so that nobody waits at the end.
    :param retries: how often a unit is tried again whose worker was lost, or whose process was killed.
    :param listing: more options of ``rcheck-smt batch``, as for `units`.
    """
    if resume and output is None:
        raise ValueError("resume needs the file of results that it goes on from: output")
    how = {
        "mode": mode,
        "bound": bound,
        "engine": ",".join(engines) if engines else None,
        "timeout": timeout,
        "memory": memory,
    }
    known = {"output": output, "resume": True} if resume and output and os.path.exists(output) else {}
    asked = _jobs(_listed(paths, {"slowest_first": slowest_first, **known, **how, **listing}), slowest_first)
    total = sum(map(len, asked))
    lines: list[str] = []
    if known:
        with open(os.fspath(output or ""), encoding="utf-8") as file:
            lines = [line for line in file if line.endswith("\n")]
    work = partial(answer, how={**how, "dialect": listing.get("dialect")}, folder=os.getcwd())
    with _bar(f"{mode} {total} units", total, progress) as bar, _Journal(output, lines) as journal:
        for answered in _answers(client, jobs, work, asked, retries):
            for line in answered:
                lines.append(line)
                journal.add(line)
                bar.update()
    return Results(map(Result.read, _latest(lines)))


def _latest(lines: Iterable[str]) -> list[Mapping[str, Any]]:
    """The records in the order of the tool; of several for one question, the last one."""
    records = {record["id"]: record for record in map(json.loads, lines)}
    return sorted(records.values(), key=lambda record: (record["model"], str(record["constants"]), record["spec"] or 0))


class _Journal:
    """A file of results that grows."""

    def __init__(self, path: StrPath | None, known: Iterable[str]) -> None:
        self._file = None
        if path is not None:
            new = os.fspath(path) + ".new"
            self._file = open(new, "w", encoding="utf-8")
            self._file.writelines(known)
            self._file.flush()
            os.replace(new, path)

    def __enter__(self) -> _Journal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, line: str) -> None:
        """Is on the disk, whatever happens to this process next."""
        if self._file is not None:
            self._file.write(line)
            self._file.flush()


def _again(work: Any, retries: int, units: Sequence[str]) -> list[str]:
    """Another try where a process was killed: the tool says so by its exit code, 4, and a signal ended the tool itself."""
    for left in range(retries, -1, -1):
        try:
            lines: list[str] = work(units)
            return lines
        except ToolError as error:
            if left == 0 or error.code not in (4, -9, -15):
                raise
    raise AssertionError("the last try returns or raises")


def _answers(client: Any, jobs: int | None, work: Any, asked: Sequence[Sequence[str]], retries: int) -> Iterator[list[str]]:
    work = partial(_again, work, retries)
    if client is None:
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            yield from _of_executor(pool, work, asked)
    elif isinstance(client, Executor):
        yield from _of_executor(client, work, asked)
    else:
        yield from _of_dask(client, work, asked, retries)


def _of_executor(pool: Executor, work: Any, asked: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    futures = [pool.submit(work, units) for units in asked]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _of_dask(client: Any, work: Any, asked: Sequence[Sequence[str]], retries: int) -> Iterator[list[str]]:
    from distributed import as_completed as completed

    # Whoever asks twice wants it done twice. Priorities keep the order.
    run = os.urandom(8).hex()
    futures = [
        client.submit(work, units, key=f"{units[0]}-{run}", retries=retries, priority=-place, pure=False)
        for place, units in enumerate(asked)
    ]
    try:
        for _, lines in completed(futures, with_results=True):
            yield lines
    finally:
        client.cancel(futures)
