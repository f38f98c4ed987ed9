"""Many units on several workers."""

import concurrent.futures
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import rcheck_smt
from rcheck_smt import IncompleteError, ToolError, batch, units

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
    # An answered question is not asked again.
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


def test_a_killed_unit_is_asked_again(folder):
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


SLOW = """#!/bin/sh
case " $* " in *" unit "*) sleep {seconds} ;; esac
exec {tool} "$@"
"""

HAPPENS = """
import os, subprocess, sys, threading, time
from distributed import Client, Future, LocalCluster
from rcheck_smt import IncompleteError, Interrupted, batch

def cancel(cluster):
    with Client(cluster, set_as_default=False) as other:
        keys = other.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
        other.cancel([Future(key, other) for key in keys], force=True)

def interrupt(cluster):
    os.kill(os.getpid(), 2)

def close(cluster):
    cluster.close()

def grow(cluster):
    cluster.scale(4)

def watch(cluster, seen):
    while True:
        seen.append(len(cluster.scheduler.workers))
        time.sleep(0.1)

def tools():
    return subprocess.run(["pgrep", "--full", f"unit .*{os.getcwd()}"], capture_output=True, text=True).stdout.split()

if __name__ == "__main__":
    what = sys.argv[1]
    with LocalCluster(n_workers=0 if what == "adapt" else 1, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            seen = []
            threading.Thread(target=watch, args=(cluster, seen), daemon=True).start()
            if what == "adapt":
                cluster.adapt(minimum=0, maximum=3, interval="200ms", target_duration="1s")
            else:
                threading.Timer(3, globals()[what], [cluster]).start()
            try:
                print(len(batch(os.path.abspath("ticket_lock.rcp"), mode="bmc", bound=3, client=client)), max(seen))
            except (IncompleteError, Interrupted) as error:
                print(type(error).__name__, 0 < len(error.results) < 14, len(error.results) + len(getattr(error, "lost", ())))
                limit = time.monotonic() + 20
                while tools() and time.monotonic() < limit:
                    time.sleep(0.1)
                print(tools())
"""


@pytest.mark.cluster
@pytest.mark.parametrize(
    "what, said",
    [
        ("cancel", "IncompleteError True 14\n[]\n"),
        ("close", "IncompleteError True 14\n[]\n"),
        ("interrupt", "Interrupted True"),
        ("grow", "14 4\n"),
        ("adapt", "14 3\n"),
    ],
)
def test_what_happens_to_dask(folder, monkeypatch, what, said):
    pytest.importorskip("distributed")
    (folder / "slow").write_text(SLOW.format(seconds=1 if what != "interrupt" else 2, tool=rcheck_smt.executable()))
    (folder / "slow").chmod(0o755)
    (folder / "dask_job.py").write_text(HAPPENS)
    monkeypatch.setenv("RCHECK_SMT", str(folder / "slow"))
    done = subprocess.run([sys.executable, "dask_job.py", what], capture_output=True, text=True, timeout=300)
    assert done.stdout.startswith(said), (done.stdout, done.stderr)
    if what == "interrupt":
        assert done.stdout.endswith("\n[]\n"), (done.stdout, done.stderr)


def test_small_units_share_a_process(folder):
    first = batch(MODELS, mode="bmc", bound=4, output="first.jsonl")
    listed = rcheck_smt._batch._listed(MODELS, {"mode": "bmc", "bound": 4})
    assert len(rcheck_smt._batch._jobs(listed, None)) == 19, "the small units are not known"
    known = [json.loads(line) for line in open("first.jsonl")]
    for record in known:
        record["seconds"]["wall"] = 10.0 if record["name"] == "calls_go_on" else 0.3
    pathlib.Path("known.jsonl").write_text("".join(json.dumps(record) + "\n" for record in known))
    jobs = rcheck_smt._batch._jobs(listed, "known.jsonl")
    assert [len(job) for job in jobs] == [1, 6, 6, 6] and jobs[0][0].startswith("ticket_lock.rcp:spec-9@")
    assert sorted(sum(jobs, [])) == sorted(unit["id"] for unit in listed)
    assert batch(MODELS, mode="bmc", bound=4, jobs=2, slowest_first="known.jsonl") == first


