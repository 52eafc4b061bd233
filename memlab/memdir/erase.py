"""Forgetting for good: what goes with a memory, what may not be learned again,
and where its words remain.

A memory is erased with every earlier version, its line in earlier versions of
the index, its name in the journal, and what waits for the person about it. Its
words may also be in other memories and in transcripts: those are named, and
left alone. Code cannot find the same thing in other words.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

from memlab.errors import StoreError
from memlab.evidence import pending
from memlab.evidence.origin import Stamp
from memlab.evidence.sentences import as_memory, split, text_of
from memlab.memdir.daily_log import split_place
from memlab.memdir.folder import Folder
from memlab.memdir.index import without
from memlab.memdir.journal import LOG, Entry, content_hash, undone
from memlab.memdir.places import INDEX, INDEXES
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
        name = to_be_erased(store, file)
        waiting = pending.waiting(store.folder)
        texts = [one.text or "" for one in waiting if one.file == name]
        images = _images(store, name)
        versions = [*images.values(), *(text.encode() for text in texts)]
        words = words_of(name, versions)
        also = [
            entry.id
            for entry in journal.entries
            if says(entry.reason.encode(), words)
        ]
        names = {one.name for one in map(as_memory, versions) if one} - {""}
        for sha in journal.unexplained():
            with suppress(StoreError):  # a damaged one has no words
                data = store.content(sha)
                memory = as_memory(data)
                if memory:
                    is_it = memory.name in names
                else:  # an index with its line
                    text = data.decode("utf-8", "surrogateescape")
                    is_it = without(text, name) != text
                also += [sha] if is_it or says(data, words) else []
        withheld = messages_behind(journal.entries, name, by)
        draft = store.draft("forget", by, withheld=withheld)
        files, _ = store.followed({name: None}, (), store.listed())
        # first, because nobody would go on with it
        store.drop(
            one
            for one in waiting
            if one.file == name
            or says(f"{one.text}\n{one.why}".encode(), words)
        )
        swaps = _clean_indexes(store, name)
        entry = journal.erase(draft, name, files, swaps=swaps, also=also)
        if entry.id in journal.unfinished:
            what = "a copy of it cannot be removed now"
            do = "Open the directory again: that goes on with it"
            raise StoreError(what, where=store.directory, do=do)
    elsewhere = places()  # which erases what was added meanwhile
    top = f"{store.directory}{os.sep}"
    found = remains(words, [store.directory, *elsewhere])
    return [one.removeprefix(top) for one in found]


def to_be_erased(store: MemoryStore, file: str) -> str:
    """Give the name of what is to be erased; raises StoreError for a line of a
    log, and if there is nothing of that name, now or earlier or waiting.
    """
    place, line = split_place(file)
    name = store.file(place)
    if line:
        what = (
            "a line of a log is erased by hand, because a log has no history"
        )
        do = f"Delete line {line} in {store.directory / name}"
        raise StoreError(what, where=file, do=do)
    waits = any(one.file == name for one in store.waiting())
    if not waits and not store.history(name):
        store.there(name)
    return name


def _clean_indexes(store: MemoryStore, file: str) -> dict[str, bytes]:
    """Give, by hash, what takes the place of each earlier version of an index
    that names the memory.
    """
    swaps: dict[str, bytes] = {}
    for index in INDEXES:
        above = index.removesuffix(INDEX)
        if not file.startswith(above):
            continue  # the team's memory of this name is another one
        for sha, data in _images(store, index).items():
            text = data.decode("utf-8", "surrogateescape")
            clean = without(text, file.removeprefix(above))
            if clean != text:
                swaps[sha] = clean.encode("utf-8", "surrogateescape")
    return swaps


def words_of(name: str, versions: Iterable[bytes]) -> set[str]:
    """Give the phrases of a memory that tell something: its sentences, its
    name, its secrets and the name of its file.
    """
    phrases = [name.rpartition("/")[2].removesuffix(".md")]
    for data in versions:
        memory, text = as_memory(data), text_of(data)
        phrases += [memory.name, memory.description] if memory else []
        for one in split(memory.body if memory else text):
            # 'Kim says: "I like tea."' quotes a message
            phrases += [one.text, one.text.partition(": ")[2]]
        for secret in find_secrets(text):
            phrases.append(text[secret.offset :].partition("\n")[0])
    return {one for one in map(_plain, phrases) if _is_telling(one)}


def says(data: bytes, words: Iterable[str]) -> bool:
    """Tell whether a content has any of the phrases."""
    plain = f" {_plain(data.decode('utf-8', 'replace'))} "
    return any(f" {phrase} " in plain for phrase in words)


def remains(words: Iterable[str], places: Iterable[Path]) -> Iterator[str]:
    """Name the files with any of the phrases, in these files and below these
    folders. Links are not followed.
    """
    for place in places:
        top = Folder(place.parent if place.is_file() else place)
        found = (name for name, entry in top.walk([], deepest=MOST_FOLDERS))
        for name in [place.name] if place.is_file() else sorted(found):
            try:
                if says(top.read(name).data or b"", words):
                    yield str(top.path / name)
            except OSError as error:
                if error.errno == errno.EFBIG:
                    yield f"{top.path / name} (too large to be searched)"


def messages_behind(
    entries: Iterable[Entry], file: str, by: By
) -> dict[str, list[str]]:
    """Give, by session, the messages that a memory came from, and the one that
    asks to forget it.

    What a dream merged into it counts, and so do lines of a log, and where it
    was before it was moved.
    """
    # by file: session and message, in their order
    behind: dict[str, dict[tuple[str, str], None]] = {}
    logged: dict[str, tuple[str, str]] = {}
    for entry in entries:
        messages = [entry.turn, *entry.sources] if entry.turn else []
        said = [(entry.session, one) for one in messages]
        if entry.what == LOG:
            logged[entry.id] = entry.session, entry.turn
        written = {one.file for one in entry.changes if one.after}
        for name in {*written, *entry.origins}:
            own = behind.setdefault(name, {})
            for value in entry.origins.get(name, {}).values():
                stamp = Stamp.from_json(value)
                moved = stamp.moved
                place = moved.get("session", ""), moved.get("message", "")
                lines = [logged[id] for id in stamp.sources if id in logged]
                own |= dict.fromkeys([place, *lines])
            if entry.who != "dream":
                own |= dict.fromkeys(said)
                continue
            for other in entry.changes:
                own |= {} if other.after else behind.get(other.file, {})
    asked = [by.get("turn", ""), *by.get("sources", ())]
    found = behind.get(file, {})
    found |= {(by.get("session", ""), one): None for one in asked}
    by_session: dict[str, list[str]] = {}
    for session, message in found:
        if session and message:
            by_session.setdefault(session, []).append(message)
    return by_session


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
    live = store.folder.read(file).data
    found = {} if live is None else {content_hash(live): live}
    for entry in store.journal.entries:
        one = entry.change_of(file)
        for sha in {one.before, one.after} - {""} if one else ():
            with suppress(StoreError):
                found[sha] = store.content(sha)
    return found


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
