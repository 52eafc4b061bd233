from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from memlab.evals.dream_score import KINDS, Verdict, judge_dream, score_dreams
from memlab.evals.dream_set import (
    Absolute,
    Counted,
    DreamCase,
    Drop,
    Keep,
    Log,
    Merge,
    MustNotSay,
    OldMemory,
    Settled,
    files_before,
    mtimes_before,
)
from memlab.evals.extract_set import all_stand_in
from memlab.evals.labelled_dream import (
    CASE_KINDS,
    LabelError,
    broken_rules,
    lint_dreams,
    load_dreams,
)

from memlab.memdir.index import INDEX, parse_pointers
from memlab.memdir.memory import format_memory, parse_memory

FOLDER = Path(__file__).resolve().parents[3] / "data" / "labelled" / "dream"
NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def cases() -> tuple[DreamCase, ...]:
    return load_dreams(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "dream"))


def perfect(case: DreamCase) -> dict[str, bytes]:
    """Do to a directory what its labels ask, by looking at the labels."""
    texts = {file: data.decode() for file, data in files_before(case).items()}
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
        if not any(all_stand_in(keep.says, texts[place]) for place in places):
            texts[file] += "\n".join(keep.says)
    lines = [line for line in texts[INDEX].splitlines() if len(line) <= 200]
    lines = [line for line in lines if all(one.file in texts for one in parse_pointers(line))]
    pointed = {one.file for one in parse_pointers("\n".join(lines))}
    lines += [f"- [{file}]({file})" for file in memories if file not in pointed]
    texts[INDEX] = "\n".join(lines) + "\n"
    return {file: text.encode() for file, text in texts.items()}


# The set itself


def test_nothing_is_wrong_with_the_set() -> None:
    assert lint_dreams(FOLDER) == []


def test_every_kind_stands_once_in_each_half(cases: tuple[DreamCase, ...]) -> None:
    cells = Counter((case.kind, case.half) for case in cases)
    assert cells == {(kind, half): 1 for kind in CASE_KINDS for half in ("work", "final")}


def test_every_condition_is_asked_for_in_both_halves(cases: tuple[DreamCase, ...]) -> None:
    for half in ("work", "final"):
        judged = [judge_dream(case, files_before(case)) for case in cases if case.half == half]
        assert {one.kind for verdict in judged for one in verdict.conditions} == {*KINDS}


def test_what_the_labels_ask_can_be_done(cases: tuple[DreamCase, ...]) -> None:
    for case in cases:
        after = files_before(case) if case.unchanged else perfect(case)
        assert judge_dream(case, after).failed == (), case.id


def test_neither_doing_nothing_nor_dropping_everything_is_right(
    cases: tuple[DreamCase, ...],
) -> None:
    quiet = [case for case in cases if not judge_dream(case, files_before(case)).failed]
    assert {case.kind for case in quiet} == {"nothing", "hostile"}
    for case in cases:
        assert judge_dream(case, {}).failed, case.id


def test_the_files_can_be_laid_out(cases: tuple[DreamCase, ...]) -> None:
    for case in cases:
        files = files_before(case)
        assert files.keys() == mtimes_before(case).keys()
        for memory in case.memories:
            read = parse_memory(files[memory.file])
            assert (read.name, read.body.strip()) == (memory.name, memory.body.strip())


def test_the_invented_product_of_the_course_is_not_in_it() -> None:
    texts = [path.read_text(encoding="utf-8").lower() for path in FOLDER.iterdir()]
    assert not any("tidebook" in text for text in texts if "seedbox" in text)
    assert any("seedbox" in text for text in texts)


# A set that is wrong is told so