def test_wrong_arguments_are_told(folder):
    for wrong in ({"jobs": 0}, {"retries": -1}):
        with pytest.raises(ValueError, match="from 0"):
            batch("relay.rcp", **wrong)
    with pytest.raises(TypeError, match="no client of Dask"):
        batch("relay.rcp", client="scheduler:8786")
    for wrong, words in (({"bond": 3}, "'bond' is no option"), ({"html": "page.html"}, "`rcheck-smt report` writes that")):
        for ask in (batch, units):
            with pytest.raises(TypeError, match=words):
                ask("relay.rcp", **wrong)
    with pytest.raises(ToolError, match="LIMITS|no constant|const"):
        batch("relay.rcp", const={"LIMITS": "three"})
    with pytest.raises(ValueError, match="nothing to verify"):
        batch([])
    (folder / "empty").mkdir()
    with pytest.raises(ToolError, match="empty: the folder has no model"):
        batch(["relay.rcp", "empty"])


def test_only_results_are_overwritten(folder):
    for name in ("relay.rcp", "ticket_lock.rcp"):
        before = pathlib.Path(name).read_text()
        for resume in (False, True):
            with pytest.raises(ToolError, match="no file of results"):
                batch("relay.rcp", output=name, resume=resume)
        assert pathlib.Path(name).read_text() == before
    pathlib.Path("number.json").write_text("3\n")
    with pytest.raises(ToolError, match="no file of results"):
        batch("relay.rcp", output="number.json")
    with pytest.raises(ToolError):
        batch("relay.rcp", mode="prof", output="new.jsonl")
    assert not pathlib.Path("new.jsonl").exists(), "nothing came of it"
    batch("relay.rcp", mode="bmc", bound=3, output="/dev/null")
    assert pathlib.Path("/dev/null").is_char_device()
    os.symlink("real.jsonl", "link.jsonl")
    batch("relay.rcp", mode="bmc", bound=3, output="link.jsonl", resume=True)
    assert os.path.islink("link.jsonl") and len(pathlib.Path("real.jsonl").read_text().splitlines()) == 5


def test_one_run_at_a_time_writes_a_file(folder):
    with rcheck_smt._batch._Journal("results.jsonl") as journal:
        journal.begin(None)
        with pytest.raises(ToolError, match="another run is writing"):
            batch("relay.rcp", mode="bmc", bound=3, output="results.jsonl")
        with pytest.raises(ToolError, match="another run is writing"):
            rcheck_smt._tool.run(["batch", "relay.rcp", "--output", "results.jsonl"])
    assert len(batch("relay.rcp", mode="bmc", bound=3, output="results.jsonl")) == 5


def test_results_are_in_the_order_of_the_tool_and_say_what_they_are_about(folder):
    source = pathlib.Path("ticket_lock.rcp").read_text()
    pathlib.Path("limit.rcp").write_text(f"const LIMIT = 9;\n{source.partition('// name:')[0]}// name: few\nSPEC G (desk-next < LIMIT);\n")
    results = batch("limit.rcp", mode="bmc", bound=3, const={"LIMIT": range(9, 12)}, jobs=2)
    assert [result.constants["LIMIT"] for result in results] == [9, 10, 11]
    assert results[-1].system == "limit.rcp (LIMIT = 11)" and results[-1] != results[-2]
    assert "limit.rcp (LIMIT = 9): 1 few: clear" in repr(results) and "limit.rcp" not in repr(results[-1:])
    assert "<td>limit.rcp (LIMIT = 10)</td>" in results._repr_html_()


def test_frames_tell_models_and_constants(folder):
    pytest.importorskip("pandas")
    source = pathlib.Path("relay.rcp").read_text()
    pathlib.Path("limit.rcp").write_text(f"const LIMIT = 9;\n{source.partition('// name:')[0]}// name: few\nSPEC G (sink-got < LIMIT);\n")
    frame = batch("limit.rcp", mode="bmc", bound=3, const={"LIMIT": range(9, 12)}).to_frame()
    assert list(frame["const_LIMIT"]) == [9, 10, 11] and set(frame["model"]) == {"limit.rcp"}


