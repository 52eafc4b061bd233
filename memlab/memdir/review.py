"""The rules that judge a proposed change of memories, whoever proposes it.

``review`` compares the memory before with the memory as a writer wants it. It
says for each file what vanishes, whether a reason or another file accounts for
that, and why a change is refused. A refused change is left out and the rest is
judged again without it, because a merge whose target is refused would lose
what it removes. Code cannot tell whether a reason is true, and whether the
same words mean the same thing elsewhere. Where nothing is refused, a person
may still have to decide: the writer's own limits say when.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypedDict

from memlab.memdir.coverage import (
    COVERED,
    CoveringTexts,
    Statements,
    as_memory,
    find_lost,
    lines_of,
    memory_text,
    sentences,
    share,
    split_sentences,
    text_of,
)
from memlab.memdir.held import rise_source
from memlab.memdir.index import (
    INDEX,
    index_for_prompt,
    parse_pointers,
    remove_pointer,
)
from memlab.memdir.memory import Memory
from memlab.memdir.origin import Piece, Stamp, pieces
from memlab.memdir.places import INDEXES
from memlab.memdir.scan import one_line
from memlab.memdir.support import Judgement, Verdict, Witness, new_pieces
from memlab.settings import Settings
from memlab.text import content_words, fold_space, shorten, visible, words

REMOVALS = ("contradicted", "stale", "dropped")
REWRITTEN_BELOW = 2 / 3
ALIKE = 0.8
MERGED = 0.6
LOST = 1 / 3
RELATED = 0.15
MEMORY_BYTES = 16_384
MOST_NEW = 20
REASON_CHARACTERS = 300
RESTED = (
    "it rested on a change that is left out: without that, more would be lost"
)
MEANWHILE = (
    "somebody else changed it in the meantime, and the live version stays"
)
Contents = Mapping[str, bytes]
Check = Callable[[Memory, Sequence[Memory]], str]


@dataclass(frozen=True)
class ProposedChange:
    """What a writer wants to do to one file, and what that costs.

    ``kind`` is created, changed, index, or for a removal merged, contradicted,
    stale, dropped. ``into`` is the file that says it now, and ``reason`` is in
    the writer's words. ``keeps`` is the share of the old content that is found
    again, ``loses`` has the sentences that are not. A change with ``refused``
    is not made.

    ``keeps_all`` is for a merge: each sentence is in the other file word for
    word, and that file says nothing new. ``reverses`` has pairs of sentences
    between which a negation came or went. ``unsupported`` has new sentences
    for which no source was found. ``rises`` has those that claim more
    authority than the source they are taken from, with that source.
    ``inferred`` has a *Why* or *How to apply* that a model inferred.
    ``doubtful`` has what is unsupported or a rise, each with the judgement.
    """

    file: str
    kind: str
    into: str = ""
    reason: str = ""
    keeps: float = 1.0
    loses: tuple[str, ...] = ()
    refused: str = ""
    diff: str = field(default="", repr=False)
    keeps_all: bool = True
    reverses: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    rises: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    doubtful: tuple[tuple[Piece, Judgement], ...] = ()

    @property
    def rewritten(self) -> bool:
        """Whether a memory says something substantially different, or the
        opposite.
        """
        return bool(self.reverses) or (
            self.kind == "changed" and self.keeps < REWRITTEN_BELOW
        )

    @property
    def needs_person(self) -> bool:
        """Whether the change counts towards the limit on what is done without
        asking a person.
        """
        lossy_merge = self.kind == "merged" and not self.keeps_all
        return self.kind in REMOVALS or lossy_merge or self.rewritten

    @property
    def line(self) -> str:
        """The change in one line."""
        merged = self.kind == "merged" and self.into
        why = f": {self.reason}" if self.reason and not merged else ""
        return (
            f"{self.file} {self.kind}{f' into {self.into}' if merged else why}"
        )


@dataclass(frozen=True)
class Review:
    """The judgement on every proposed change.

    ``problems`` are for the person to know. ``suspicions`` are for the person
    to decide on.
    """

    changes: tuple[ProposedChange, ...] = ()
    problems: tuple[str, ...] = ()
    suspicions: tuple[str, ...] = ()

    @property
    def accepted(self) -> tuple[ProposedChange, ...]:
        """The changes that no rule refuses."""
        return tuple(change for change in self.changes if not change.refused)

    @property
    def memories(self) -> tuple[ProposedChange, ...]:
        """The accepted changes to memories, without the change to the index."""
        return tuple(
            change for change in self.accepted if change.kind != "index"
        )


def heir_in(reason: str) -> str:
    """Return the memory that a reason says a memory was merged into; "" if it
    names none.
    """
    found = re.match(r"superseded by `?(.+?\.md)", reason)
    return found[1] if found else ""


def find_shared_reasons(
    changes: Sequence[ProposedChange], by_code: Collection[str] = ()
) -> tuple[str, ...]:
    """Say where one reason is given for the removal of several memories.

    A model that drops many files for one reason has not looked at each of
    them. ``by_code`` names the removals whose reason code gave, to which this
    does not apply. Reasons that differ only in numbers and in the names of the
    files are one reason.
    """
    groups: list[tuple[set[str], list[ProposedChange]]] = []
    for change in changes:
        if change.kind not in REMOVALS or change.file in by_code:
            continue
        words = _reason_words(change)
        group = next(
            (members for known, members in groups if _alike(known, words)),
            None,
        )
        if group is None:
            groups.append((words, [change]))
        else:
            group.append(change)
    return tuple(
        f"The same reason is given for {len(members)} memories"
        f" ({', '.join(one.file for one in members)}):"
        f" {members[0].reason or 'none'}"
        for _, members in groups
        if len(members) > 1
    )


def _reason_words(change: ProposedChange) -> set[str]:
    """Give what a reason says besides the name of the file it is for."""
    reason = re.sub(
        r"^(stale|never to be stored) because\b", "", change.reason
    )
    own = (
        content_words(change.file.removesuffix(".md"))
        if change.kind != "contradicted"
        else frozenset[str]()
    )
    return {
        word
        for word in content_words(reason) - own - {"md"}
        if not word.isdigit()
    }


def _alike(one: set[str], other: set[str]) -> bool:
    if not one or not other:
        return one == other
    return len(one & other) / len(one | other) >= ALIKE


class NoWitness:
    """Finds nothing to say about new sentences: they are not part of the
    review then.
    """

    def judge(self, piece: Piece, files: Iterable[str] = ()) -> Judgement:
        """Call every sentence supported."""
        return Judgement(Verdict.SUPPORTED, Stamp())

    def answered(self, lost: Iterable[str], new: Iterable[Piece]) -> set[str]:
        """Give none."""
        return set()


def review(
    before: Contents,
    after: Contents,
    reasons: Mapping[str, str] | None = None,
    *,
    by_code: Collection[str] = (),
    live: Contents | None = None,
    held: Mapping[str, str] | None = None,
    check: Check = lambda memory, others: "",
    witness: Witness | None = None,
    settings: Settings | None = None,
) -> Review:
    """Compare the memory before a change with the memory as a writer wants it.

    ``reasons`` has the reason for each removed file, and ``by_code`` names the
    files for which code and not the model gave it. ``live`` is the memory as
    it is now, and ``held`` has the files to leave alone, with the reason for
    that. ``check`` says what refuses a memory, or nothing.
    ``witness`` says which new sentences have a source; without one, only what
    is lost is reviewed.
    """
    limit = settings or Settings()
    live = before if live is None else live
    files = sorted(
        name
        for name in {*before, *after}
        if before.get(name) != after.get(name)
    )

    left_out = {
        name: MEANWHILE for name in files if live.get(name) != before.get(name)
    }
    left_out |= _repeated(before, after, live, files)
    left_out |= _flood(before, files)
    left_out |= held or {}

    def result_without(names: Collection[str]) -> _Result:
        wanted = {name: after.get(name) for name in files if name not in names}
        kept = {
            name: data
            for name, data in {**live, **wanted}.items()
            if data is not None
        }
        return _Result(
            before,
            after,
            kept,
            reasons or {},
            check,
            limit,
            witness or NoWitness(),
        )

    with_all = result_without(())
    at_first = {name: with_all.judge(name) for name in files}
    refused = {
        name: replace(at_first[name], refused=left_out[name])
        for name in files
        if name in left_out
    }
    while True:  # what is refused may have been what another change rested on
        result = result_without(refused)
        judged = {
            name: _judge_again(result.judge(name), at_first[name])
            for name in files
            if name not in refused
        }
        failed = {
            name: change for name, change in judged.items() if change.refused
        }
        if not failed:
            break
        refused |= failed

    changed = [name for name in files if name in before and name != INDEX]
    old_sentences = [
        split_sentences(memory_text(before[name])) for name in changed
    ]
    old_statements = Statements(
        sentence for found in old_sentences for sentence in found
    )

    def complete(change: ProposedChange) -> ProposedChange:
        """Add what does not decide whether the change is refused."""
        new_sentences = result.new_sentences(change.file)
        pairs = [
            pair
            for text in new_sentences
            for pair in old_statements.reversed_by(text)
        ]
        return replace(
            change,
            diff=result.diff(change.file),
            keeps_all=change.kind != "merged"
            or result.keeps_all(change.file, change.into),
            reverses=tuple(str(pair) for pair in pairs),
            **result.gains(change.file),
        )

    changes = tuple(complete((refused | judged)[name]) for name in files)
    width = limit.index_line_characters
    long = sorted(
        line
        for index in INDEXES
        for line in lines_of(result.files.get(index, b""))
        if len(line) > width
    )
    return Review(
        changes,
        problems=tuple(
            f"An index line is too long: {line[:80]}…" for line in long
        ),
        suspicions=find_shared_reasons(
            [one for one in changes if not one.refused], by_code
        ),
    )


def _judge_again(
    now: ProposedChange, at_first: ProposedChange
) -> ProposedChange:
    """Refuse a change that loses more since other changes were refused."""
    loses_more = (
        now.kind in ("changed", "merged") and now.keeps < at_first.keeps
    )
    return (
        replace(now, refused=RESTED) if loses_more and not now.refused else now
    )


class _Gains(TypedDict):
    unsupported: tuple[str, ...]
    rises: tuple[str, ...]
    inferred: tuple[str, ...]
    doubtful: tuple[tuple[Piece, Judgement], ...]


@dataclass(frozen=True)
class _Result:
    """The memory as it would be after the changes that are not refused; it
    judges each change.
    """

    before: Contents
    after: Contents
    files: Contents
    reasons: Mapping[str, str]
    check: Check
    settings: Settings
    witness: Witness

    @cached_property
    def had(self) -> dict[str, frozenset[str]]:
        """The words of each memory that there would be."""
        rest = {
            name: data
            for name, data in self.files.items()
            if name not in INDEXES
        }
        return {
            name: content_words(memory_text(data))
            for name, data in rest.items()
        }

    @cached_property
    def covering(self) -> CoveringTexts:
        return CoveringTexts(self.had.values())

    @cached_property
    def memories(self) -> dict[str, Memory]:
        read = {name: as_memory(name, self.files[name]) for name in self.had}
        return {name: memory for name, memory in read.items() if memory}

    def judge(self, name: str) -> ProposedChange:
        if name in INDEXES:
            return ProposedChange(
                name, "index", refused=self.unfit_index(name)
            )
        if name not in self.after:
            return self.removal(name)
        keeps, loses = self.found_again(name)
        refused = self.unfit(name)
        if not refused and keeps < LOST:
            refused = (
                f"of what it said {keeps:.0%} is left, and a rewrite gives no"
                " reason"
            )
        kind = "changed" if name in self.before else "created"
        return ProposedChange(
            name, kind, keeps=keeps, loses=loses, refused=refused
        )

    def removal(self, name: str) -> ProposedChange:
        reason = shorten(
            one_line(self.reasons.get(name, "")), REASON_CHARACTERS
        )
        other = re.match(r"(superseded|contradicted) by `?(.+?\.md)", reason)
        into = self.heir(other[2]) if other else ""
        keeps, loses = self.found_again(name)
        change = ProposedChange(name, "dropped", into, reason, keeps, loses)
        if other and other[1] == "contradicted":
            old = content_words(memory_text(self.before[name]))
            about = into and share(old, self.had[into])
            why = (
                ""
                if about and about >= RELATED
                else f"{other[2]} is not about this matter"
            )
            return replace(change, kind="contradicted", refused=why)
        if reason and not other:
            kind = "stale" if reason.startswith("stale because") else "dropped"
            said = content_words(
                re.sub("^(stale|never to be stored) because", "", reason)
            )
            return replace(
                change,
                kind=kind,
                refused="" if len(said) > 1 else "its reason is too short",
            )
        why = ""
        if not into or keeps < MERGED:
            why = f"{keeps:.0%} of what it says is found again"
            if not other:
                why += ", and no reason was given"
            elif not into:
                why += f", and no memory {other[2]} is left"
        return replace(
            change, kind="merged" if other else "dropped", refused=why
        )

    @cached_property
    def merged_into(self) -> dict[str, list[str]]:
        """The memories that were removed and merged, by the memory that says
        it now.
        """
        found: dict[str, list[str]] = {}
        for name in self.before:
            into = "" if name in self.files else self.heir(name)
            if into:
                found.setdefault(into, []).append(name)
        return found

    def heir(self, name: str) -> str:
        """Follow a memory that was merged to the one that stays; "" where the
        trail ends.
        """
        for _ in range(len(self.before) + 1):
            if name in self.had:
                return name
            name = heir_in(self.reasons.get(name, ""))
        return ""

    def found_again(self, name: str) -> tuple[float, tuple[str, ...]]:
        """Give the share of a memory's words that stand in the memory as it
        would be.
        """
        own = (
            content_words(memory_text(self.after[name]))
            if name in self.after
            else frozenset[str]()
        )
        old = sentences(self.before.get(name, b""))
        keeps, lost = find_lost(old, own, self.covering)
        answered = self.witness.answered(lost, self.new_pieces(name))
        if not answered:
            return keeps, lost
        rest = [sentence for sentence in old if sentence not in answered]
        return find_lost(rest, own, self.covering)

    def new_pieces(self, name: str) -> list[Piece]:
        """List the new sentences, with the name and the description; for a
        file that is gone, those of the file it was merged into, as it would
        be.
        """
        if name in self.after:
            written, data = name, self.after[name]
        else:
            written = self.heir(name)
            # its own change may be refused, and then it answers nothing
            data = self.files.get(written, b"")
        if not data:
            return []
        found = new_pieces(written, data, self.before.get(written))
        if written not in INDEXES:
            return found
        return [one for one in found if one.key not in self.described]

    @cached_property
    def described(self) -> frozenset[str]:
        """The names and descriptions of all memories, which the index
        repeats.
        """
        return frozenset(
            piece.key
            for name in self.files
            if name not in INDEXES
            for piece in pieces(name, self.files[name])
            if piece.label
        )

    def gains(self, name: str) -> _Gains:
        """Sort the new sentences that a person should know of."""
        found = _Gains(unsupported=(), rises=(), inferred=(), doubtful=())
        if name not in self.after:
            return found
        files = [name, *self.merged_into.get(name, [])]
        for piece in self.new_pieces(name):
            judgement = self.witness.judge(piece, files)
            if judgement.verdict is Verdict.INFERRED:
                found["inferred"] += (piece.text,)
            if not judgement.held_back:
                continue
            found["doubtful"] += ((piece, judgement),)
            if judgement.verdict is Verdict.UNSUPPORTED:
                found["unsupported"] += (piece.text,)
            else:
                source = rise_source(judgement)
                found["rises"] += (f"{piece.text} ({source})",)
        return found

    def new_sentences(self, name: str) -> list[str]:
        """List the sentences of a written memory that it did not contain
        before.
        """
        if name in INDEXES or name not in self.after:
            return []
        had = set(
            map(
                _as_said,
                split_sentences(memory_text(self.before.get(name, b""))),
            )
        )
        now = split_sentences(memory_text(self.after[name]))
        return [sentence for sentence in now if _as_said(sentence) not in had]

    def keeps_all(self, name: str, into: str) -> bool:
        """Tell whether a merge loses nothing and adds nothing that could take
        it back.

        Each sentence of the body is in the other file word for word, and all
        of that file is taken from the memories that it consists of. Its
        description may be worded freely.
        """
        if into not in self.files:
            return False
        now = as_memory(into, self.files[into])
        was = as_memory(name, self.before[name])
        if now is None or was is None:
            return False
        kept = f" {_as_said(now.body)} "
        if not all(
            f" {_as_said(one)} " in kept for one in split_sentences(was.body)
        ):
            return False
        description = content_words(was.description)
        if (
            share(description, content_words(memory_text(self.files[into])))
            < COVERED
        ):
            return False
        return self.adds_nothing(into, now)

    def adds_nothing(self, into: str, now: Memory) -> bool:
        """Tell whether a memory that others were merged into says only what
        they said.
        """
        parts = self.merged_into.get(into, [])
        if into in self.before:
            parts = [into, *parts]
        known = set[str]()
        for part in parts:
            known |= set(
                map(_as_said, split_sentences(memory_text(self.before[part])))
            )
        if any(
            _as_said(one) not in known for one in split_sentences(now.body)
        ):
            return False
        said = set[str]().union(
            *(content_words(memory_text(self.before[part])) for part in parts)
        )
        return share(content_words(now.description), said) >= COVERED

    def unfit(self, name: str) -> str:
        """Say what is wrong with a memory that was written, or nothing."""
        data, memory = self.after[name], as_memory(name, self.after[name])
        if len(data) > max(MEMORY_BYTES, len(self.before.get(name, b""))):
            return (
                f"{len(data):,} bytes are too many: recall shows the first few"
                " thousand"
            )
        if not memory or not memory.body.strip():
            return (
                "its body is empty"
                if memory
                else "it cannot be read as a memory"
            )
        known = b"\n".join(self.before.values())
        for target in re.findall(r"\]\(\s*<?([^)>\s]+)", memory.body):
            outside = re.match(
                r"[/~\\]|file:|[A-Za-z]:[\\/]", target
            ) or ".." in target.split("/")
            if outside and target.encode() not in known:
                return (
                    f"a link in it leads out of the memory directory: {target}"
                )
        return self.check(
            memory,
            [one for other, one in self.memories.items() if other != name],
        )

    def unfit_index(self, name: str) -> str:
        """Say why an index stays as it is and only follows its memories, or
        nothing.
        """
        raw, was = self.after.get(name), text_of(self.before.get(name, b""))
        if raw is None or b"\0" in raw or "\ufffd" in (text := text_of(raw)):
            return "it was removed or broken"
        now = index_for_prompt(text, self.settings)
        if now.fired and now.bytes >= len(was.encode()):
            return (
                f"it is over a cap ({now.lines:,} lines, {now.bytes:,} bytes)"
                " and no smaller"
            )
        pointers, own = parse_pointers(was), was
        for one in pointers:
            own = remove_pointer(own, one.file)
        for line in lines_of(own.encode()):
            if line not in fold_space(text) and not self.covering.cover(line):
                return f"a line of somebody's own would be lost: {line[:80]}"
        hooks = {
            one.file: content_words(one.hook) for one in parse_pointers(text)
        }
        for one in pointers:
            # one that is lost is put back
            file = name.removesuffix(INDEX) + one.file
            if one.file in hooks and file in self.had:
                there = self.had[file] | hooks[one.file]
                if share(content_words(one.hook), there) < COVERED:
                    return (
                        f"what its line says of {one.file} is found nowhere"
                        f" else: {one.hook[:80]}"
                    )
        return ""

    def diff(self, name: str) -> str:
        old, new = (
            text_of(self.before.get(name, b"")),
            text_of(self.after.get(name, b"")),
        )
        sides = f"before/{name}", f"after/{name}"
        lines = difflib.unified_diff(
            old.splitlines(), new.splitlines(), *sides, n=2, lineterm=""
        )
        return visible("\n".join(lines))


def _as_said(text: str) -> str:
    """Give a text as its words alone, so that case, punctuation and line
    breaks do not matter.
    """
    return " ".join(words(text))


def _repeated(
    before: Contents, after: Contents, live: Contents, files: Iterable[str]
) -> dict[str, str]:
    """Find what a writer copied from a memory that was changed or forgotten in
    the meantime.
    """
    moved = [
        name
        for name in before
        if name not in INDEXES and live.get(name) != before[name]
    ]
    left = [
        _said_in(before[name]) - _said_in(live.get(name, b""))
        for name in moved
    ]
    gone = set[str]().union(*left)
    why, found = (
        "it repeats what somebody else has changed or removed in the meantime",
        {},
    )
    for name in files:
        gained = _said_in(after.get(name, b"")) - _said_in(
            before.get(name, b"")
        )
        if any(len(content_words(sentence)) > 1 for sentence in gained & gone):
            found[name] = why
    return found


def _said_in(data: bytes) -> set[str]:
    """Give each sentence and each line of a text, as words alone."""
    text = text_of(data)
    return {
        _as_said(part) for part in (*split_sentences(text), *lines_of(data))
    }


def _flood(before: Contents, files: Iterable[str]) -> dict[str, str]:
    new = [
        name for name in files if name not in before and name not in INDEXES
    ]
    why = (
        f"{len(new):,} new files in one change, and at most {MOST_NEW} are"
        " accepted"
    )
    return dict.fromkeys(new, why) if len(new) > MOST_NEW else {}
