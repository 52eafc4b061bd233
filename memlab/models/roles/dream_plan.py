"""What a dreamer by rules decides to change: dates, contradictions, what is
over, near-copies.

The later word wins, by the time of a file or a message. What was jotted twice
becomes one file that keeps every sentence. A file that could not be written as
a whole is left as it is. Left out: everything these rules cannot decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath

from memlab.errors import MemlabError
from memlab.memdir.memory import (
    Memory,
    MemoryType,
    format_memory,
    parse_memory,
)
from memlab.memdir.policy import lint_duplicates
from memlab.models.roles.dream_change import (
    ends,
    overtake,
    rivals,
    tells_of_change,
)
from memlab.models.roles.dream_dates import (
    in_dates,
    said_in_dates,
    still_relative,
)
from memlab.models.roles.dream_index import Detail
from memlab.models.roles.dream_scene import Statement
from memlab.models.roles.dream_words import (
    LABEL,
    all_values,
    denies,
    same,
    says_more,
    sections,
    sentences,
    stems,
)
from memlab.text import fold_space, shorten

_TEMPORARY = (MemoryType.project, MemoryType.reference, MemoryType.feedback)


@dataclass(frozen=True)
class Note:
    """A memory file under review: its text as read, when it was written, and
    the memory by now.
    """

    file: str
    text: str
    at: datetime
    memory: Memory

    @cached_property
    def main(self) -> list[str]:
        """The sentences before Why and How to apply."""
        return list(sentences(sections(self.memory.body)[""]))

    @property
    def changed(self) -> bool:
        """Whether it is to be written."""
        return format_memory(self.memory) != self.text


@dataclass
class Plan:
    """Files to write and files to bury, by name, with their new texts; ``did``
    tells it in words.

    ``heirs`` names the file that says by then what a buried one said, ``told``
    lists the files that hold by then what the index told of them.
    """

    edits: dict[str, str] = field(default_factory=dict)
    buried: dict[str, str] = field(default_factory=dict)
    heirs: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    did: list[str] = field(default_factory=list)


def make_plan(
    texts: Mapping[str, str],
    mtimes: Mapping[str, datetime],
    statements: Sequence[Statement],
    details: Mapping[str, Sequence[Detail]],
    now: datetime,
) -> Plan:
    """Decide what to do with the memories that were read, given what was said
    since.

    ``details`` has sentences of the index that belong into a memory's file. A
    file whose time is not known is left alone, and so is one in which a
    relative time would remain.
    """
    closed: set[str] = set()
    while True:
        notes = {
            file: note
            for file, text in texts.items()
            if file not in closed
            and (note := _note(file, text, mtimes.get(file)))
        }
        plan = _plan(notes, statements, details)
        stuck = {
            file
            for file, text in plan.edits.items()
            if still_relative(text, now)
        }
        if not stuck:
            return plan
        closed |= stuck


def _plan(
    notes: dict[str, Note],
    statements: Sequence[Statement],
    details: Mapping[str, Sequence[Detail]],
) -> Plan:
    plan = Plan()
    for step in (_date, _settle, _end, _merge):
        step(notes, statements, plan)
    for file, told in details.items():
        if (note := notes.get(file)) and file not in plan.buried:
            body = note.memory.body
            for label, sentence in told:
                body = _added(body, label, [sentence])
            notes[file] = _with(note, body=body)
            plan.told.append(file)
            plan.did.append(f"moved what the index told of {file} into it")
    plan.edits = {
        file: format_memory(note.memory)
        for file, note in notes.items()
        if file not in plan.buried and note.changed
    }
    return plan


def _note(file: str, text: str, at: datetime | None) -> Note | None:
    with suppress(MemlabError):
        memory = parse_memory(text, path=None)
        if at and memory.body.strip() and format_memory(memory) == text:
            return Note(file, text, at, memory)
    return None


def _date(
    notes: dict[str, Note], statements: Sequence[Statement], plan: Plan
) -> None:
    """Write relative times as dates, counted from the time of the file they
    stand in.
    """
    for file, note in notes.items():
        parts = {
            key: getattr(note.memory, key)
            for key in ("name", "description", "body")
        }
        dated = _with(
            note,
            **{key: in_dates(text, note.at) for key, text in parts.items()},
        )
        if dated.changed:
            notes[file] = dated
            plan.did.append(f"wrote the dates of {file} out")


def _settle(
    notes: dict[str, Note], statements: Sequence[Statement], plan: Plan
) -> None:
    """Correct each memory by what was said after it was written, the oldest
    statement first.
    """
    for said in statements:
        text = said_in_dates(said.text, said.at)
        for file, note in notes.items():
            if note.at < said.at and tells_of_change(text):
                corrected = _corrected(note, text, said.before)
                if corrected.memory != note.memory:
                    notes[file] = corrected
                    source = PurePosixPath(said.source).name
                    plan.did.append(
                        f"corrected {file} by {source} of {said.at:%Y-%m-%d}"
                    )


def _end(
    notes: dict[str, Note], statements: Sequence[Statement], plan: Plan
) -> None:
    """Bury a memory that names its own end, where somebody said that the end
    has come.
    """
    for file, note in notes.items():
        for said in statements:
            single = len(note.main) == 1 and note.memory.type in _TEMPORARY
            if single and note.at < said.at and ends(note.main[0], said.text):
                told = shorten(said.text.replace('"', "'"), 160)
                reason = (
                    f"stale because on {said.at:%Y-%m-%d} it was said:"
                    f' "{told}"'
                )
                _bury(plan, note, dropped=reason)
                plan.did.append(f"dropped {file}: it is over")
                break


def _merge(
    notes: dict[str, Note], statements: Sequence[Statement], plan: Plan
) -> None:
    """Make one file of near-copies, and of a memory and the later one that
    overtakes it.
    """
    by_age = sorted(notes, key=lambda file: (notes[file].at, file))
    for place, older in enumerate(by_age):
        for newer in by_age[place + 1 :]:
            old, new = notes[older], notes[newer]
            if (
                plan.buried.keys() & {older, newer}
                or old.memory.type != new.memory.type
            ):
                continue
            changes = new.main and tells_of_change(new.main[0])
            overtaken = _corrected(old, new.main[0], "") if changes else old
            if overtaken.memory.body != old.memory.body:
                described = (
                    overtaken.memory.description != old.memory.description
                )
                newest = (
                    new.memory.description
                    if described
                    else old.memory.description
                )
                _join(notes, _with(overtaken, description=newest), new, plan)
                plan.did.append(
                    f"corrected {older} by {newer}, which is later, and merged"
                    " them"
                )
            elif _copies(old, new):
                kept, gone = (new, old) if _says_all(new, old) else (old, new)
                _join(notes, kept, gone, plan)
                plan.did.append(f"merged {gone.file} into {kept.file}")
            elif _overruled(old, new):
                notes[older] = _noted(old, new)
                plan.did.append(
                    f"noted in {older} that {newer}, which is later,"
                    " overrules it"
                )
    for file, heir in plan.heirs.items():
        while heir in plan.heirs:  # it was merged on into another one
            heir = plan.heirs[heir]
        plan.heirs[file] = heir
        _bury(plan, notes[file], superseded_by=heir)


def _join(notes: dict[str, Note], kept: Note, gone: Note, plan: Plan) -> None:
    body = kept.memory.body
    for label, text in sections(gone.memory.body).items():
        body = _added(body, label, list(sentences(text)))
    notes[kept.file] = _with(kept, body=body)
    _bury(plan, gone, superseded_by=kept.file)
    plan.heirs[gone.file] = kept.file


def _bury(plan: Plan, note: Note, **reason: str) -> None:
    buried = replace(parse_memory(note.text), body="", **reason)  # type: ignore[arg-type]
    plan.buried[note.file] = format_memory(buried)


def _copies(one: Note, other: Note) -> bool:
    """Tell whether two memories say the same, as the store's own check or
    their sentences tell.

    Two descriptions with different values, or of which one denies, are never
    copies.
    """
    a, b = (note.memory for note in (one, other))
    if _clash(a.description, b.description) or not (one.main and other.main):
        return False
    near = any(
        2 * len(stems(s) & stems(t)) >= min(len(stems(s)), len(stems(t)))
        for s, t in ((a.description, b.description), (a.body, b.body))
    )
    named = [
        replace(note.memory, path=Path(note.file)) for note in (one, other)
    ]
    if near and any(lint_duplicates(named[0], named[1:])):
        return not _clash(one.main[0], other.main[0])
    if not same(one.main[0], other.main[0]):
        return False
    fewer, more = sorted(
        (list(sentences(_plain(memory.body))) for memory in (a, b)), key=len
    )
    return 2 * sum(any(same(s, t) for t in more) for s in fewer) >= len(fewer)


def _clash(one: str, other: str) -> bool:
    a, b = all_values(one), all_values(other)
    return bool(a - b and b - a) or denies(one) != denies(other)


def _overruled(old: Note, new: Note) -> bool:
    """Tell whether a later memory decided otherwise, and neither file tells of
    the other yet.
    """
    about = old.memory.description, new.memory.description
    if not (old.main and new.main and rivals(*about, new.main[0])):
        return False
    return old.file not in new.memory.body and new.file not in old.memory.body


def _noted(old: Note, new: Note) -> Note:
    """Put the later memory's sentence before the one that it overrules, and
    keep both.
    """
    said, was = new.main[0], old.main[0]
    sentence = (
        f"Overtaken by {new.file}. {fold_space(said)} Before that: {was}"
    )
    about = f"{old.memory.description.rstrip('.')} (overtaken by {new.file})"
    return _with(
        old, body=old.memory.body.replace(was, sentence, 1), description=about
    )


def _says_all(one: Note, other: Note) -> bool:
    told = list(sentences(_plain(one.memory.body)))
    return all(
        any(says_more(t, s) for t in told)
        for s in sentences(_plain(other.memory.body))
    )


def _corrected(note: Note, said: str, before: str) -> Note:
    """Give a memory with every sentence mended that the statement overtakes."""
    body = note.memory.body
    described = note.memory.description
    if not stems(f"{before} {said}") & (stems(body) | stems(described)):
        return note
    for sentence in sentences(body):
        if new := overtake(sentence, said, before):
            body = body.replace(sentence, new, 1)
    if new := overtake(described, said, before):
        described = new if described.endswith(".") else new.rstrip(".")
    return _with(note, body=body, description=described)


def _added(body: str, label: str, told: Sequence[str]) -> str:
    """Add to one section of a body what it does not say yet; fuller sentences
    take over.
    """
    for sentence in map(fold_space, told):
        known = list(sentences(body))
        less = [
            one
            for one in known
            if says_more(sentence, one) and len(stems(one)) > 1
        ]
        if any(says_more(one, sentence) for one in known):
            continue
        body = (
            body.replace(less[0], sentence, 1)
            if less
            else _appended(body, label, sentence)
        )
    return body


def _appended(body: str, label: str, sentence: str) -> str:
    found = list(LABEL.finditer(body))
    names = [one[1].lower() for one in found]
    if label and label not in names:
        return f"{body.rstrip()}\n\n**{label.capitalize()}:** {sentence}\n"
    number = names.index(label) + 1 if label else 0
    end = found[number].start() if number < len(found) else len(body)
    section = body[:end].rstrip()
    return f"{section} {sentence}{body[len(section) : end]}{body[end:]}"


def _plain(body: str) -> str:
    return LABEL.sub("", body)


def _with(note: Note, **parts: str) -> Note:
    return replace(note, memory=replace(note.memory, **parts))  # type: ignore[arg-type]