def test_a_changed_model_leaves_no_results_of_before(folder):
    batch(MODELS, mode="bmc", bound=3, output="results.jsonl")
    with open("relay.rcp", "a") as file:
        file.write("// edited\n")
    results = batch("relay.rcp", mode="bmc", bound=3, output="results.jsonl", resume=True)
    kept = [json.loads(line) for line in open("results.jsonl")]
    # Those of the other model stay; here are those that were asked for.
    assert len(results) == 5 and len(kept) == 19
    assert len({record["id"] for record in kept}) == 19 and len({record["sha256"] for record in kept}) == 2
    # Another mode is another question.
    batch("relay.rcp", mode="prove", output="results.jsonl", resume=True)
    assert sum(1 for _ in open("results.jsonl")) == 24
    again = batch("relay.rcp", mode="bmc", bound=3, output="results.jsonl", resume=True)
    assert again == results
    # So is another check.
    batch("relay.rcp", mode="bmc", bound=3, deadlock=True, output="results.jsonl", resume=True)
    assert sum(1 for _ in open("results.jsonl")) == 25


def test_certificates_are_written(folder):
    (result,) = [result for result in batch("relay.rcp", certificate="evidence") if result.verdict == "holds"]
    assert result.record["evidence"] and all(pathlib.Path(path).exists() for path in result.record["evidence"])


class Elsewhere(concurrent.futures.ThreadPoolExecutor):
    """A worker that has other files than the one who asks, for one of the models."""

    def submit(self, work, asked, **options):
        pathlib.Path("relay.rcp").write_text("// changed\n" + RELAY)
        return super().submit(work, asked, **options)


def test_a_unit_without_a_result_costs_itself(folder):
    global RELAY
    RELAY = pathlib.Path("relay.rcp").read_text()
    with Elsewhere(2) as client, pytest.raises(IncompleteError, match="5 of 19 units have no result: relay.rcp:spec-1@.*changed") as refused:
        batch(MODELS, mode="bmc", bound=3, client=client, output="results.jsonl")
    assert len(refused.value.results) == 14
    assert len(refused.value.lost) == 5 and all(name.startswith("relay.rcp:") for name in refused.value.lost)
    assert len(pathlib.Path("results.jsonl").read_text().splitlines()) == 14
    assert len(batch(MODELS, mode="bmc", bound=3, output="results.jsonl", resume=True)) == 19


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_that_breaks_loses_nothing(folder):
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        pool.submit(die)
        assert len(batch("relay.rcp", mode="bmc", bound=3, client=pool)) == 5
        assert len(batch("relay.rcp", mode="bmc", bound=3, client=pool, jobs=1)) == 5, "it is broken now"


class Closing(concurrent.futures.ThreadPoolExecutor):
    """Is closed after the first jobs."""

    def submit(self, work, asked, **options):
        if "spec-3" in asked[0]:
            self.shutdown(wait=False, cancel_futures=True)
        return super().submit(work, asked, **options)


class Cancelling(concurrent.futures.ThreadPoolExecutor):
    """Cancels a job."""

    def submit(self, work, asked, **options):
        if "spec-3" not in asked[0]:
            return super().submit(work, asked, **options)
        future = concurrent.futures.Future()
        future.cancel()
        return future


def test_a_cancelled_unit_is_named(folder):
    with Cancelling(1) as client, pytest.raises(IncompleteError, match="1 of 5 .* relay.rcp:spec-3@.*it was cancelled") as refused:
        batch("relay.rcp", mode="bmc", bound=3, client=client, output="results.jsonl")
    assert len(refused.value.results) == 4 and len(refused.value.lost) == 1
    with Closing(1) as client, pytest.raises(IncompleteError, match="RuntimeError: cannot schedule new futures") as refused:
        batch("relay.rcp", mode="bmc", bound=3, client=client)
    assert isinstance(refused.value.__cause__, RuntimeError) and len(refused.value.lost) == 5
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.lost, again.results) == (str(refused.value), refused.value.lost, refused.value.results)


