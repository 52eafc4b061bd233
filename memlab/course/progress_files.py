"""Progress as a file to hand in, and the table that a teacher makes of many.

The file has two things for each notebook: the minutes, and which gaps have
passed, with theirs. It has no name, no code, no text and no date; a row is
named after the file, and the teacher or the learner chooses that name. Files
from others are data that may hold anything, so whatever is not understood
becomes a row with the reason.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from memlab.course.display import Table, table
from memlab.course.exercise_files import Gap
from memlab.course.own_minutes import Taken
from memlab.errors import CourseError
from memlab.text import shorten, visible

VERSION = 1
_KEY = "memlab_progress"
_MOST_BYTES = 200_000
_MOST_MINUTES = 100_000
_STUCK_SHOWN = 10
_WIDEST_NAME = 32
ABOUT = (
    "The minutes for each notebook, and which gaps have passed. No name, no"
    " code, no date."
)


@dataclass(frozen=True)
class Learner:
    """One file: the minutes of the notebooks that were begun, and the gaps
    that have passed. ``problem`` says why a file could not be read.
    """

    name: str
    minutes: Mapping[int, float] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()
    problem: str = ""


def save_progress(
    path: Path,
    taken: Mapping[int, Taken],
    passed: Iterable[str],
    gaps: Sequence[Gap],
) -> None:
    """Write the file to hand in; raises CourseError if something else is
    there, or if it cannot be written.
    """
    done = set(passed)
    rows: dict[str, Any] = {}
    for number in sorted({gap.notebook for gap in gaps} | set(taken)):
        own = taken.get(number, Taken())
        found = {
            gap.name: round(own.gaps.get(gap.name, 0.0), 1)
            for gap in gaps
            if gap.notebook == number and gap.name in done
        }
        if found or own.minutes:
            rows[f"{number:02d}"] = {
                "minutes": round(own.minutes, 1),
                "gaps": found,
            }
    content = {_KEY: VERSION, "about": ABOUT, "notebooks": rows}
    if path.exists() and _read(path, path.name).problem:
        raise CourseError(
            "there is something else already",
            where=path,
            do="Choose another name; memlab replaces only its own files",
        )
    half = path.with_name(f".{path.name}.new")
    try:
        half.write_text(f"{json.dumps(content, indent=1)}\n", "utf-8")
        os.replace(half, path)
    except OSError as error:
        raise CourseError(
            f"cannot be written: {error.strerror}",
            where=path,
            do="Choose another folder",
        ) from error


def read_learners(given: Iterable[Path]) -> list[Learner]:
    """Read files, and the ``.json`` files in folders, in the order given.

    A file that is given twice, and one with the same content as an earlier
    one, is not counted again.
    """
    learners: list[Learner] = []
    seen: dict[object, str] = {}
    for path in _files(given):
        name = _name(path, {learner.name for learner in learners})
        learner = _read(path, name)
        if not learner.problem:
            content = (frozenset(learner.minutes.items()), learner.passed)
            for key in (os.path.realpath(path), content):
                if key in seen and (learner.minutes or learner.passed):
                    same = f"the same as {seen[key]}; not counted again"
                    learner = Learner(name, problem=same)
                    break
            else:
                seen[os.path.realpath(path)] = seen[content] = name
        learners.append(learner)
    return learners


def learners_table(
    learners: Sequence[Learner],
    gaps: Sequence[Gap],
    estimates: Mapping[int, int],
) -> Table:
    """Make one row per file: how many gaps of each notebook have passed, and
    all minutes next to the estimate for the notebooks that were begun.
    """
    numbers = _begun(learners, gaps)
    rows = []
    for learner in learners:
        cells = [_cell(learner, number, gaps) for number in numbers]
        own = _notebooks_of(learner, gaps)
        passed = len(learner.passed & {gap.name for gap in gaps})
        minutes = round(sum(learner.minutes.values()))
        estimate = sum(estimates.get(number, 0) for number in own)
        counts = (
            ("", "", "")
            if learner.problem
            else (str(passed), str(minutes), str(estimate))
        )
        rows.append((learner.name, *cells, *counts, learner.problem))
    headers = (
        "name",
        *(f"{number:02d}" for number in numbers),
        "passed",
        "minutes",
        "estimate",
        "not read because",
    )
    return _without_empty_last(rows, headers)


def notebooks_table(
    learners: Sequence[Learner],
    gaps: Sequence[Gap],
    estimates: Mapping[int, int],
) -> Table:
    """Make one row per notebook: who began, who has passed all of its gaps
    apart from the bonus, and the median of the minutes.
    """
    rows = []
    for number in _begun(learners, gaps):
        begun = [one for one in learners if number in _notebooks_of(one, gaps)]
        wanted = _wanted(number, gaps)
        done = [one for one in begun if wanted <= one.passed]
        minutes = [
            one.minutes[number] for one in begun if number in one.minutes
        ]
        rows.append(
            (
                f"{number:02d}",
                len(begun),
                len(done),
                f"{median(minutes):.0f}" if minutes else "",
                estimates.get(number, 0),
            )
        )
    headers = ("notebook", "begun", "done", "median minutes", "estimate")
    return table(rows, headers)


def stuck_table(learners: Sequence[Learner], gaps: Sequence[Gap]) -> Table:
    """List the gaps that most people have not passed although they have begun
    the notebook, without the bonus.
    """
    rows = []
    for gap in gaps:
        begun = [
            one for one in learners if gap.notebook in _notebooks_of(one, gaps)
        ]
        missing = sum(gap.name not in one.passed for one in begun)
        if missing and not gap.bonus:
            rows.append((gap.name, f"{gap.notebook:02d}", missing, len(begun)))
    rows.sort(key=lambda row: (-row[2], -row[2] / row[3]))
    headers = ("gap", "notebook", "not passed", "begun")
    return table(rows[:_STUCK_SHOWN], headers)


def as_csv(shown: Table) -> str:
    """Return a table as CSV; a cell that a spreadsheet would run as a formula
    gets an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (shown.headers, *shown.rows):
        writer.writerow(
            f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell
            for cell in row
        )
    return out.getvalue()


