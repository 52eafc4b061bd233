"""Whether a memory directory after a dream is what it should be: one verdict a condition.

Pure functions over file names and bytes. Left out: running a dream, and judging how well a
memory is written. A condition looks at words; what says the opposite in the same words meets it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlab.errors import MemoryFormatError
from memlab.evals.dream_set import Absolute, DreamCase, Files, Merge, Settled, files_before
from memlab.evals.extract_set import all_stand_in, stands_in
from memlab.memdir.index import INDEX, parse_pointers, truncate_index
from memlab.memdir.memory import Memory, parse_memory
from memlab.settings import Settings

KINDS = (
    *("keep", "merge", "drop", "settle", "absolute", "not said", "untouched", "unchanged"),
    *("nothing else gone", "nothing new", "readable", "logs as they were"),
    *("index caps", "index lines", "index pointers", "index keeps"),
)


@dataclass(frozen=True)
class Condition:
    """One condition of a case: its kind (of ``KINDS``), what it is about, what is wrong ("")."""

    kind: str
    about: str
    wrong: str

    @property
    def met(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    def __bool__(self) -> bool:
        return self.met


@dataclass(frozen=True)
class Verdict:
    """What became of one case, condition by condition."""

    case: DreamCase
    conditions: tuple[Condition, ...]

    @property
    def failed(self) -> tuple[Condition, ...]:
        """The conditions that are not met."""
        return tuple(one for one in self.conditions if not one.met)

    def __bool__(self) -> bool:
        return not self.failed


@dataclass(frozen=True)
class DreamScore:
    """Counts over a set of verdicts: cases and conditions, those wholly met, and facts lost.

    ``lost`` counts what may never happen: a fact, a file or a neighbour that is gone, or something
    that nobody said.
    """

    cases: int
    cases_met: int
    conditions: int
    conditions_met: int
    lost: int


LOSSES = frozenset({"keep", "not said", "nothing else gone", "untouched", "unchanged", "readable"})


def judge_dream(case: DreamCase, after: Files, settings: Settings | None = None) -> Verdict:
    """Judge the directory a dream left; ``after`` has every file in it, by name from its top.

    A tombstone counts as gone. The store's own files (names that begin with a dot) do not count.
    """
    before = files_before(case)
    files = {name: data for name, data in after.items() if not name.startswith(".")}
    found, broken = _memories(files)
    conditions = (
        *_asked(case, found),
        *_bytes(case, before, files),
        *_files(case, before, files, found, broken),
        *_index(case, files, found, settings or Settings()),
    )
    return Verdict(case, conditions)


def score_dreams(verdicts: Sequence[Verdict]) -> DreamScore:
    """Count over a set of verdicts."""
    everything = [one for verdict in verdicts for one in verdict.conditions]
    return DreamScore(
        cases=len(verdicts),
        cases_met=sum(not verdict.failed for verdict in verdicts),
        conditions=len(everything),
        conditions_met=sum(one.met for one in everything),
        lost=sum(one.kind in LOSSES for one in everything if not one.met),
    )


def memory_text(memory: Memory) -> str:
    """Name, description and body, where a label's texts have to stand."""
    return "\n".join((memory.name, memory.description, memory.body))


Found = dict[str, Memory]


def _asked(case: DreamCase, found: Found) -> Iterator[Condition]:
    """Judge what the labels ask of the memories' words."""
    texts = {file: memory_text(memory) for file, memory in found.items()}
    for keep in case.must_keep:
        places = [texts.get(keep.file, "")] if keep.file else list(texts.values())
        met = any(all_stand_in(keep.says, text) for text in places)
        where = f" in {keep.file}" if keep.file else ""
        yield _condition("keep", keep.says, met, f"stands nowhere{where}")
    for merge in case.must_merge:
        yield _merge(merge, found)
    for drop in case.must_drop:
        left = [file for file, text in texts.items() if all_stand_in(drop.says, text)]
        left = list(dict.fromkeys([*left, *({drop.file} & found.keys())]))
        yield _condition("drop", [drop.file], not left, f"still there: {', '.join(left)}")
    for settled in case.settled:
        yield _settled(settled, texts)
    for wanted in case.must_be_absolute:
        yield _absolute(wanted, texts)
    for rule in case.must_not_say:
        said = [file for file, text in texts.items() if all_stand_in(rule.says, text)]
        yield _condition("not said", rule.says, not said, f"stands in {', '.join(said)}")


def _merge(merge: Merge, found: Found) -> Condition:
    left = [file for file in merge.files if file in found]
    wrong = f"left of them: {', '.join(left) or 'none'}"
    return _condition("merge", merge.files, len(left) == 1, wrong)


