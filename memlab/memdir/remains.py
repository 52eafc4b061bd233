"""Where the words of a forgotten memory remain, after its own copies have been erased.

The words are its whole sentences, the values of its secrets, its title and the name of its file.
Upper and lower case, punctuation, line breaks and invisible characters make no difference. Left
out, since code cannot tell: the same thing in other words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from unicodedata import category, normalize

from memlab.errors import MemoryFormatError
from memlab.memdir.memory import parse_memory
from memlab.memdir.secrets import find_secrets

_CHUNK = 1 << 20  # characters read at a time, so that a huge transcript needs little memory
_OVERLAP = 1 << 14  # no sentence that is searched for is longer
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)*_]*\s+|\n\s*\n|\n(?=\s*(?:[-*+#>|]|\d+[.)]\s))")
_LINE_NUMBER = re.compile(r"\n *\d+\t")  # as the Read tool shows a file in a transcript
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrt])|([\"\\/]))")  # as in JSON
_VALUE = re.compile(r"[^\s\"'`“”]+")
_LABEL_AND_VALUE = re.compile(r"[^\n:=]*?(?:[:=]|\b(?:is|was|are|ist|est|es)\b)\s*[\"'`“]?(\S{4,})")
_LABELS = {"why", "how to apply"}


@dataclass(frozen=True)
class Traces:
    """What to look for: file names as they are, and phrases as ``_plain`` writes them."""

    files: tuple[str, ...]
    titles: tuple[str, ...]
    phrases: tuple[str, ...]

    @classmethod
    def of(cls, file: str, versions: Iterable[bytes]) -> Traces:
        """Take the words from every version that a memory ever had."""
        titles, values, phrases = set[str](), set[str](), {_plain(Path(file).stem)}
        for data in versions:
            text = data.decode("utf-8", "replace")
            values.update(_secret_values(text))
            with suppress(MemoryFormatError):
                memory = parse_memory(data)
                titles.add(memory.name)
                text = "\n\n".join((memory.name, memory.description, memory.body))
            phrases.update(_plain(sentence) for sentence in _SENTENCE_END.split(text))
        telling = {phrase for phrase in phrases if _is_telling(phrase)}
        return cls((file,), tuple(sorted(titles - {""})), tuple(sorted(telling | values)))

    def are_in(self, text: str) -> bool:
        """Say whether a text contains any of the words."""
        if any(_names(text, file) for file in self.files):
            return True
        plain = f" {_plain(text)} "
        return any(f" {phrase} " in plain for phrase in self.phrases)

    def are_in_image(self, data: bytes) -> bool:
        """Say whether a content is a version of the memory, or contains any of its words."""
        with suppress(MemoryFormatError):
            if parse_memory(data).name in self.titles:
                return True
        return self.are_in(data.decode("utf-8", "replace"))

    def find(self, places: Iterable[Path], leave_out: Path) -> Iterator[Path]:
        """Find the files that contain any of the words, in these files and below these folders.

        What is below ``leave_out`` is not looked at, and symlinks are not followed.
        """
        for place in places:
            for path in _files(place, leave_out):
                with suppress(OSError):
                    if any(self.are_in(text) for text in _chunks(path)):
                        yield path


def _files(place: Path, leave_out: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for folder, below, names in os.walk(place):
        below[:] = sorted(name for name in below if Path(folder, name) != leave_out)
        for path in (Path(folder, name) for name in sorted(names)):
            with suppress(OSError):
                if S_ISREG(os.lstat(path).st_mode):
                    yield path


def _chunks(path: Path) -> Iterator[str]:
    """Read a file piece by piece; neighbouring pieces share a part, and JSON escapes are undone."""
    with open(path, encoding="utf-8", errors="replace") as source:
        kept = ""
        while more := source.read(_CHUNK):
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
    text = _LINE_NUMBER.sub(" ", text)
    if not text.isascii():
        text = normalize("NFKC", text)
        text = "".join(char for char in text if category(char) not in ("Cf", "Mn"))
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def _is_telling(phrase: str) -> bool:
    """Say whether a phrase is worth looking for: a word that others use too would be everywhere."""
    words = phrase.split()
    mixed = any(re.search(r"\d", word) and len(word) >= 4 for word in words)
    return phrase not in _LABELS and len(phrase) < _OVERLAP // 2 and (len(words) >= 3 or mixed)


def _secret_values(text: str) -> Iterator[str]:
    """Give what follows the place where a secret was found: the words that look like a value."""
    for secret in find_secrets(text):
        line = text[secret.offset : secret.offset + 1_000].split("\n", 1)[0]
        values = [word for word in _VALUE.findall(line) if re.search(r"\d|\w[^\w\s]\w", word)]
        values += _LABEL_AND_VALUE.findall(line)
        yield from (plain for value in values if len(plain := _plain(value)) >= 4)


def _names(text: str, file: str) -> bool:
    found = re.search(rf"(?<![\w-]){re.escape(file)}(?![\w-])", text, re.IGNORECASE)
    return found is not None
