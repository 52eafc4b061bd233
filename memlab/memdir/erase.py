"""Forgetting for good: what goes with a memory, what may not be learned again,
and where its words remain.

A memory is erased with every earlier version, its line in earlier versions of
the index, its name in the journal, and what waits for the person about it. Its
words may also be in other memories and in transcripts: those are named, and
left alone. Code cannot find the same thing in other words.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from memlab.errors import StoreError
from memlab.evidence import pending
from memlab.evidence.origin import Stamp
from memlab.evidence.sentences import as_memory, split, text_of
from memlab.memdir.folder import Folder
from memlab.memdir.index import without
from memlab.memdir.journal import LOG, Entry, content_hash, undone
from memlab.memdir.places import INDEXES, STORE_FOLDER
from memlab.memdir.secrets import find_secrets

if TYPE_CHECKING:
    from memlab.memdir.store import By, MemoryStore

# A transcript has line ends and other scripts as escapes; Read numbers lines.
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\[nrt](?: *\d+\\t)?")
_WORD = re.compile(r"[^\W_]+")
_LABELS = {"why", "how to apply"}
MOST_FOLDERS = 200


def erase(
    store: MemoryStore,
    file: str,
    *,
    places: Callable[[], Sequence[Path]],
    by: By,
) -> list[str]:
    """Erase a memory and its history, and name where words of it remain.

    A person must have confirmed it. ``places`` gives further files and folders
    to search, once all is erased. Raises StoreError if there is nothing of
    that name, or if a copy cannot be removed now: the next writer does it.
    """
    journal = store.journal
    with journal.guard():
        name = store.file(file)
        waiting = pending.waiting(store.folder)
        waits = [one for one in waiting if one.file == name]
        if not waits and not any(
            entry.change_of(name) for entry in journal.entries
        ):
            store.there(name)
        live = store.folder.read(name).data
        versions = [live, *((one.text or "").encode() for one in waits)]
        versions += _images(store, name).values()
        words = words_of(name, versions)
        waits += [
            one
            for one in waiting
            if one.file != name
            and says(f"{one.text}\n{one.why}".encode(), words)
        ]
        swaps: dict[str, bytes] = {}
        for index in INDEXES:
            above = index.removesuffix("MEMORY.md")
            if not name.startswith(above):
                continue  # the team's memory of this name is another one
            pointed = name.removeprefix(above)
            for sha, data in _images(store, index).items():
                text = data.decode("utf-8", "surrogateescape")
                clean = without(text, pointed).encode(
                    "utf-8", "surrogateescape"
                )
                if clean != data:
                    swaps[sha] = clean
        also = [
            entry.id
            for entry in journal.entries
            if says(entry.reason.encode(), words)
        ]
        names = {one.name for one in map(as_memory, versions) if one}
        for sha in journal.unexplained():
            with suppress(StoreError):  # a damaged one has no words
                data = store.content(sha)
                memory = as_memory(data)
                is_it = memory is not None and memory.name in names - {""}
                also += [sha] if is_it or says(data, words) else []
        withheld = messages_behind(journal.entries, name, by)
        draft = replace(store.draft("forget", by), withheld=withheld)
        files, _ = store.followed({name: None}, (), store.listed())
        if waits:  # first, because nobody would go on with it
            store.drop(waits)
        entry = journal.erase(draft, name, files, swaps=swaps, also=also)
        if entry.id in journal.unfinished:
            what = "a copy of it cannot be removed now"
            do = "Open the directory again: that goes on with it"
            raise StoreError(what, where=store.directory, do=do)
    return [
        *_remains_here(store, words),
        *remains(words, places(), store.directory),
    ]


def words_of(name: str, versions: Iterable[bytes | None]) -> set[str]:
    """Give the phrases of a memory that tell something: its sentences, its
    name, its secrets and the name of its file.
    """
    phrases = {_plain(name.rpartition("/")[2].removesuffix(".md"))}
    for data in versions:
        memory, text = as_memory(data), text_of(data)
        labels = [memory.name, memory.description] if memory else []
        sentences = [
            one.text for one in split(memory.body if memory else text)
        ]
        # 'Kim says: "I like tea."' quotes a message
        quoted = [one.partition(": ")[2] for one in sentences]
        phrases |= set(map(_plain, [*labels, *sentences, *quoted]))
        for secret in find_secrets(text):
            phrases.add(_plain(text[secret.offset :].partition("\n")[0]))
    return {one for one in phrases if _is_telling(one)}


def says(data: bytes, words: Iterable[str]) -> bool:
    """Tell whether a content has any of the phrases."""
    plain = f" {_plain(data.decode('utf-8', 'replace'))} "
    return any(f" {phrase} " in plain for phrase in words)


def remains(
    words: Iterable[str], places: Iterable[Path], leave_out: Path
) -> Iterator[str]:
    """Name the files with any of the phrases, in these files and below these
    folders, but not below ``leave_out``. Links are not followed.
    """
    for place in places:
        top = Folder(place.parent if place.is_file() else place)
        found = (name for name, entry in top.walk([], deepest=MOST_FOLDERS))
        for name in [place.name] if place.is_file() else sorted(found):
            path = top.path / name
            if not path.is_relative_to(leave_out):
                try:
                    if says(top.read(name).data or b"", words):
                        yield str(path)
                except OSError as error:
                    if error.errno == errno.EFBIG:
                        yield f"{path} (not searched: it is too large)"


def messages_behind(
    entries: Iterable[Entry], file: str, by: By
) -> dict[str, list[str]]:
    """Give, by session, the messages that a memory came from, and the one that
    asks to forget it.

    What a dream merged into it counts, and so do lines of a log, and where it
    was before it was moved.
    """
    found: dict[str, dict[str, dict[str, None]]] = {}
    logged: dict[str, Entry] = {}
    for entry in entries:
        said = dict.fromkeys(
            [entry.turn, *entry.sources] if entry.turn else []
        )
        written = [one.file for one in entry.changes if one.after]
        removed = [one.file for one in entry.changes if not one.after]
        if entry.what == LOG:
            logged[entry.id] = entry
            written = [*entry.origins]
        for name in {*written, *entry.origins}:
            behind = found.setdefault(name, {})
            for value in entry.origins.get(name, {}).values():
                stamp = Stamp.from_json(value)
                moved = stamp.moved
                if moved.get("session") and moved.get("message"):
                    behind.setdefault(moved["session"], {})[
                        moved["message"]
                    ] = None
                for source in logged.keys() & {*stamp.sources}:
                    line = logged[source]
                    behind.setdefault(line.session, {})[line.turn] = None
            if entry.who != "dream" and entry.session and name in written:
                behind.setdefault(entry.session, {}).update(said)
            for other in removed if entry.who == "dream" else ():
                for session, messages in found.get(other, {}).items():
                    behind.setdefault(session, {}).update(messages)
    behind = found.get(file, {})
    if by.get("session") and by.get("turn"):
        asked = dict.fromkeys([by["turn"], *by.get("sources", ())])
        behind.setdefault(by["session"], {}).update(asked)
    return {
        session: [*said]
        for session, said in behind.items()
        if session and said
    }


def withheld(entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    """Give, by session, what may not be learned again; what was undone
    withholds nothing.
    """
    gone = undone(entries)
    found: dict[str, frozenset[str]] = {}
    for entry in entries:
        for session, messages in (
            entry.withheld.items() if entry.id not in gone else ()
        ):
            found[session] = found.get(session, frozenset()).union(messages)
    return found


def _images(store: MemoryStore, file: str) -> dict[str, bytes]:
    """Give each content that a file has or had, as far as it is still there."""
    found: dict[str, bytes] = {}
    live = store.folder.read(file).data
    if live is not None:
        found[content_hash(live)] = live
    for entry in store.journal.entries:
        one = entry.change_of(file)
        for sha in {one.before, one.after} - {""} if one else ():
            with suppress(StoreError):
                found[sha] = store.content(sha)
    return found


def _remains_here(store: MemoryStore, words: set[str]) -> Iterator[str]:
    """Name the memories with any of the phrases, and their earlier versions."""
    for path in remains(
        words, [store.directory], store.directory / STORE_FOLDER
    ):
        yield Path(path).relative_to(store.directory).as_posix()
    entries = store.history()
    for file in sorted(
        {one.file for entry in entries for one in entry.changes}
    ):
        if says(file.encode(), words):
            yield f"the name of {file}, in the history"
        told: Mapping[str, bytes] = _images(store, file)
        for entry in entries:
            one = entry.change_of(file)
            sha = one.after if one else ""
            if sha in told and says(told[sha], words):
                yield f"an earlier version of {file} (in {entry.id})"


def _plain(text: str) -> str:
    """Give the words as a reader sees them, without the rest."""
    text = _ESCAPE.sub(
        lambda one: chr(int(one[1], 16)) if one[1] else " ", text
    )
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def _is_telling(phrase: str) -> bool:
    """Tell whether a phrase is worth looking for: a word that others use too
    would be everywhere.
    """
    words = phrase.split()
    mixed = any(len(one) >= 4 and re.search(r"\d", one) for one in words)
    return phrase not in _LABELS and (len(words) >= 3 or mixed)
