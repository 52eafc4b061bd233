"""The log keeps every answer that was written, whatever happens to the process that wrote it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.bench.answer import Answer
from memlab.bench.log import Log, LogError, Lost, Run, Spent, open_log, read_log
from memlab.ledger import Tokens
from memlab.text import visible
from tests.platforms import needs_posix

AT = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)


def a_run(**changes: Any) -> Run:
    values: dict[str, Any] = {
        "number": 1,
        "at": AT,
        "task": "select",
        "half": "work",
        "model": "m",
        "mode": "live",
        "variants": {"base": "a" * 12, "mine": "b" * 12},
        "repeats": 3,
        "planned": 6,
    }
    return Run(**values | changes)


def an_answer(**changes: Any) -> Answer:
    values: dict[str, Any] = {
        "task": "select",
        "variant": "base",
        "version": "a" * 12,
        "case": "t01",
        "case_version": "c" * 12,
        "half": "work",
        "repeat": 1,
        "model": "m",
        "mode": "live",
        "at": AT,
        "correct": True,
        "score": 1.0,
        "said": "a.md",
        "wanted": "a.md",
        "why": "It chose what was wanted.",
        "tokens": Tokens(uncached=90, output=10),
        "dollars": 0.25,
    }
    return Answer(**values | changes)


def written(path: Path, *answers: Answer, ended: str = "", **run: Any) -> Log:
    with open_log(path) as log:
        log.begin(a_run(number=log.log.number(a_run(**run)), **run))
        for answer in answers:
            log.append(answer)
        if ended:
            log.end(ended)
    return read_log(path)


def test_what_was_written_is_there_after_a_kill_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "select.jsonl"
    first, second = an_answer(), an_answer(repeat=2)
    written(path, first, second)
    whole = path.read_bytes()
    for cut in range(1, len(whole.splitlines(keepends=True)[-1])):
        path.write_bytes(whole[:-cut])
        log = read_log(path)
        assert list(log.answers) == [first.key]
        assert "the last line was cut off" in log.notice
    with open_log(path) as log_again:
        assert log_again.log.answers == {first.key: first}
        log_again.append(second)
    assert read_log(path).answers == {first.key: first, second.key: second}
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        ('{"run": {"number": "x"}}', "number: "),
        ('{"correct": true, "colour": "red"}', "task: "),
    ],
)
def test_any_other_damage_is_an_error_with_file_and_line(
    tmp_path: Path, line: str, problem: str
) -> None:
    path = tmp_path / "select.jsonl"
    written(path, an_answer(), an_answer(repeat=2))
    lines = path.read_text().splitlines()
    # the last line as well: what was edited by hand may not be deleted
    for number in (2, len(lines) - 1):
        edited = [*lines[:number], line, *lines[number + 1 :], ""]
        path.write_text("\n".join(edited))
        with pytest.raises(LogError) as raised:
            read_log(path)
        assert f"{path}:{number + 1}: " in str(raised.value)
        assert problem in str(raised.value)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"\xff\x00\n"])
def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "select.jsonl"
    path.write_bytes(content)
    with (
        pytest.raises(LogError, match=r"select\.jsonl:1: this line cannot be read"),
        open_log(path),
    ):
        pass
    assert path.read_bytes() == content


@needs_posix
def test_a_full_disk_leaves_no_half_line(tmp_path: Path) -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = tmp_path / "select.jsonl"
    first, second = an_answer(), an_answer(repeat=2)
    written(path, first)
    with open_log(path) as log:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 30, most))
        try:
            with pytest.raises(LogError, match=r"File too large\. Make room"):
                log.append(second)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        log.append(second)
    assert read_log(path).answers == {first.key: first, second.key: second}


def test_a_log_can_be_shown_in_a_terminal(tmp_path: Path) -> None:
    hostile = an_answer(said="\x1b[2J \x9b31m \u202e bidi \u2028 é 漢")
    path = tmp_path / "select.jsonl"
    assert written(path, hostile).answers == {hostile.key: hostile}
    text = path.read_text()
    assert visible(text) == text
    assert "é 漢" in text


def test_only_one_run_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "select.jsonl"
    refused = pytest.raises(LogError, match="another run is writing")
    with open_log(path), refused, open_log(path):
        pass
    with open_log(path):
        pass


def test_an_unfinished_run_keeps_its_number_and_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "select.jsonl"
    written(path, an_answer(), ended="interrupted")
    with open_log(path) as log:
        assert log.log.number(a_run()) == 1
        log.begin(a_run(number=1))
        log.lose(Lost(at=AT, case="t02", why="cut", tokens=Tokens(output=5), dollars=0.5))
    log_now = read_log(path)
    assert log_now.spent(1) == Spent(105, 0.75)
    assert log_now.number(a_run(variants={"base": "x"})) == 2
    assert log_now.number(a_run(half="final")) == 2
    log_now = written(path, an_answer(repeat=2), ended="finished")
    assert log_now.number(a_run()) == 2
    assert log_now.spent(2) == Spent()


def test_a_final_run_that_is_continued_or_that_asks_nothing_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "select.jsonl"
    final = {"half": "final"}
    assert written(path, an_answer()).final_runs() == {}
    written(path, an_answer(case="f1", **final), **final)
    written(path, an_answer(case="f2", **final), ended="finished", **final)
    again = written(path, ended="finished", **final)
    assert again.final_runs() == {"a" * 12: 1}
    other = {"variants": {"base": "a" * 12, "mine": "d" * 12}}
    third = written(
        path, an_answer(case="f1", version="d" * 12, **final), ended="finished", **final, **other
    )
    assert third.final_runs() == {"a" * 12: 1, "d" * 12: 1}
