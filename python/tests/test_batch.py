"""Many units on several workers."""

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import rcheck_smt
from rcheck_smt import batch, units

MODELS = ["relay.rcp", "ticket_lock.rcp"]


def test_units_have_names(folder):
    listed = units(MODELS)
    assert len(listed) == 19 and listed == units(["ticket_lock.rcp", "relay.rcp"])
    assert listed[0].startswith("relay.rcp:spec-1@")
    assert len(units("relay.rcp", deadlock=True)) == 1


def test_threads_answer_what_the_tool_answers(folder):
    results = batch(MODELS, mode="bmc", bound=4, jobs=2, output="results.jsonl")
    verdicts = [(result.model, result.spec.number, result.verdict) for result in results]
    tool = ["batch", *MODELS, "--bound=4", "--format=json", "--quiet"]
    records = map(json.loads, rcheck_smt._tool.run(tool, codes=range(6)).splitlines())
    assert verdicts == [(record["model"], record["spec"], record["verdict"]) for record in records]
    assert len(pathlib.Path("results.jsonl").read_text().splitlines()) == 19
    rcheck_smt._tool.run(["report", "results.jsonl", "--html", "page.html"], codes=range(6))
    # What is answered is not asked again.
    known = pathlib.Path("results.jsonl").read_text().splitlines()
    pathlib.Path("results.jsonl").write_text("\n".join(known[:7]) + "\n" + known[7][:40])
    again = batch(MODELS, mode="bmc", bound=4, jobs=2, output="results.jsonl", resume=True)
    assert [result.verdict for result in again] == [result.verdict for result in results]
    kept = pathlib.Path("results.jsonl").read_text().splitlines()
    assert kept[:7] == known[:7] and len(kept) == 19


def test_an_executor_will_do(folder):
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = batch("relay.rcp", client=pool)
    assert [result.verdict for result in results] == ["violated", "holds", "violated", "violated", "violated"]


def test_files_with_errors_have_records(folder):
    results = batch(["broken.rcp", "relay.rcp"], mode="bmc", bound=3)
    assert [result.verdict for result in results][0] == "error" and len(results) == 6
    with pytest.raises(ValueError, match="resume"):
        batch("relay.rcp", resume=True)


def killer(stop):
    """Kills the worker processes of units at random moments, three times."""
    left = 3
    while left and not stop.is_set():
        listed = subprocess.run(["pgrep", "--parent", str(os.getpid()), "--full", "never unit "], capture_output=True, text=True)
        for process in listed.stdout.split()[:1]:
            try:
                os.kill(int(process), signal.SIGKILL)
                left -= 1
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def test_whoever_is_killed_is_asked_again(folder):
    stop = threading.Event()
    kills = threading.Thread(target=killer, args=(stop,))
    kills.start()
    try:
        results = batch(MODELS, mode="bmc", bound=4, jobs=2, retries=5)
    finally:
        stop.set()
        kills.join()
    assert len(results) == 19 and all(result.verdict in ("clear", "violated") for result in results)


DASK = """
import os, random, signal, sys, threading
from distributed import Client, LocalCluster
from rcheck_smt import batch

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        def kill():
            process = next(iter(cluster.workers.values())).process.process
            os.kill(process.pid, signal.SIGKILL)
        threading.Timer(random.uniform(0.2, 1), kill).start()
        results = batch(["relay.rcp", "ticket_lock.rcp"], mode="bmc", bound=4, client=client, output="dask.jsonl")
        print(len(results), {result.verdict for result in results} <= {"clear", "violated"})
"""


@pytest.mark.cluster
def test_dask_loses_nothing(folder):
    pytest.importorskip("distributed")
    (folder / "dask_job.py").write_text(DASK)
    done = subprocess.run([sys.executable, "dask_job.py"], capture_output=True, text=True)
    assert done.stdout == "19 True\n", done.stderr


def test_small_units_share_a_process(folder):
    first = batch(MODELS, mode="bmc", bound=4, output="first.jsonl")
    listed = rcheck_smt._batch._listed(MODELS, {"mode": "bmc", "bound": 4})
    assert len(rcheck_smt._batch._jobs(listed, None)) == 19, "nobody knows what is small"
    known = [json.loads(line) for line in open("first.jsonl")]
    for record in known:
        record["seconds"]["wall"] = 10.0 if record["name"] == "calls_go_on" else 0.3
    pathlib.Path("known.jsonl").write_text("".join(json.dumps(record) + "\n" for record in known))
    jobs = rcheck_smt._batch._jobs(listed, "known.jsonl")
    assert [len(job) for job in jobs] == [1, 6, 6, 6] and jobs[0][0].startswith("ticket_lock.rcp:spec-9@")
    assert sorted(sum(jobs, [])) == sorted(unit["id"] for unit in listed)
    assert batch(MODELS, mode="bmc", bound=4, jobs=2, slowest_first="known.jsonl") == first