def _files(given: Iterable[Path]) -> Iterator[Path]:
    for path in given:
        if path.is_dir():
            yield from sorted(
                one for one in path.glob("*.json") if one.name[0] != "."
            )
        else:
            yield path


def _name(path: Path, taken: set[str]) -> str:
    name = shorten(visible(path.stem).replace("\n", " "), _WIDEST_NAME)
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name} ({number})", number + 1
    return unique


def _read(path: Path, name: str) -> Learner:
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return Learner(name, problem="it is not a file")
        if found.st_size > _MOST_BYTES:
            return Learner(name, problem="it is much too large")
        if not found.st_size:
            return Learner(name, problem="it is empty")
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Learner(name, problem="there is no such file")
    except OSError as error:
        return Learner(name, problem=error.strerror or "it cannot be read")
    except (ValueError, RecursionError):
        return Learner(name, problem="it is not JSON")
    return _understand(content, name)


def _understand(content: Any, name: str) -> Learner:
    """Take what is needed from a parsed file. Files of ``my/minutes.json``
    have the same shape, without a version.
    """
    if not isinstance(content, dict) or "notebooks" not in content:
        return Learner(name, problem="it is not a progress file")
    version = content.get(_KEY, VERSION)
    if version != VERSION:
        return Learner(name, problem="it was made by another version")
    minutes: dict[int, float] = {}
    passed: set[str] = set()
    try:
        for number, row in content["notebooks"].items():
            if len(number) != 2 or not number.isdecimal():
                raise ValueError
            taken = float(row["minutes"])
            if not math.isfinite(taken) or not 0 <= taken <= _MOST_MINUTES:
                raise ValueError
            minutes[int(number)] = taken
            passed.update(row["gaps"].keys())
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return Learner(name, problem="its content is not what memlab writes")
    return Learner(name, minutes, frozenset(passed))


def _begun(learners: Iterable[Learner], gaps: Sequence[Gap]) -> list[int]:
    known = {gap.notebook for gap in gaps}
    numbers: set[int] = set()
    for learner in learners:
        numbers |= _notebooks_of(learner, gaps)
    return sorted(numbers & known)


def _notebooks_of(learner: Learner, gaps: Sequence[Gap]) -> set[int]:
    """Return the notebooks that somebody has begun."""
    passed = {gap.notebook for gap in gaps if gap.name in learner.passed}
    return passed | set(learner.minutes)


def _wanted(number: int, gaps: Sequence[Gap]) -> set[str]:
    return {
        gap.name for gap in gaps if gap.notebook == number and not gap.bonus
    }


def _cell(learner: Learner, number: int, gaps: Sequence[Gap]) -> str:
    if number not in _notebooks_of(learner, gaps):
        return ""
    wanted = _wanted(number, gaps)
    return f"{len(wanted & learner.passed)}/{len(wanted)}"


def _without_empty_last(
    rows: list[tuple[str, ...]], headers: tuple[str, ...]
) -> Table:
    if any(row[-1] for row in rows):
        return table(rows, headers)
    return table([row[:-1] for row in rows], headers[:-1])
