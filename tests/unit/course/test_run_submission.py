from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from memlab.course.run_submission import run_calls


def test_values_come_back_in_order() -> None:
    assert [result.value for result in run_calls(lambda x: x + 1, [(1,), (2,)])] == [2, 3]


def test_the_first_error_ends_the_trial() -> None:
    results = run_calls(lambda x: 1 // x, [(1,), (0,), (1,)])
    assert len(results) == 2
    assert isinstance(results[1].error, ZeroDivisionError)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RecursionError])
def test_even_an_exit_is_caught(error: type[BaseException]) -> None:
    def leave(x: int) -> None:
        raise error

    assert isinstance(run_calls(leave, [(1,)])[0].error, error)


def test_a_changed_argument_is_noticed_and_the_original_is_safe() -> None:
    given = [3, 1, 2]
    results = run_calls(lambda row: row.sort(), [(given,)])
    assert results[0].changed
    assert given == [3, 1, 2]
    assert not run_calls(sorted, [(given,)])[0].changed


def test_output_is_kept_with_its_call(capsys: pytest.CaptureFixture[str]) -> None:
    def talk(x: int) -> int:
        print("noise", x)
        print("warning", x, file=sys.stderr)
        return 1 // x

    results = run_calls(talk, [(1,), (0,)])
    assert [result.printed for result in results] == [
        "noise 1\nwarning 1\n",
        "noise 0\nwarning 0\n",
    ]
    assert capsys.readouterr() == ("", "")


def test_an_endless_loop_is_given_up_on_and_ended() -> None:
    entered = threading.Event()
    workers: list[threading.Thread] = []

    def loop(x: int) -> int:
        if x == 1:
            return x
        print("in the loop")
        entered.set()
        while True:
            x += 1

    def patience(thread: threading.Thread) -> Any:
        workers.append(thread)
        entered.wait()

    results = run_calls(loop, [(1,), (2,)], patience)
    assert [result.value for result in results] == [1, None]
    assert [result.stopped for result in results] == [False, True]
    assert results[1].printed == "in the loop\n"
    assert not workers[0].is_alive()


def test_of_endless_output_only_the_beginning_is_kept() -> None:
    def talk(x: int) -> None:
        for _ in range(50):
            print("tide " * 1_000)

    assert len(run_calls(talk, [(1,)])[0].printed) == 10_000


def test_a_busy_machine_gets_more_time_as_long_as_calls_come_back() -> None:
    begun, go = threading.Semaphore(0), threading.Semaphore(0)

    def slow(number: int) -> int:
        begun.release()
        go.acquire()
        return number

    waits = iter([1, 1, 0])

    def patience(thread: threading.Thread) -> None:
        begun.acquire()
        go.release()
        if next(waits):  # until the next call has begun
            begun.acquire()
            begun.release()
        else:
            thread.join()

    results = run_calls(slow, [(1,), (2,), (3,)], patience)
    assert [result.value for result in results] == [1, 2, 3]


TRACED = """
import sys, threading
{before}
sys.settrace(lambda *_: None)
(lambda: None)()
sys.settrace(None)
print("traced")
"""
LOADED = """
from pathlib import Path
from memlab.course.parts_file import load_parts, parse_parts
heading = "# ---- one (notebook 00): passed ----"
parts = parse_parts(f"# memlab parts, version 1\\n{heading}\\ndef one(): return 1\\n")
found, problems = load_parts(parts, Path("memory.py"))
assert found["one"]() == 1 and not problems
"""
STOPPED = """
from memlab.course.run_submission import run_calls, wait_for
forever = threading.Event()
(result,) = run_calls(lambda: forever.wait(), [()], wait_for(0.01))
assert result.stopped
"""


@pytest.mark.parametrize("before", [LOADED, STOPPED], ids=["parts loaded", "call stopped"])
def test_a_debugger_works_in_a_kernel_where(before: str, tmp_path: Path) -> None:
    """Python 3.11 hung in the first traced function, so this needs a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-c", TRACED.format(before=before)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert ended.stdout == "traced\n", ended.stderr
