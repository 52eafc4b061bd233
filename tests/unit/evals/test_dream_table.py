from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from memlab.evals.dream_set import DreamCase, files_before, mtimes_before
from memlab.evals.dream_table import (
    FOLDER,
    DreamRow,
    dream_table,
    drops_everything,
    lay_out,
    lines,
    misses,
    rules_in_a_transaction,
    sleeps_through,
)
from memlab.evals.labelled_dream import load_dreams

from memlab.dream import ConsolidationLock

CASES = load_dreams(FOLDER)


def half(name: str) -> list[DreamCase]:
    return [case for case in CASES if case.half == name]


def test_a_case_is_laid_out_with_its_times(tmp_path: Path) -> None:
    [case] = [case for case in CASES if case.id == "mixed-1"]
    place = lay_out(case, tmp_path / "home")
    files = place.files()
    assert {file: files[file] for file in files_before(case)} == files_before(case)
    for file, moment in mtimes_before(case).items():
        stamp = (place.memory / file).stat().st_mtime
        assert datetime.fromtimestamp(stamp, UTC) == moment
    lock = ConsolidationLock(place.memory, clock=place.context.clock)
    assert lock.last_consolidated_at() == case.last_dream
    [transcript] = place.transcripts
    told = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    assert [one["type"] for one in told] == ["user", "assistant"]
    assert told[0]["timestamp"] == "2026-04-30T10:15:00Z"
    assert datetime.fromtimestamp(transcript.stat().st_mtime, UTC) > case.last_dream


def test_a_tools_result_is_no_word_of_the_person(tmp_path: Path) -> None:
    [case] = [case for case in CASES if case.id == "hostile-1"]
    [transcript] = lay_out(case, tmp_path / "home").transcripts
    told = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    kinds = [[block["type"] for block in one["message"]["content"]] for one in told[1:3]]
    assert kinds == [["tool_use"], ["tool_result"]]


@pytest.mark.parametrize(("name", "nothing", "everything"), [("work", 88, 51), ("final", 88, 54)])
def test_the_rows_every_other_is_compared_with(name: str, nothing: int, everything: int) -> None:
    dreamers = {"nothing": sleeps_through, "everything": drops_everything}
    rows = asyncio.run(dream_table(dreamers, half(name)))
    assert [row.score.conditions_met for row in rows] == [nothing, everything]
    assert [row.score.cases_met for row in rows] == [2, 0]
    assert rows[1].score.lost > 30
    assert lines(rows)[1].split()[:4] == ["nothing", "2", "of", "9"]
    assert "duplicates" in misses(rows[0])[0] or "dates" in misses(rows[0])[0]


@pytest.mark.parametrize("name", ["work", "final"])
def test_the_rules_lose_nothing_and_put_most_in_order(name: str) -> None:
    [row] = asyncio.run(dream_table({"rules": rules_in_a_transaction}, half(name)))
    assert isinstance(row, DreamRow)
    assert row.score.lost == 0, misses(row)
    assert row.score.cases_met >= 8, misses(row)