def test_a_client_that_cannot_wait_is_refused(folder):
    class Client:
        asynchronous = True

        def submit(self):
            pass

    with pytest.raises(TypeError, match="asynchronous"):
        batch("relay.rcp", client=Client())


ALWAYS_KILLED = """#!/usr/bin/env python3
import os, subprocess, sys
tool = {tool!r}
done = subprocess.run([tool, *sys.argv[1:]], stdout=subprocess.PIPE)
sys.stdout.buffer.write(done.stdout)
sys.exit(4 if "unit" in sys.argv and any("spec-2" in word for word in sys.argv) else done.returncode)
"""


def test_a_unit_that_is_always_killed_costs_itself(folder, monkeypatch):
    script = folder / "killed"
    script.write_text(ALWAYS_KILLED.format(tool=rcheck_smt.executable()))
    script.chmod(0o755)
    monkeypatch.setenv("RCHECK_SMT", str(script))
    assert len(batch("relay.rcp", mode="bmc", bound=3, jobs=2, retries=1)) == 5


# A tool that sees how much memory the C library of its process keeps.
FRUGAL = """#!{python}
import os, subprocess, sys
if "MALLOC_TRIM_THRESHOLD_" in os.environ:
    sys.exit("the C library gives back memory at once")
sys.exit(subprocess.run(["{tool}", *sys.argv[1:]]).returncode)
"""


def test_solvers_keep_their_memory(folder, monkeypatch):
    script = folder / "frugal"
    script.write_text(FRUGAL.format(python=sys.executable, tool=rcheck_smt.executable()))
    script.chmod(0o755)
    monkeypatch.setenv("RCHECK_SMT", str(script))
    # As workers of Dask have it.
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    assert len(batch("relay.rcp", mode="bmc", bound=3, jobs=2)) == 5


INTERRUPTED = """
import _thread, os
from rcheck_smt import Interrupted, batch, _batch

def add(self, line, add=_batch._Journal.add):
    # As soon as something is known, the user presses Ctrl-C.
    add(self, line)
    _thread.interrupt_main()

_batch._Journal.add = add
try:
    batch("load_balancing.rcp", mode="bmc", bound=90, jobs=2)
except Interrupted as interrupted:
    print(len(interrupted.results) > 0)
"""


def test_ctrl_c_waits_for_no_worker(folder):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n", done


POOLED = """
import concurrent.futures, os, signal, subprocess, sys, threading, time
from rcheck_smt import Interrupted, batch

def tools():
    found = subprocess.run(["pgrep", "--full", f"never unit .* -- {os.getcwd()}"], capture_output=True, text=True)
    return found.stdout.split()

def press():
    while len(tools()) < 2:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

if __name__ == "__main__":
    with getattr(concurrent.futures, sys.argv[1])(2) as pool:
        threading.Thread(target=press).start()
        try:
            batch(os.path.abspath("load_balancing.rcp"), mode="bmc", bound=90, client=pool)
        except Interrupted:
            while tools():
                time.sleep(0.05)
            print("they ended")
"""


@pytest.mark.parametrize("pool", ["ThreadPoolExecutor", "ProcessPoolExecutor"])
def test_ctrl_c_ends_who_is_at_work_in_a_pool(folder, pool):
    (folder / "pooled.py").write_text(POOLED)
    done = subprocess.run([sys.executable, "pooled.py", pool], capture_output=True, text=True, timeout=300)
    assert done.stdout == "they ended\n", done.stderr


KILLED = """
import os
from rcheck_smt import Model
Model.load(os.path.abspath("load_balancing.rcp")).bmc("gifts_cancel_out", bound=90)
"""


def test_the_tool_does_not_outlive_who_asked(folder):
    asks = subprocess.Popen([sys.executable, "-c", KILLED])

    def tools():
        found = subprocess.run(["pgrep", "--full", f"never bmc .* -- {folder}"], capture_output=True, text=True)
        return found.stdout.split()

    while asks.poll() is None and not tools():
        time.sleep(0.05)
    asks.kill()
    asks.wait()
    while tools():
        time.sleep(0.05)
