"""Which sentences only repeat what the project's own files say.

Such a sentence names a file or a symbol, says where something is or what it
does, and says nothing else. The files confirm it: the path exists, or the
symbol is found, and what it is said to do is in the text. A sentence with a
rule, a reason, a wish, a plan or an opinion is never one. Code cannot tell
whether a reader would have found the place without help.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path, PurePosixPath

from memlab.memdir.dates import blank_code
from memlab.memdir.instructions import read_prompt_file
from memlab.text import fold_space, terms_of

MOST_FILES = 2_000
FILE_BYTES = 200_000
PROJECT_CHARACTERS = 5_000_000  # in which a symbol is looked for
LONGEST = 300  # characters of a sentence that is looked at
CONFIRMED = 0.5  # of the words that say what a file does
MOST_READ = 20  # files that contain a symbol
PART = 1_500  # characters of a file that a claim is compared with


@dataclass(frozen=True)
class ProjectFact:
    """A sentence that the project itself says, in which line of the text from
    1, and the file or symbol that it names.
    """

    sentence: str
    line: int
    named: str


@dataclass(frozen=True)
class ProjectFacts:
    """The facts in a text; ``nothing_else`` is true if it says nothing else."""

    facts: tuple[ProjectFact, ...] = ()
    nothing_else: bool = False


def find_project_facts(
    text: str, project: Path | None = None, known: str = ""
) -> ProjectFacts:
    """Find the sentences of a text that the project itself says.

    Without a project, only a file's path with what it contains is one. What
    ``known`` contains is left out: somebody has decided on it before.
    """
    files = _ProjectFiles(project)
    facts: list[ProjectFact] = []
    others = 0
    kept = {sentence for _, sentence in _sentences(known)}
    for place, sentence in _sentences(text):
        named = "" if sentence in kept else _named_fact(sentence, files)
        if named:
            line = text.count("\n", 0, place) + 1
            facts.append(ProjectFact(sentence, line, named))
        else:
            others += 1
    return ProjectFacts(tuple(facts), bool(facts) and not others)


def without_request(text: str) -> str:
    """Give a text without "Remember:" and the like at its beginning."""
    return _REQUEST.sub("", text.strip())


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Give the sentences outside of code blocks with their places, each
    without what introduces it.
    """
    text = blank_code(text, inline=False)
    ends = [one.end() for one in _END.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        sentence = fold_space(_LEAD_IN.sub("", text[start:end].strip()))
        if re.search(r"\w", sentence):
            yield start, sentence.rstrip(".!:; ")


def _named_fact(sentence: str, files: _ProjectFiles) -> str:
    """Give the file or symbol that a sentence merely describes, "" if it says
    more or the project does not confirm it.
    """
    if len(sentence) > LONGEST or _SAYS_MORE.search(sentence):
        return ""
    if _OUTSIDE.search(sentence):
        return ""
    contains = _CONTAINS.match(sentence)
    if contains and "/" in contains["path"]:
        return contains["path"]
    if files.top is None:
        return ""

    paths = [match["path"] for match in _PATH.finditer(sentence)]
    if not all(files.find(path) for path in paths):
        return ""
    if paths and (_PLACE.search(sentence) or contains):
        return paths[0]

    does = _DOES.match(sentence)
    if does is None:
        return ""
    subject = does["subject"]
    where = [subject] if subject in paths else []
    if subject in _symbols(sentence):
        where = files.with_symbol(subject)
    shown = any(files.shows(path, does["what"]) for path in where)
    return subject if shown else ""


def _symbols(sentence: str) -> list[str]:
    """List what looks like the name of a function, a class or a setting."""
    return [
        next(filter(None, match.groups()))
        for match in _SYMBOL.finditer(sentence)
    ]


def _split_names(text: str) -> str:
    """Write the parts of names apart: ``mountCalendar`` is two words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)


@dataclass(frozen=True)
class _ProjectFiles:
    """The files of a project, as far as they are needed; links that lead out
    are not followed.
    """

    top: Path | None
    _texts: dict[str, str] = field(default_factory=dict)
    _parts: dict[str, list[frozenset[str]]] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """The paths of the first files and folders, without hidden ones and
        without installed packages.
        """
        return list(islice(self._walk(), MOST_FILES))

    def _walk(self) -> Iterator[str]:
        if self.top is None:
            return
        for folder, folders, files in os.walk(self.top):
            folders[:] = sorted(
                one
                for one in folders
                if not one.startswith(".") and one not in _INSTALLED
            )
            below = Path(folder).relative_to(self.top)
            for name in [*sorted(files), *folders]:
                yield (below / name).as_posix()

    def find(self, path: str) -> str:
        """Give the path at which a file or a folder is, "" if there is
        none.
        """
        wanted = PurePosixPath(path)
        if self.top is None or ".." in wanted.parts or wanted.is_absolute():
            return ""
        with suppress(OSError, ValueError):
            if (self.top / wanted).exists():
                return str(wanted)
        end = f"/{wanted}"
        return next((one for one in self.names if one.endswith(end)), "")

    def text(self, path: str) -> str:
        """Give the beginning of a file; of a folder, what it contains."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def _read(self, path: str) -> str:
        place = self.find(path)
        if self.top is None or not place:
            return ""
        file = self.top / place
        if file.is_dir():
            below = f"{place}/"
            return "\n".join(
                name for name in self.names if name.startswith(below)
            )
        return read_prompt_file(file, inside=self.top, most=FILE_BYTES).text

    def shows(self, path: str, claim: str) -> bool:
        """Tell whether a part of a file has most words of a claim, and the
        file all names in it.
        """
        parts = self._terms_of_parts(path)
        named = " ".join(re.findall(r"\b[A-Z]\w+", claim))
        names = terms_of(_split_names(named))
        if not frozenset[str]().union(*parts).issuperset(names):
            return False
        said = frozenset(terms_of(_split_names(claim)))
        enough = CONFIRMED * len(said)
        return bool(said) and any(len(said & part) >= enough for part in parts)

    def _terms_of_parts(self, path: str) -> list[frozenset[str]]:
        """List the terms of each part of a file; the parts overlap."""
        if path not in self._parts:
            text = _split_names(self.text(path))
            starts = range(0, max(len(text), 1), PART // 2)
            self._parts[path] = [
                frozenset(terms_of(f"{path}\n{text[start : start + PART]}"))
                for start in starts
            ]
        return self._parts[path]

    def with_symbol(self, symbol: str) -> list[str]:
        """List files that contain a name as a whole word."""
        return self._files_by_word.get(symbol.rpartition(".")[2], [])

    @cached_property
    def _files_by_word(self) -> dict[str, list[str]]:
        """The first files that contain each word, as far as the project is
        read.
        """
        found: dict[str, list[str]] = {}
        left = PROJECT_CHARACTERS
        for name in self.names:
            text = self.text(name)
            left -= len(text)
            if left < 0:
                break
            for word in set(re.findall(r"\w+", text)):
                files = found.setdefault(word, [])
                if len(files) < MOST_READ:
                    files.append(name)
        return found


_END = re.compile(
    r"(?<=[.!?…])[\"'”’)]*\s+|\n\s*\n\s*|\n(?=\s*(?:[-*+#|>]|\d+[.)])\s)"
)
_INSTALLED = frozenset(
    ("node_modules", "site-packages", "venv", "vendor", "__pycache__")
)
_ENDINGS = (
    r"(?:py|pyi|ipynb|[jt]sx?|vue|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs"
    r"|php|sql|sh|toml|ya?ml|json|ini|cfg|md|rst|txt|html|s?css|lock)"
)
_NAME = (
    r"`?(?P<path>(?:[\w@.-]+/)+(?:[\w@.-]*\w)?"
    rf"|[\w@-][\w@.-]*\.{_ENDINGS})(?![\w/])`?"
)
_PATH = re.compile(rf"(?<![\w@./~-]){_NAME}")
_SYMBOL = re.compile(
    r"`([A-Za-z_][\w.]*)(?:\(\))?`|\b([A-Za-z_]\w*)\(\)"
    r"|\b([a-z]+(?:_[a-z0-9]+)+)\b|\b((?:[A-Z]?[a-z0-9]+)(?:[A-Z][a-z0-9]+)+)\b"
)
_OUTSIDE = re.compile(r"://|(?<![\w.])~?/[\w.-]+/[\w.-]+|~/|[A-Za-z]:\\")
_ASKED = (
    r"(?:(?:please\s+)?(?:remember|note|fyi|merke?\s+dir|notiere?"
    r"|souviens-toi|retiens)\b\s*(?:that|dass|que)?\s*[:,]?\s*"
    r"|just\s+so\s+you\s+know\b[:,]?\s*)"
)
_REQUEST = re.compile(rf"(?i)^{_ASKED}")
_LEAD_IN = re.compile(
    r"(?i)^(?:[\s>*+#-]+|\d+[.)]\s|in\s+the\s+person['’]s\s+words\s*:?"
    rf"|(?:also|and)\b|{_ASKED})+"
)
# What makes a sentence more than a description: a rule, a reason, a wish, a
# plan, something that was, or an opinion.
_SAYS_MORE = re.compile(
    r"""(?ix) \?\s*$ | \b(?: never|always|must|should|shall|ought|may|might
      |can['’]?t|cannot|\w+n['’]t|not|no|none|nothing|without|only|too
      |because|since|so\ that|reason|why|purpose|deliberately|despite
      |although|though|but|however|instead|rather|unless|until|before|after
      |if|whenever|prefers?|wants?|wanted|wish(?:es)?|likes?|would|could
      |please|avoid|needs?|ha(?:s|ve)\ to|(?:is|are)\ to|required|forbidden
      |allowed|will|going\ to|was|were|had|used\ to|once|soon|later
      |wrong|false|bugs?|buggy|broken|breaks?|fails?|hacks?|traps?|careful|slow
      |old|legacy|deprecated|unused|surpris\w+|odd|unlike|except
      |(?:is|are)\ \w+ing|he|she|they|we|I|who|everybody|everyone|nobody
      |nie|niemals|immer|muss|müssen|soll\w*|darf|dürfen|nicht|kein\w*|weil
      |damit|bitte|möchte|will|bevorzugt|nur
      |jamais|toujours|doit|doivent|pas|parce|afin|veut|préfère|seulement
      )\b
    | ^(?:use|run|keep|edit|put|write|read|ask|check|look|start|add|leave|make
      |call|see|test|move|remove|delete|follow|review|open|treat|let|do|go
      |tell|show|give|take|try|stop|change|copy|build)\b"""
)
_VERBS = (
    r"(?:holds?|contains?|defines?|declares?|implements?|includes?|exports?"
    r"|provides?|enthält|definiert|beinhaltet|contient|définit)"
)
_OF_KIND = (
    r"(?:the\s+)?(?:(?:file|folder|module|script|function|method|class|datei"
    r"|modul|le\ fichier)\s+)?"
)
_CONTAINS = re.compile(
    rf"(?i)^{_OF_KIND}{_NAME}\s+(?:\w+ly\s+)?(?:{_VERBS}|has|hat)\s+(?P<what>.+)"
)
_DOES = re.compile(
    rf"(?i)^{_OF_KIND}`?(?P<subject>[\w@./-]*[\w/])(?:\(\))?`?\s+(?:\w+ly\s+)?"
    r"(?P<what>(?:\w+s|enthält|definiert)\b.*)"
)
_PLACE = re.compile(
    r"""(?ix) \b(?: is|are|there['’]s|be\ found|lives?|sits?|goes|happens?|keeps?|find
      |liegt|liegen|steht|stehen|findest|ist|sind|se\ trouvent?|est|sont )\b
      (?: .{0,60}? \b(?:in|at|under|inside|below|by|unter|dans|sous
          |(?:top|bottom|beginning|end)\s+of)\s+
        (?:(?:the|its|der|le)\s+)?(?:(?:file|folder|module|datei)\s+)?
      | \s+ ) `?[\w@.-]*[/.][\w@/.-]*"""
)
