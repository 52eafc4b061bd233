"""The labelled set of dreaming, read from its folder and checked.

Left out: what it is made of (``dream_set.py``), what it is judged with (``dream_score.py``), and
every dreamer. Whether a label is right, only a person can judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import yaml

from memlab.evals.dream_score import judge_dream
from memlab.evals.dream_set import Absolute, DreamCase, files_before
from memlab.evals.extract_set import alternatives, stands_in
from memlab.evals.labelled_select import LabelError
from memlab.evals.select_rules import HALVES
from memlab.memdir.index import INDEX

__all__ = ["CASE_KINDS", "LabelError", "broken_rules", "lint_dreams", "load_dreams"]

CASE_KINDS = (
    *("duplicates", "contradiction", "session", "dates", "stale"),
    *("index", "nothing", "hostile", "mixed"),
)
QUIET = ("nothing", "hostile")
LEAST_CASES = 14

# The one written in C, where PyYAML has it, reads the set ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORM = "Keep to the form in the folder's README.md."


def load_dreams(folder: Path | str) -> tuple[DreamCase, ...]:
    """Read the labelled dreams of that folder, file by file in the order of their names.

    Raises LabelError where a file is missing or not of the form its README describes.
    """
    paths = sorted(Path(folder).glob("*.yaml"))
    if not paths:
        raise LabelError("no cases", where=folder, do=_FORM)
    return tuple(case for path in paths for case in _cases(path))


def lint_dreams(folder: Path | str) -> list[str]:
    """Say everything that is wrong with the set in that folder; an empty list means nothing."""
    try:
        return list(broken_rules(load_dreams(folder)))
    except LabelError as error:
        return [str(error)]


def broken_rules(cases: Sequence[DreamCase]) -> Iterator[str]:
    """Say each rule the set breaks, with the case that breaks it."""
    for case in cases:
        yield from (f"{case.id}: {wrong}" for wrong in _case(case))
    ids = Counter(case.id for case in cases)
    yield from (f"{id}: used {n} times" for id, n in ids.items() if n > 1)
    if len(cases) < LEAST_CASES:
        yield f"{len(cases)} cases; at least {LEAST_CASES} are needed"
    cells = Counter((case.kind, case.half) for case in cases)
    for kind in CASE_KINDS:
        work, final = (cells[kind, half] for half in HALVES)
        if not work == final > 0:
            yield f"{kind} has {work} cases in work and {final} in final"
    projects = {half: {case.project for case in cases if case.half == half} for half in HALVES}
    for project in sorted(projects["work"] & projects["final"]):
        yield f"{project}: stands in both halves"


def _case(case: DreamCase) -> Iterator[str]:
    if case.half not in HALVES:
        yield f"no half is {case.half!r}"
    if case.kind not in CASE_KINDS:
        yield f"no kind is {case.kind!r}"
    yield from _files(case)
    yield from _times(case)
    yield from _texts(case)
    for wanted in case.must_be_absolute:
        yield from _counted(wanted, case)
    if not judge_dream(case, files_before(case)).failed and case.kind not in QUIET:
        yield "a dream that does nothing meets every condition"
    if judge_dream(case, files_before(case)).failed and case.kind in QUIET:
        yield "nothing is to be done here, and yet it fails"
    if not judge_dream(case, {INDEX: b""}).failed:
        yield "a dream that drops everything meets every condition"


def _files(case: DreamCase) -> Iterator[str]:
    there = {memory.file for memory in case.memories}
    if len(there) < len(case.memories):
        yield "a file stands in it twice"
    named = [file for merge in case.must_merge for file in merge.files]
    named += [drop.file for drop in case.must_drop]
    named += [keep.file for keep in case.must_keep if keep.file]
    named += [file for settled in case.settled for file in settled.files]
    named += [file for wanted in case.must_be_absolute for file in wanted.files]
    for file in (*named, *case.untouched, *case.may_go):
        if file not in there:
            yield f"no memory is {file}"
    changed = {file for merge in case.must_merge for file in merge.files} | set(case.may_go)
    changed |= {drop.file for drop in case.must_drop}
    for file in sorted(changed.intersection(case.untouched)):
        yield f"{file} must stay as it is and may not"
    if any(len(merge.files) < 2 for merge in case.must_merge):
        yield "one file alone cannot become one"


def _times(case: DreamCase) -> Iterator[str]:
    if case.last_dream > case.now or any(old.mtime > case.now for old in case.memories):
        yield "something is later than now"
    for session in case.sessions:
        times = [message.at for message in session.messages]
        if not times or times != sorted(times) or times[-1] > case.now:
            yield f"{session.id}: its messages are not in the order of their times"
        elif times[-1] <= case.last_dream:
            yield f"{session.id}: is older than the last dream"
        for message in session.messages:
            if message.role not in ("person", "agent", "tool"):
                yield f"{session.id}: no role is {message.role!r}"


def _texts(case: DreamCase) -> Iterator[str]:
    """Check that what must be kept stands somewhere before, and so does what must go."""
    memories = "\n".join(memory.text for memory in case.memories)
    heard = [message.text for session in case.sessions for message in session.messages]
    everything = "\n".join([memories, *heard, *(log.text for log in case.logs), _index_of(case)])
    old = {memory.file: memory.text for memory in case.memories}
    said = [text for keep in case.must_keep for text in keep.says]
    said += [text for settled in case.settled for text in settled.says]
    said += [text for rule in case.must_not_say for text in rule.says]
    for text in said:
        if not stands_in(text, everything) or "" in alternatives(text):
            yield f"{text!r} stands nowhere before the dream"
    for settled in case.settled:
        for gone in settled.gone:
            if not stands_in(gone, memories):
                yield f"{gone!r} must go and stands in no memory"
    for drop in case.must_drop:
        if not all(stands_in(text, old.get(drop.file, "")) for text in drop.says):
            yield f"{drop.file} must go, and does not say {', '.join(drop.says)}"


def _counted(wanted: Absolute, case: DreamCase) -> Iterator[str]:
    """Count a date once more, from the day its words were written."""
    old = {memory.file: memory for memory in case.memories}
    spoken = [old[file].text for file in wanted.files if file in old]
    days = {old[file].mtime.date() for file in wanted.files if file in old}
    days |= {message.at.date() for session in case.sessions for message in session.messages}
    if wanted.since not in days:
        yield f"nothing was written on {wanted.since}"
    if not any(stands_in(wanted.counted.words, text) for text in spoken):
        yield f"{wanted.counted.words!r} stands in none of {', '.join(wanted.files)}"
    counted = wanted.since + timedelta(days=wanted.counted.days)
    if counted != wanted.date:
        yield f"{wanted.counted.days} days after {wanted.since} is {counted}, not {wanted.date}"
    if f"{wanted.date:%A}" != wanted.counted.weekday:
        yield f"{wanted.date} is a {wanted.date:%A} and no {wanted.counted.weekday}"


def _index_of(case: DreamCase) -> str:
    return files_before(case)[INDEX].decode()


def _cases(path: Path) -> Iterator[DreamCase]:
    try:
        items = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LabelError(f"cannot be read: {error}", where=path, do=_FORM) from error
    if not isinstance(items, list):
        raise LabelError("not a list", where=path, do=_FORM)
    for number, item in enumerate(items, 1):
        name = item.get("id", number) if isinstance(item, dict) else number
        case = _value(DreamCase, item, f"{path.name}, {name}")
        assert isinstance(case, DreamCase)
        yield case


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, item: object, where: str) -> object:
    """Read one value as what its field declares: a text, a time, a list, or another dataclass."""
    if is_dataclass(kind):
        return _record(kind, item, where)
    if get_origin(kind) is tuple and isinstance(item, list):
        return tuple(_value(get_args(kind)[0], one, where) for one in item)
    if NoneType in get_args(kind):
        return _value(get_args(kind)[0], item, where)
    if kind in (datetime, date) and isinstance(item, str):
        return _moment(item, where) if kind is datetime else _day(item, where)
    if not (isinstance(kind, type) and type(item) is kind):
        named = getattr(kind, "__name__", kind)
        raise LabelError(f"{item!r} is no {named}", where=where, do=_FORM)
    return item


def _record(kind: Any, item: object, where: str) -> object:
    if not isinstance(item, dict):
        raise LabelError("not a mapping", where=where, do=_FORM)
    known = {field.name: field.default is MISSING for field in fields(kind)}
    needed = {name for name, required in known.items() if required}
    if odd := sorted(map(str, (needed - item.keys()) | (item.keys() - known.keys()))):
        raise LabelError(f"missing or unknown: {', '.join(odd)}", where=where, do=_FORM)
    hints = _hints(kind)
    read = {name: _value(hints[name], value, f"{where}, {name}") for name, value in item.items()}
    made: object = kind(**read)
    return made


def _moment(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError as error:
        raise LabelError(f"no time: {text!r}", where=where, do=_FORM) from error


def _day(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise LabelError(f"no date: {text!r}", where=where, do=_FORM) from error
