"""The labelled set of dreaming keeps its rules, and what a dream leaves is judged by its labels."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.dream import ConsolidationLock
from memlab.evals.dream import (
    CONDITIONS,
    Verdict,
    Workspace,
    do_nothing,
    dream_in_a_transaction,
    drop_everything,
    judge_dream,
    lines,
    make_workspace,
    measure_dreams,
    score_dreams,
)
from memlab.evals.labelled import (
    HALVES,
    LABELLED,
    Absolute,
    Counted,
    DreamCase,
    Drop,
    Keep,
    Log,
    Merge,
    MustNot,
    OldMemory,
    Settled,
    contains,
    contains_all,
    load_dreams,
)
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import MemoryType, format_memory, parse_memory
from memlab.memdir.places import INDEX

CASES = {case.id: case for case in load_dreams()}
NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)


def half(name: str) -> list[DreamCase]:
    return [case for case in CASES.values() if case.half == name]


def perfect(case: DreamCase) -> dict[str, bytes]:
    """Do to a directory what its labels ask, by looking at the labels."""
    texts = {file: data.decode() for file, data in case.files.items()}
    for merge in case.must_merge:
        for file in merge.files[1:]:
            texts[merge.files[0]] += "\n" + parse_memory(texts.pop(file)).body
    for drop in case.must_drop:
        del texts[drop.file]
    memories = [file for file in texts if file != INDEX and not file.startswith("logs/")]
    for settled in case.settled:
        for gone in settled.gone:
            texts |= {file: re.sub(gone, "", texts[file], flags=re.I) for file in memories}
        texts[settled.files[0]] += "\n".join(settled.says)
    for wanted in case.must_be_absolute:
        for file in wanted.files:
            texts[file] = re.sub(wanted.counted.words, f"{wanted.date}", texts[file], flags=re.I)
    for keep in case.must_keep:
        file = keep.file or memories[0]
        places = [file] if keep.file else memories
        if not any(contains_all(texts[place], keep.says) for place in places):
            texts[file] += "\n".join(keep.says)
    lines = [line for line in texts[INDEX].splitlines() if len(line) <= 200]
    lines = [line for line in lines if all(one.file in texts for one in parse_pointers(line))]
    pointed = {one.file for one in parse_pointers("\n".join(lines))}
    lines += [f"- [{file}]({file})" for file in memories if file not in pointed]
    texts[INDEX] = "\n".join(lines) + "\n"
    return {file: text.encode() for file, text in texts.items()}


# The set itself


def wrong_with(case: DreamCase) -> Iterator[str]:
    """Say which labels of a case cannot be right."""
    old = {memory.file: memory for memory in case.memories}
    labels = (*case.must_merge, *case.settled, *case.must_be_absolute)
    named = {file for label in labels for file in label.files} | {*case.untouched, *case.may_go}
    named |= {drop.file for drop in case.must_drop}
    named |= {keep.file for keep in case.must_keep if keep.file}
    yield from (f"no memory is {file}" for file in sorted(named - old.keys()))
    may_change = {file for merge in case.must_merge for file in merge.files} | {*case.may_go}
    may_change |= {drop.file for drop in case.must_drop}
    for file in sorted(may_change.intersection(case.untouched)):
        yield f"{file} must stay as it is, and may not"
    if len(old) < len(case.memories):
        yield "a file is in it twice"
    yield from wrong_times(case)
    yield from wrong_texts(case)
    for absolute in case.must_be_absolute:
        yield from wrong_date(absolute, case)


def wrong_times(case: DreamCase) -> Iterator[str]:
    if case.last_dream > case.now or any(old.mtime > case.now for old in case.memories):
        yield "something is later than now"
    for session in case.sessions:
        times = [message.at for message in session.messages]
        if times != sorted(times) or times[-1] > case.now:
            yield f"{session.id}: its messages are not in the order of their times"
        if times[-1] <= case.last_dream:
            yield f"{session.id} is older than the last dream"


def wrong_texts(case: DreamCase) -> Iterator[str]:
    """What must be kept has to be somewhere before the dream, and so has what must go."""
    memories = "\n".join(memory.text for memory in case.memories)
    messages = [message.text for session in case.sessions for message in session.messages]
    logs = [log.text for log in case.logs]
    everything = "\n".join([memories, *messages, *logs, case.files[INDEX].decode()])
    for label in (*case.must_keep, *case.settled, *case.must_not_say):
        for text in label.says:
            if not contains(everything, text):
                yield f"no text before the dream contains {text!r}"
    for settled in case.settled:
        for gone in settled.gone:
            if not contains(memories, gone):
                yield f"{gone!r} must go, and is in no memory"
    for drop in case.must_drop:
        text = "".join(memory.text for memory in case.memories if memory.file == drop.file)
        if not contains_all(text, drop.says):
            yield f"{drop.file} must go, and does not say {', '.join(drop.says)}"


def wrong_date(absolute: Absolute, case: DreamCase) -> Iterator[str]:
    """Count a date once more, from the day its words were written."""
    old = [memory for memory in case.memories if memory.file in absolute.files]
    days = {memory.mtime.date() for memory in old}
    days |= {message.at.date() for session in case.sessions for message in session.messages}
    counted = absolute.since + timedelta(days=absolute.counted.days)
    if absolute.since not in days:
        yield f"nothing was written on {absolute.since}"
    if not any(contains(memory.text, absolute.counted.words) for memory in old):
        yield f"none of {', '.join(absolute.files)} contains {absolute.counted.words!r}"
    if counted != absolute.date:
        yield f"{absolute.counted.days} days after {absolute.since} is {counted}"
    if f"{absolute.date:%A}" != absolute.counted.weekday:
        yield f"{absolute.date} is a {absolute.date:%A}"


@pytest.mark.parametrize("id", CASES)
def test_the_labels_of_a_case_can_be_met(id: str) -> None:
    case = CASES[id]
    assert list(wrong_with(case)) == []
    after = case.files if case.unchanged else perfect(case)
    assert judge_dream(case, after).failed == ()


@pytest.mark.parametrize("id", CASES)
def test_the_files_of_a_case_hold_its_memories(id: str) -> None:
    case = CASES[id]
    assert case.files.keys() == case.mtimes.keys()
    for memory in case.memories:
        written = parse_memory(case.files[memory.file])
        assert (written.name, written.body.strip()) == (memory.name, memory.body.strip())


@pytest.mark.parametrize("id", CASES)
def test_neither_doing_nothing_nor_dropping_everything_is_right(id: str) -> None:
    case = CASES[id]
    assert bool(judge_dream(case, case.files)) == (case.kind in ("nothing", "hostile"))
    assert judge_dream(case, {}).failed
    assert judge_dream(case, {INDEX: b""}).failed


def test_the_set_is_large_enough_and_balanced() -> None:
    assert len(load_dreams()) == len(CASES) == 18
    cells = Counter((case.kind, case.half) for case in CASES.values())
    assert cells == {(kind, half): 1 for kind, _ in cells for half in HALVES}
    halves = [{case.project for case in CASES.values() if case.half == half} for half in HALVES]
    assert not halves[0] & halves[1]


@pytest.mark.parametrize("name", HALVES)
def test_every_condition_is_asked_for_in_both_halves(name: str) -> None:
    verdicts = [judge_dream(case, case.files) for case in half(name)]
    assert {one.kind for verdict in verdicts for one in verdict.conditions} == {*CONDITIONS}


def test_the_invented_product_of_the_course_is_not_in_it() -> None:
    texts = [path.read_text(encoding="utf-8").lower() for path in (LABELLED / "dream").iterdir()]
    assert not any("tidebook" in text for text in texts if "seedbox" in text)
    assert any("seedbox" in text for text in texts)


SPOILED: list[tuple[str, str, str, str]] = [
    ("ageing.yaml", "date: '2026-05-02'", "date: '2026-05-03'", "2026-04-22 is 2026-05-02"),
    ("ageing.yaml", "weekday: Saturday", "weekday: Sunday", "2026-05-02 is a Saturday"),
    ("ageing.yaml", "words: in ten days", "words: in nine days", "contains 'in nine days'"),
    ("ageing.yaml", "since: '2026-04-22'", "since: '2026-04-25'", "nothing was written on"),
    ("merging.yaml", "gone: [lasts 90 days]", "gone: [lasts 91 days]", "is in no memory"),
    ("merging.yaml", "- says: [Error messages]", "- says: [Warnings]", "no text before the dream"),
    ("merging.yaml", "untouched: [germ", "untouched: [x.md, germ", "no memory is x.md"),
    ("merging.yaml", "untouched: [germ", "untouched: [plain-words.md, germ", "must stay as it is"),
    ("merging.yaml", "at: '2026-04-30T09:00", "at: '2026-04-30T10:00", "not in the order"),
    ("merging.yaml", "mtime: '2026-04-14T", "mtime: '2027-04-14T", "later than now"),
]


@pytest.mark.parametrize(("file", "old", "new", "says"), SPOILED)
def test_a_wrong_label_is_noticed(tmp_path: Path, file: str, old: str, new: str, says: str) -> None:
    text = (LABELLED / "dream" / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    problems = [wrong for case in load_dreams(tmp_path) for wrong in wrong_with(case)]
    assert says in "\n".join(problems)


# Each condition can fail, and does only for its own reason


def old(file: str, body: str, days: int = 5) -> OldMemory:
    name = file.removesuffix(".md").title()
    return OldMemory(
        file=file,
        mtime=NOW - timedelta(days=days),
        name=name,
        description=f"About {name}",
        type=MemoryType.user,
        body=body,
    )


CASE = DreamCase(
    id="made-1",
    half="work",
    kind="mixed",
    project="an invented one",
    now=NOW,
    last_dream=NOW - timedelta(days=7),
    memories=(
        old("tea.md", "Green tea is bought in the shop by the quay."),
        old("tea-too.md", "Green tea is bought in the shop by the quay, on Mondays."),
        old("gate.md", "The gate opens at six."),
        old("sale.md", "The sale runs all week."),
        old("boat.md", "The boat sails tomorrow."),
        old("cat.md", "The cat is grey."),
    ),
    sessions=(),
    reason="One of each.",
    logs=(
        Log(
            file="logs/2026/03/2026-03-28.md",
            mtime=NOW - timedelta(days=2),
            text="- the gate opens at nine\n",
        ),
    ),
    must_merge=(Merge(files=("tea.md", "tea-too.md")),),
    must_drop=(Drop(file="sale.md", says=("sale runs",), reason="It is over."),),
    must_keep=(Keep(says=("quay", "Mondays")), Keep(says=("sails",), file="boat.md")),
    settled=(
        Settled(
            files=("gate.md",), says=("nine",), gone=("opens at six",), reason="The log is later."
        ),
    ),
    must_be_absolute=(
        Absolute(
            files=("boat.md",),
            says=("sails",),
            date=date(2026, 3, 26),
            since=date(2026, 3, 25),
            counted=Counted(words="tomorrow", days=1, weekday="Thursday"),
        ),
    ),
    must_not_say=(MustNot(says=("purple",), reason="Nobody said so."),),
    index_keeps=("(gate.md)",),
    untouched=("cat.md",),
)

After = dict[str, bytes]


def swap(file: str, old: str, new: str) -> Callable[[After], object]:
    return lambda after: after.update({file: after[file].replace(old.encode(), new.encode())})


def put(file: str, text: str) -> Callable[[After], object]:
    return lambda after: after.update({file: text.encode()})


def gone(file: str) -> Callable[[After], object]:
    return lambda after: after.pop(file)


def back(file: str) -> Callable[[After], object]:
    return lambda after: after.update({file: CASE.files[file]})


def failed(verdict: Verdict) -> list[str]:
    return sorted({one.kind for one in verdict.failed})


def test_a_directory_that_is_right_fails_nothing() -> None:
    assert failed(judge_dream(CASE, perfect(CASE))) == []


FAILURES: list[tuple[Callable[[After], object], list[str]]] = [
    (swap("tea.md", "on Mondays", ""), ["keep"]),
    (swap("boat.md", "sails", "leaves"), ["absolute", "keep"]),
    (back("tea-too.md"), ["index pointers", "merge"]),
    (gone("tea.md"), ["index pointers", "keep", "merge"]),
    (back("sale.md"), ["drop", "index pointers"]),
    (swap("gate.md", "nine", "ten"), ["settle"]),
    (back("gate.md"), ["settle"]),
    (back("boat.md"), ["absolute"]),
    (swap("boat.md", "2026-03-26", "2026-03-27"), ["absolute"]),
    (swap("gate.md", "The gate", "The purple gate"), ["not said"]),
    (swap("cat.md", "grey", "gray"), ["untouched"]),
    (gone("cat.md"), ["index pointers", "nothing else gone", "untouched"]),
    (put("cat.md", "---\nname: Cat\ndropped: old\n---\n"), [
        "index pointers", "nothing else gone", "untouched"
    ]),
    (put("notes.txt", "a list"), ["nothing new"]),
    (swap("gate.md", "type: user", "type: nonsense"), ["readable"]),
    (swap("gate.md", "---\n", ""), ["index pointers", "readable", "settle"]),
    (swap("logs/2026/03/2026-03-28.md", "nine", "ten"), ["logs as they were"]),
    (swap(INDEX, "- [", "\n" * 200 + "- ["), ["index caps"]),
    (swap(INDEX, "(gate.md)", "(gate.md) — " + "very " * 50), ["index lines"]),
    (swap(INDEX, "(gate.md)", "(fence.md)"), ["index keeps", "index pointers"]),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "kinds"), FAILURES)
def test_each_condition_can_fail(spoil: Callable[[After], object], kinds: list[str]) -> None:
    after = perfect(CASE)
    spoil(after)
    assert failed(judge_dream(CASE, after)) == sorted(kinds)


def test_every_byte_counts_where_nothing_is_to_do() -> None:
    labels = ("must_merge", "must_drop", "must_keep", "settled", "must_be_absolute")
    quiet = CASE.model_copy(update=dict.fromkeys(labels, ()) | {"unchanged": True})
    after = quiet.files
    assert failed(judge_dream(quiet, after)) == []
    after[INDEX] += b"\n"
    assert failed(judge_dream(quiet, after)) == ["unchanged"]


def test_the_failures_above_cover_every_kind() -> None:
    kinds = {kind for _, kinds in FAILURES for kind in kinds}
    assert kinds | {"unchanged"} == {*CONDITIONS}


def test_a_file_that_may_go_may_go_and_may_stay() -> None:
    free = CASE.model_copy(update={"may_go": ("cat.md",), "untouched": ()})
    after = perfect(CASE)
    assert failed(judge_dream(free, after)) == []
    del after["cat.md"]
    after[INDEX] = re.sub(rb".*\(cat\.md\).*\n", b"", after[INDEX])
    assert failed(judge_dream(free, after)) == []
    assert "nothing else gone" in failed(judge_dream(CASE, after))


def test_the_stores_own_files_do_not_count() -> None:
    after = perfect(CASE) | {".memlab/journal.jsonl": b"{}", ".consolidate-lock": b"7"}
    assert failed(judge_dream(CASE, after)) == []


def test_a_rewritten_memory_is_judged_by_its_words() -> None:
    after = perfect(CASE)
    memory = parse_memory(after["gate.md"])
    after["gate.md"] = format_memory(replace(memory, body="\nIt is open from nine.\n")).encode()
    assert failed(judge_dream(CASE, after)) == []


def test_the_score_counts_cases_conditions_and_losses() -> None:
    good, bad = perfect(CASE), perfect(CASE)
    bad["boat.md"] = bad["boat.md"].replace(b"sails", b"goes")
    scored = score_dreams([judge_dream(CASE, good), judge_dream(CASE, bad)])
    each = len(judge_dream(CASE, good).conditions)
    counts: Any = (scored.cases, scored.cases_met, scored.conditions, scored.conditions_met)
    assert counts == (2, 1, 2 * each, 2 * each - 2)
    assert scored.lost == 1


# The table


def test_a_case_is_written_with_its_times(tmp_path: Path) -> None:
    case = CASES["mixed-1"]
    workspace = make_workspace(case, tmp_path / "home")
    files = workspace.files()
    assert {file: files[file] for file in case.files} == case.files
    for file, moment in case.mtimes.items():
        stamp = (workspace.memory / file).stat().st_mtime
        assert datetime.fromtimestamp(stamp, UTC) == moment
    lock = ConsolidationLock(workspace.memory, clock=workspace.context.clock)
    assert lock.last_consolidated_at() == case.last_dream
    [transcript] = workspace.transcripts
    entries = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    assert [entry["type"] for entry in entries] == ["user", "assistant"]
    assert entries[0]["timestamp"] == "2026-04-30T10:15:00Z"
    assert datetime.fromtimestamp(transcript.stat().st_mtime, UTC) > case.last_dream


def test_a_tools_result_is_no_word_of_the_person(tmp_path: Path) -> None:
    [transcript] = make_workspace(CASES["hostile-1"], tmp_path / "home").transcripts
    entries = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    kinds = [[block["type"] for block in one["message"]["content"]] for one in entries[1:3]]
    assert kinds == [["tool_use"], ["tool_result"]]


@pytest.mark.parametrize(("name", "nothing", "everything"), [("work", 88, 51), ("final", 88, 54)])
def test_the_rows_every_other_is_compared_with(name: str, nothing: int, everything: int) -> None:
    dreamers = {"nothing": do_nothing, "everything": drop_everything}
    rows = asyncio.run(measure_dreams(dreamers, half(name)))
    assert [row.score.conditions_met for row in rows] == [nothing, everything]
    assert [row.score.cases_met for row in rows] == [2, 0]
    assert rows[1].score.lost > 30
    assert lines(rows)[1].split()[:4] == ["nothing", "2", "of", "9"]
    assert "duplicates" in rows[0].misses()[0] or "dates" in rows[0].misses()[0]


@pytest.mark.parametrize(
    ("name", "cases", "conditions"),
    # Measured on the fallback rules, which drop exact duplicates and put dates beside what is sure.
    # The rules before them were made for this set and met 9 of 9 and 8 of 9 cases.
    [("work", 2, 91), ("final", 2, 93)],
)
def test_the_rules_lose_nothing_and_do_what_code_can_know(
    name: str, cases: int, conditions: int
) -> None:
    left: dict[str, dict[str, bytes]] = {}

    async def rules(workspace: Workspace) -> None:
        await dream_in_a_transaction(workspace)
        left[workspace.case.id] = workspace.files()

    [row] = asyncio.run(measure_dreams({"rules": rules}, half(name)))
    assert row.score.cases_met >= cases, row.misses()
    assert row.score.conditions_met >= conditions, row.misses()
    not_done = {one.kind for verdict in row.verdicts for one in verdict.failed}
    assert not_done <= {"drop", "merge", "settle", "keep", "index lines", "absolute"}
    losing = [verdict for verdict in row.verdicts if "keep" in {one.kind for one in verdict.failed}]
    assert [verdict.case.kind for verdict in losing] == ["index"]
    for verdict in row.verdicts:
        before = b"".join(verdict.case.files.values()).decode()
        after = b"".join(left[verdict.case.id].values()).decode()
        for keep in verdict.case.must_keep:
            # what a long line of the index says is left there, because a person wrote the line
            known = [word for word in keep.says if contains(before, word)]
            assert contains_all(after, known), (verdict.case.id, known)