SPOILED: list[tuple[str, str, str, str]] = [
    ("ageing.yaml", "date: '2026-05-02'", "date: '2026-05-03'", "is 2026-05-02, not 2026-05-03"),
    ("ageing.yaml", "weekday: Saturday", "weekday: Sunday", "is a Saturday and no Sunday"),
    ("ageing.yaml", "words: in ten days", "words: in nine days", "stands in none of"),
    ("ageing.yaml", "since: '2026-04-22'", "since: '2026-04-25'", "nothing was written on"),
    ("merging.yaml", "gone: [lasts 90 days]", "gone: [lasts 91 days]", "stands in no memory"),
    ("merging.yaml", "- says: [Error messages]", "- says: [Warnings]", "stands nowhere before"),
    ("merging.yaml", "untouched: [germ", "untouched: [x.md, germ", "no memory is x.md"),
    ("merging.yaml", "untouched: [germ", "untouched: [plain-words.md, germ", "must stay as it is"),
    ("merging.yaml", "half: work", "half: third", "no half is 'third'"),
    ("merging.yaml", "kind: session", "kind: other", "no kind is 'other'"),
    ("merging.yaml", "id: duplicates-2", "id: duplicates-1", "duplicates-1: used 2 times"),
    ("merging.yaml", "role: agent", "role: robot", "no role is 'robot'"),
    (
        "merging.yaml",
        "at: '2026-04-30T09:00:00Z'",
        "at: '2026-04-30T10:00:00Z'",
        "not in the order",
    ),
    ("merging.yaml", "mtime: '2026-04-14T", "mtime: '2027-04-14T", "later than now"),
    ("order.yaml", "unchanged: true", "must_keep: [{says: [nowhere]}]", "and yet it fails"),
    ("merging.yaml", "now: '2026-05-04T08:00:00Z'", "now: May", "no time: 'May'"),
    ("merging.yaml", "half: work", "halb: work", "missing or unknown: halb, half"),
    ("merging.yaml", "says: [Error messages]", "says: Error", "'Error' is no tuple"),
    ("merging.yaml", "- id: duplicates-1", "id: duplicates-1", "cannot be read"),
]


def test_the_spoiled_places_are_there() -> None:
    for file, old, _, _ in SPOILED:
        assert old in (FOLDER / file).read_text(encoding="utf-8"), (file, old)


@pytest.mark.parametrize(("file", "old", "new", "said"), SPOILED)
def test_a_wrong_label_is_named(copy: Path, file: str, old: str, new: str, said: str) -> None:
    text = (copy / file).read_text(encoding="utf-8")
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert any(said in wrong for wrong in lint_dreams(copy)), lint_dreams(copy)


def test_a_half_without_a_case_and_a_small_set_are_named(cases: tuple[DreamCase, ...]) -> None:
    said = list(broken_rules(cases[:3]))
    assert "3 cases; at least 14 are needed" in said
    assert any("has 0 cases in work and 0 in final" in wrong for wrong in said)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="no cases"):
        load_dreams(tmp_path)


# Each condition can fail, and does only for its own reason


def old(file: str, body: str, days: int = 5) -> OldMemory:
    name = file.removesuffix(".md").title()
    return OldMemory(file, NOW - timedelta(days=days), name, f"About {name}", "user", body)


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
        Log("logs/2026/03/2026-03-28.md", NOW - timedelta(days=2), "- the gate opens at nine\n"),
    ),
    must_merge=(Merge(("tea.md", "tea-too.md")),),
    must_drop=(Drop("sale.md", ("sale runs",), "It is over."),),
    must_keep=(Keep(("quay", "Mondays")), Keep(("sails",), "boat.md")),
    settled=(Settled(("gate.md",), ("nine",), ("opens at six",), "The log is later."),),
    must_be_absolute=(
        Absolute(
            ("boat.md",),
            ("sails",),
            date(2026, 3, 26),
            date(2026, 3, 25),
            Counted("tomorrow", 1, "Thursday"),
        ),
    ),
    must_not_say=(MustNotSay(("purple",), "Nobody said so."),),
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
    return lambda after: after.update({file: files_before(CASE)[file]})


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
    quiet = replace(
        CASE,
        must_merge=(),
        must_drop=(),
        must_keep=(),
        settled=(),
        must_be_absolute=(),
        unchanged=True,
    )
    after = files_before(quiet)
    assert failed(judge_dream(quiet, after)) == []
    after[INDEX] += b"\n"
    assert failed(judge_dream(quiet, after)) == ["unchanged"]


def test_the_failures_above_cover_every_kind() -> None:
    kinds = {kind for _, kinds in FAILURES for kind in kinds}
    assert kinds | {"unchanged"} == {*KINDS}


def test_a_file_that_may_go_may_go_and_may_stay() -> None:
    free = replace(CASE, may_go=("cat.md",), untouched=())
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
