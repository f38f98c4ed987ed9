"""Many models, on many machines."""

from __future__ import annotations

import json
import os
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from functools import partial
from typing import Any, Iterable, Iterator, Mapping, Sequence

from ._model import _bar
from ._records import Result, Results
from ._tool import StrPath, ToolError, options, run, stream


def units(paths: StrPath | Sequence[StrPath], **given: Any) -> list[str]:
    """What there is to verify in these files and folders, by names that every machine with the same files knows.
    Keyword arguments are the options of ``rcheck-smt batch``, as in ``const={"N": range(2, 7)}`` or ``deadlock=True``."""
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    listed = run(["batch", "--units", "--quiet", *options(**given), "--", *[os.fspath(file) for file in files]])
    return listed.splitlines()


def answer(unit: str, how: Mapping[str, Any], folder: str) -> str:
    """The record of a unit, as a line of JSON. This is what workers run: the tool and the files have to be there.

    :param how: options of ``rcheck-smt unit``.
    :param folder: where the names of files start.
    """
    asked = ["unit", "--format=json", "--quiet", "--jobs=1", *options(**how), "--", unit]
    # A file with errors has a record, too.
    (line,) = stream(asked, codes=(0, 2), folder=folder)
    return line


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
    asked = units(paths, slowest_first=slowest_first, **known, **how, **listing)
    lines: list[str] = []
    if known:
        with open(os.fspath(output or ""), encoding="utf-8") as file:
            lines = [line for line in file if line.endswith("\n")]
    work = partial(answer, how={**how, "dialect": listing.get("dialect")}, folder=os.getcwd())
    with _bar(f"{mode} {len(asked)} units", len(asked), progress) as bar, _Journal(output, lines) as journal:
        for line in _answers(client, jobs, work, asked, retries):
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


def _again(work: Any, retries: int, unit: str) -> str:
    """Another try where a process was killed: the tool says so by its exit code, 4, and a signal ended the tool itself."""
    for left in range(retries, -1, -1):
        try:
            line: str = work(unit)
            return line
        except ToolError as error:
            if left == 0 or error.code not in (4, -9, -15):
                raise
    raise AssertionError("the last try returns or raises")


def _answers(client: Any, jobs: int | None, work: Any, asked: Sequence[str], retries: int) -> Iterator[str]:
    work = partial(_again, work, retries)
    if client is None:
        with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
            yield from _of_executor(pool, work, asked)
    elif isinstance(client, Executor):
        yield from _of_executor(client, work, asked)
    else:
        yield from _of_dask(client, work, asked, retries)


def _of_executor(pool: Executor, work: Any, asked: Sequence[str]) -> Iterator[str]:
    futures = [pool.submit(work, unit) for unit in asked]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:
        for future in futures:
            future.cancel()


def _of_dask(client: Any, work: Any, asked: Sequence[str], retries: int) -> Iterator[str]:
    from distributed import as_completed as completed

    # Whoever asks twice wants it done twice. Priorities keep the order.
    run = os.urandom(8).hex()
    futures = [
        client.submit(work, unit, key=f"{unit}-{run}", retries=retries, priority=-place, pure=False)
        for place, unit in enumerate(asked)
    ]
    try:
        for _, line in completed(futures, with_results=True):
            yield line
    finally:
        client.cancel(futures)
