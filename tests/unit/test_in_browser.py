"""What replaces threads in a browser, tried on this machine's Python."""

from __future__ import annotations

import gc
import sys
import zipfile
from pathlib import Path

import pytest

from memlab.course import download, run_submission
from memlab.errors import CourseError
from memlab.in_browser import limit_by_tracing


class OverError(BaseException):
    """The time is over."""


def forever(number: int) -> int:
    while number:
        pass
    return number


def test_an_endless_loop_ends_when_the_time_is_over() -> None:
    before = sys.gettrace()
    gc.disable()  # a finalizer of another test's objects would swallow the error
    try:
        with pytest.raises(OverError), limit_by_tracing(0.0, OverError):
            forever(1)
    finally:
        gc.enable()
    assert sys.gettrace() is before


def test_calls_without_a_thread_give_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [(1,), (0,), (2,)]

    def inverse(number: int) -> float:
        print(number)
        return 1 / number

    with_thread = run_submission.run_calls(inverse, calls)
    monkeypatch.setattr(run_submission, "IN_BROWSER", True)
    without = run_submission.run_calls(inverse, calls)
    assert [(one.value, one.printed, repr(one.error)) for one in without] == [
        (one.value, one.printed, repr(one.error)) for one in with_thread
    ]
    assert len(without) == 2


def test_a_call_without_end_is_stopped_and_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_submission, "IN_BROWSER", True)
    monkeypatch.setattr(run_submission, "SECONDS", 0.02)
    results = run_submission.run_calls(forever, [(0,), (1,), (0,)])
    assert [result.stopped for result in results] == [False, True]


def test_the_download_has_the_parts_and_the_notebooks_but_no_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_COURSE_HOME", str(tmp_path / "my"))
    monkeypatch.setattr(download, "DRIVE", tmp_path / "drive")
    with pytest.raises(CourseError, match="nothing to download"):
        download.download_work()
    (tmp_path / "my/00").mkdir(parents=True)
    (tmp_path / "my/memory.py").write_text("# mine", encoding="utf-8")
    (tmp_path / "drive").mkdir()
    (tmp_path / "drive/00_start_here.ipynb").write_text("{}", encoding="utf-8")
    link = download.download_work()
    assert "download=" in link._repr_html_()
    packed = tmp_path / "work.zip"
    packed.write_bytes(link.data)
    assert zipfile.ZipFile(packed).namelist() == ["memory.py", "00_start_here.ipynb"]