def _settled(settled: Settled, texts: dict[str, str]) -> Condition:
    news = [file for file in settled.files if all_stand_in(settled.says, texts.get(file, ""))]
    old = [file for file, text in texts.items() for gone in settled.gone if stands_in(gone, text)]
    wrong = "" if news else "the later statement stands in none of the files"
    wrong = f"the earlier one still stands in {', '.join(old)}" if old else wrong
    return _condition("settle", settled.says, not wrong, wrong)


def _absolute(wanted: Absolute, texts: dict[str, str]) -> Condition:
    words, day = wanted.counted.words, wanted.date.isoformat()
    left = [file for file in wanted.files if stands_in(words, texts.get(file, ""))]
    dated = any(all_stand_in((*wanted.says, day), text) for text in texts.values())
    wrong = "" if dated else f"{day} stands nowhere beside {', '.join(wanted.says)}"
    wrong = f"{words!r} still stands in {', '.join(left)}" if left else wrong
    return _condition("absolute", [f"{words} -> {day}"], not wrong, wrong)


def _bytes(case: DreamCase, before: Files, after: Files) -> Iterator[Condition]:
    """Judge what has to stay byte for byte."""
    for file in case.untouched:
        wrong = "gone" if file not in after else "its bytes changed"
        yield _condition("untouched", [file], before.get(file) == after.get(file), wrong)
    if case.unchanged:
        other = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
        wrong = f"changed: {', '.join(other)}"
        yield _condition("unchanged", ["every file"], not other, wrong)
    if case.logs:
        other = [log.file for log in case.logs if after.get(log.file) != before[log.file]]
        yield _condition("logs as they were", [], not other, f"changed: {', '.join(other)}")


def _files(
    case: DreamCase, before: Files, after: Files, found: Found, broken: Sequence[str]
) -> Iterator[Condition]:
    """Judge which files are there, and whether each can be read as a memory."""
    wanted = {file for merge in case.must_merge for file in merge.files}
    wanted |= {drop.file for drop in case.must_drop} | set(case.may_go)
    lost = [one.file for one in case.memories if one.file not in {*found, *broken, *wanted}]
    yield _condition("nothing else gone", [], not lost, f"gone: {', '.join(lost)}")
    new = [name for name in sorted(after) if name not in before]
    yield _condition("nothing new", [], not new, f"new: {', '.join(new)}")
    bare = [
        file for file, memory in found.items() if not (memory.name.strip() and memory.body.strip())
    ]
    bare += [file for file, memory in found.items() if not memory.type and file not in bare]
    odd = [*broken, *bare]
    yield _condition("readable", [], not odd, f"no whole memory: {', '.join(odd)}")


def _index(case: DreamCase, after: Files, found: Found, limit: Settings) -> Iterator[Condition]:
    """Judge the index: its caps, its lines, and that pointers and memories are the same files."""
    text = after.get(INDEX, b"").decode("utf-8", "replace")
    shown = truncate_index(text, limit)
    yield _condition("index caps", [], not shown.fired, f"over: {shown.fired}")
    longest = max(map(len, text.splitlines()), default=0)
    short = longest <= limit.index_line_characters
    yield _condition("index lines", [], short, f"a line of {longest} characters")
    pointed = [pointer.file for pointer in parse_pointers(text)]
    wrong = [f"leads nowhere: {file}" for file in dict.fromkeys(pointed) if file not in found]
    wrong += [f"missing: {file}" for file in found if file not in pointed]
    wrong += [f"twice: {file}" for file in dict.fromkeys(pointed) if pointed.count(file) > 1]
    more = f"; {len(wrong) - 3} more" if len(wrong) > 3 else ""
    yield _condition("index pointers", [], not wrong, "; ".join(wrong[:3]) + more)
    for piece in case.index_keeps:
        yield _condition("index keeps", [piece], piece in text, "no longer in the index")


def _memories(files: Files) -> tuple[Found, list[str]]:
    """Read every memory of the directory, tombstones left out; also name what cannot be read."""
    found: Found = {}
    broken: list[str] = []
    for name in sorted(files):
        if name == INDEX or name.startswith("logs/") or not name.endswith(".md"):
            continue
        try:
            memory = parse_memory(files[name])
        except MemoryFormatError:
            broken.append(name)
            continue
        if not memory.is_tombstone:
            found[name] = memory
    return found, broken


def _condition(kind: str, about: Iterable[str], met: bool, wrong: str) -> Condition:
    return Condition(kind, ", ".join(about), "" if met else wrong)
