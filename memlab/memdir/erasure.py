"""Forgetting a memory: which messages to withhold from now on, and where its
words remain.

Nothing may be learned again from the messages that a forgotten memory came
from. The journal names them by session and id, without their words, and those
who start agents keep agents away from them.

After the copies of a memory have been erased, its words are searched for
elsewhere: its whole sentences, the values of its secrets, its title and the
name of its file. Upper and lower case, punctuation, line breaks and invisible
characters make no difference. Code cannot find the same thing in other words.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import category, normalize

from memlab.errors import MemoryFormatError
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.folder import Folder
from memlab.memdir.journal import LOG, Entry
from memlab.memdir.memory import parse_memory
from memlab.memdir.origin import Stamp
from memlab.memdir.places import TEAM
from memlab.memdir.secrets import find_secrets

# characters read at a time, so that a huge transcript needs little memory
_CHUNK = 1 << 20
_OVERLAP = 1 << 14  # no sentence that is searched for is longer
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"'”’)*_]*\s+|\n\s*\n|\n(?=\s*(?:[-*+#>|]|\d+[.)]\s))"
)
MOST_SEARCHED = 200_000_000  # bytes of one file; a larger one is named instead
# as the Read tool shows a file in a transcript
_LINE_NUMBER = re.compile(r"\n *\d+\t")
# as in JSON
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrt])|([\"\\/]))")
_VALUE = re.compile(r"[^\s\"'`“”]+")
_LABEL_AND_VALUE = re.compile(
    r"[^\n:=]*?(?:[:=]|\b(?:is|was|are|ist|est|es)\b)\s*[\"'`“]?(\S{4,})"
)
_DEEPEST = 200  # folders
_LABELS = {"why", "how to apply"}


@dataclass(frozen=True)
class Traces:
    """What to look for: file names as they are, and phrases as ``_plain``
    writes them.
    """

    files: tuple[str, ...]
    titles: tuple[str, ...]
    phrases: tuple[str, ...]

    @classmethod
    def of(cls, file: str, versions: Iterable[bytes]) -> Traces:
        """Take the words from every version that a memory ever had.

        The name of a daily log is a date, which tells nothing.
        """
        named = not is_below_logs(file)
        titles, values, phrases = (
            set[str](),
            set[str](),
            {_plain(Path(file).stem)} if named else set[str](),
        )
        for data in versions:
            text = data.decode("utf-8", "replace")
            values.update(_secret_values(text))
            with suppress(MemoryFormatError):
                memory = parse_memory(data)
                titles.add(memory.name)
                text = "\n\n".join(
                    (memory.name, memory.description, memory.body)
                )
            for sentence in _SENTENCE_END.split(text):
                # 'Kim says: "I like tea."' quotes a message
                quoted = sentence.partition(": ")[2]
                phrases.update((_plain(sentence), _plain(quoted)))
        telling = {phrase for phrase in phrases if _is_telling(phrase)}
        return cls(
            (file,) if named else (),
            tuple(sorted(titles - {""})),
            tuple(sorted(telling | values)),
        )

    def are_in(self, text: str) -> bool:
        """Say whether a text contains any of the words."""
        folded = _folded(text)
        if any(
            file.casefold() in folded and _names(text, file)
            for file in self.files
        ):
            return True
        likely = [
            phrase
            for phrase in self.phrases
            if max(phrase.split(), key=len) in folded
        ]
        plain = f" {_spaced(folded)} " if likely else ""
        return any(f" {phrase} " in plain for phrase in likely)

    def are_in_image(self, data: bytes) -> bool:
        """Say whether a content is a version of the memory, or contains any of
        its words.
        """
        with suppress(MemoryFormatError):
            if parse_memory(data).name in self.titles:
                return True
        return self.are_in(data.decode("utf-8", "replace"))

    def in_file(self, source: BinaryIO, name: str) -> str:
        """Give the name of an open file if it contains any of the words, and
        "" if it does not.

        It is read piece by piece. One that is too large for that is named as
        not searched.
        """
        if os.fstat(source.fileno()).st_size > MOST_SEARCHED:
            return (
                f"{name} (not searched: it is larger than"
                f" {MOST_SEARCHED // 1_000_000} MB)"
            )
        return (
            name if any(self.are_in(text) for text in _chunks(source)) else ""
        )

    def find(self, places: Iterable[Path], leave_out: Path) -> Iterator[str]:
        """Name the files that contain any of the words, in these files and
        below these folders.

        What is below ``leave_out`` is not looked at, and symlinks are not
        followed.
        """
        for place in places:
            for path in _files(place, leave_out):
                with suppress(OSError), path.open("rb") as source:
                    if found := self.in_file(source, str(path)):
                        yield found


def _files(place: Path, leave_out: Path) -> Iterator[Path]:
    """Name the plain files below a folder, in the order of their names; or a
    file itself.
    """
    if place.is_file():
        yield place
        return

    found = Folder(place).walk(
        [], lambda name: place / name != leave_out, deepest=_DEEPEST
    )
    names = [
        name for name, entry in found if entry.is_file(follow_symlinks=False)
    ]
    yield from (
        place / name
        for name in sorted(names, key=lambda name: name.split("/"))
    )


def _chunks(source: BinaryIO) -> Iterator[str]:
    """Read a file piece by piece; neighbouring pieces share a part, and JSON
    escapes are undone.
    """
    text = TextIOWrapper(source, encoding="utf-8", errors="replace")
    kept = ""
    while more := text.read(_CHUNK):
        yield _ESCAPE.sub(_unescape, kept + more)
        kept = (kept + more)[-_OVERLAP:]


def _unescape(escape: re.Match[str]) -> str:
    code, space, plain = escape.groups()
    if code:
        return chr(int(code, 16))
    if space:
        return "\t" if space == "t" else "\n"
    return str(plain)


def _plain(text: str) -> str:
    return _spaced(_folded(text))


def _folded(text: str) -> str:
    """Undo what a reader does not see: line numbers, capitals, other forms of
    one character.
    """
    text = _LINE_NUMBER.sub(" ", text)
    if not text.isascii():
        text = normalize("NFKC", text)
        unseen = {
            ord(char): None
            for char in set(text)
            if category(char) in ("Cf", "Mn")
        }
        text = text.translate(unseen) if unseen else text
    return text.casefold()


def _spaced(folded: str) -> str:
    return re.sub(r"[\W_]+", " ", folded).strip()


def _is_telling(phrase: str) -> bool:
    """Say whether a phrase is worth looking for: a word that others use too
    would be everywhere.
    """
    words = phrase.split()
    mixed = any(re.search(r"\d", word) and len(word) >= 4 for word in words)
    return (
        phrase not in _LABELS
        and len(phrase) < _OVERLAP // 2
        and (len(words) >= 3 or mixed)
    )


def _secret_values(text: str) -> Iterator[str]:
    """Give what follows the place where a secret was found: the words that
    look like a value.
    """
    for secret in find_secrets(text):
        line = text[secret.offset : secret.offset + 1_000].split("\n", 1)[0]
        values = [
            word
            for word in _VALUE.findall(line)
            if re.search(r"\d|\w[^\w\s]\w", word)
        ]
        values += _LABEL_AND_VALUE.findall(line)
        yield from (
            plain for value in values if len(plain := _plain(value)) >= 4
        )


def _names(text: str, file: str) -> bool:
    found = re.search(
        # a memory of the team has a name of its own
        rf"(?<![\w-])(?<!{TEAM}/){re.escape(file)}(?![\w-])",
        text,
        re.IGNORECASE,
    )
    return found is not None


Sources = defaultdict[str, dict[str, list[str]]]


def messages_to_withhold(
    entries: Iterable[Entry],
    file: str,
    *,
    who: str = "",
    session: str = "",
    turn: str = "",
    sources: Sequence[str] = (),
) -> dict[str, list[str]]:
    """Give, by session, the messages that a memory came from, and the one that
    asked to forget it.

    What a dream merged into the memory counts as well, and so does an earlier
    memory of the name.
    """
    found = _sources(entries)[file]
    if session and turn:
        _add(found, session, [turn, *sources])
    return found


def withheld_messages(entries: Sequence[Entry]) -> dict[str, frozenset[str]]:
    """Give, by session, what the journal withholds; what was undone withholds
    nothing.
    """
    undone: set[str] = set()
    found: dict[str, set[str]] = {}
    for entry in reversed(entries):
        if entry.id in undone:
            continue
        undone.add(entry.undoes)
        for session, messages in entry.withheld.items():
            found.setdefault(session, set()).update(messages)
    return {
        session: frozenset(messages) for session, messages in found.items()
    }


def _sources(entries: Iterable[Entry]) -> Sources:
    """Give, by file and session, the messages that its memory came from."""
    found: Sources = defaultdict(dict)
    logged: dict[str, Entry] = {}
    for entry in entries:
        written = [change.file for change in entry.changes if change.after]
        if entry.what == LOG:
            written = [*entry.origins]
            logged[entry.id] = entry
        for file, stamped in entry.origins.items():
            for session, message in _moved_messages(stamped):
                _add(found[file], session, [message])
            for source in _changes_behind(stamped) & logged.keys():
                line = logged[source]
                if line.session and line.turn:
                    _add(found[file], line.session, [line.turn])
        if entry.who != "dream":
            for file in written:
                if entry.session and entry.turn:
                    _add(
                        found[file],
                        entry.session,
                        [entry.turn, *entry.sources],
                    )
            continue
        removed = [change.file for change in entry.changes if not change.after]
        # a dream says nothing new, so its sources are those it worked from
        for file in written:
            for other in removed:
                for session, messages in found[other].items():
                    _add(found[file], session, messages)
    return found


def _changes_behind(stamped: Any) -> set[str]:
    """Give the changes that sentences were made of."""
    values = stamped.values() if isinstance(stamped, Mapping) else ()
    return {
        source for value in values for source in Stamp.from_json(value).sources
    }


def _moved_messages(stamped: Any) -> Iterator[tuple[str, str]]:
    """Give session and message of the sentences that were moved here."""
    values = stamped.values() if isinstance(stamped, Mapping) else ()
    for value in values:
        moved = Stamp.from_json(value).moved
        if moved and moved.session and moved.message:
            yield moved.session, moved.message


def _add(
    found: dict[str, list[str]], session: str, messages: Iterable[str]
) -> None:
    known = found.setdefault(session, [])
    known.extend(message for message in messages if message not in known)
