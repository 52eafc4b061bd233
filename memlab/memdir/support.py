"""Whether a new sentence of a memory is supported, by whom, and whether it
claims more authority than its sources have.

The sources are the memories as they were, each sentence with the origin in its
stamp, and the messages of conversations: the person's own words, what they
agreed to, and what tools returned or the person pasted. A sentence is
*supported* if nearly all of its words, and all of its numbers, are in a few
trusted sources. One whose words come from an untrusted source must name that
source; if it does not, that is a *rise in authority*. Dates and the
grammatical person make no difference, and neither do the words that introduce
a quotation. The person is *the user*, *I*, or the name that the memories about
them give. Code cannot follow a paraphrase without
a common word or a translation, so such a sentence counts as unsupported, and
its stamp is that of the least trusted text it may have been made of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from memlab.memdir.attribution import (
    PersonMessage,
    attribute,
    plain,
    sentences,
    without_quotes,
)
from memlab.memdir.coverage import (
    CoveringTexts,
    Statements,
    as_memory,
    find_lost,
    text_of,
)
from memlab.memdir.daily_log import MOST_LOGS, find_logs
from memlab.memdir.dates import MONTHS
from memlab.memdir.memory import MemoryType, format_memory
from memlab.memdir.origin import (
    Origin,
    Piece,
    Stamp,
    Stamps,
    least_trusted,
    pieces,
)
from memlab.memdir.places import INDEXES
from memlab.prompts.blocks import read_blocks
from memlab.text import (
    as_blocks,
    block_text,
    content_words,
    is_system_reminder,
    persons_text,
    terms_of,
)

SUPPORTED = 0.6
MOST_SOURCES = 3
RESTATED = 0.5
REPEATED = 0.7
SAME_MATTER = 0.3
Contents = Mapping[str, bytes]

# "next Friday", "the whole year" and "the 28th" become dates in a memory.
_MONTH = f"(?:{'|'.join(MONTHS)})"
_DATE = (
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?\s+)?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}\.?\s+"
    + _MONTH
    + r"(?:\s+\d{4})?|"
    + _MONTH
    + r"\s+\d{1,4}(?:,\s+\d{4})?|20[0-4]\d)\b"
)
_LINK = r"\[\[[^\]\n]*\]\]"
# what introduces somebody's words is no content
_INTRODUCTION = (
    r"(?i:\A\W*in\s+(?:the\s+)?\w+['’]s\s+(?:own\s+)?words\s*:"
    r"|\A\W*(?:\w+\s+){1,3}(?:says?|said|writes?|wrote)\s*:\s*(?=[\"“„«]))"
)
# Who speaks, and that somebody wishes something, is the grammar of a memory.
_FRAME = frozenset(
    terms_of("""
    user users person developer assistant agent i me my we us our you your
    wants want prefers prefer likes like asks says said told wishes wish
    ought been since today tomorrow yesterday ever instead
    remember memory note please
    nutzer nutzerin benutzer benutzerin ich wir mir uns mein möchte will
    wünscht der die das den dem des ein eine dass und auch
    utilisateur utilisatrice je nous veut souhaite le la les un une que
    """)
)
_THE_PERSON = (
    r"(?i)\b(?:users?|the\s+person|(?:be)?nutzer(?:in|s)?|utilisat(?:eur|rice)"
    r"|usuari[oa]|I|my|mine|ich|meine?[rnms]?|je)\b"
)
_NAME = r"([A-ZÀ-ÖØ-Þ]\w+)"
_CALLED = rf"\b(?:[Mm]y|(?:user|person)['’]s)\s+(?:\w+\s+)?name\s+is\s+{_NAME}"
_SUBJECT = (
    rf"\A{_NAME}(?:['’]s\s"
    r"|\s+(?:wants|prefers|likes|dislikes|loves|hates|wishes|works|lives"
    r"|writes|reads|thinks|speaks|drinks|indents)\b)"
    rf"|\A(?:About|How\s+to\s+talk\s+to)\s+{_NAME}\Z"
)
_NO_NAME = frozenset(
    terms_of("a an the he she it they we you this that everyone nobody who")
)
_REPORTS = (
    r"(?i)\b(?:says?|said|writes?|wrote|recommends?|recommended|asks|asked"
    r"|suggests?|suggested|claims|claimed|advises?|advised|states|stated"
    r"|proposes?|proposed|warns?|mentions"
    r"|according\s+to|in\s+the\s+words\s+of|schreibt|schrieb|sagt|sagte"
    r"|empfiehlt|meint|behauptet|laut|zufolge|selon|d['’]après|según)\b"
)
_NOBODY = (
    r"(?i)\b(?:it|this|that|he|she|they|we|you|who|man|es|on)\s+"
    r"(?:is\s+|was\s+|has\s+been\s+)?(?:\w+ly\s+)?"
    r"(?:says|said|recommended|suggested|claimed|advised|stated|proposed"
    r"|asked|sagt|schreibt)\b"
)
_CONDITION = (
    r"(?i)\A\W*(?:when|before|after|while|where|if|how|what|for|wenn|bevor"
    r"|nachdem|wie|wo|was|quand|avant|où|comment)\b"
)


class Verdict(StrEnum):
    """What the sources say of a new sentence."""

    SUPPORTED = "supported"
    NAMED = "names its source"
    INFERRED = "inferred"
    UNSUPPORTED = "unsupported"
    RISE = "rise in authority"


@dataclass(frozen=True)
class Judgement:
    """The verdict on a sentence, and the stamp it gets if it is written.

    ``by`` has the texts that support it, or from which it seems to be taken.
    ``answers`` is true if words that the person said outside of memory support
    it.
    """

    verdict: Verdict
    stamp: Stamp
    by: tuple[str, ...] = ()
    answers: bool = False

    @property
    def held_back(self) -> bool:
        """Whether a person has to accept it."""
        return self.verdict in (Verdict.UNSUPPORTED, Verdict.RISE)


@dataclass(frozen=True)
class Source:
    """A text that may support a new sentence.

    ``file`` is the memory it is in, "" for a message of a conversation.
    ``about_person`` is true for a memory of the type *user*.
    ``change`` names the change that wrote it, and ``older`` the changes
    behind that one.
    """

    text: str
    origin: Origin
    file: str = ""
    message: str = ""
    change: str = ""
    older: tuple[str, ...] = ()
    about_person: bool = False

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of the text."""
        return source_terms(self.text)

    @cached_property
    def statements(self) -> Statements:
        """What the text says and denies."""
        return Statements(sentences(self.text))

    @cached_property
    def key(self) -> str:
        """The hash by which a stamp names the text."""
        return Piece(self.text).key


def source_terms(text: str) -> frozenset[str]:
    """Give the terms of a text without dates, links to other memories,
    grammatical person, and what introduces a quotation.
    """
    said = re.sub(f"{_INTRODUCTION}|{_DATE}|{_LINK}", " ", text)
    return frozenset(terms_of(said)) - _FRAME


def names_of_person(sources: Iterable[Source]) -> frozenset[str]:
    """Give the names of the person, as the memories about them and their own
    messages say.

    The name of which most is said counts; a stranger's text does not.
    """
    counts: Counter[str] = Counter()
    for one in sources:
        if _is_untrusted(one.origin):
            continue
        if called := re.search(_CALLED, one.text):
            return frozenset([called[1]])
        subject = one.about_person and re.match(_SUBJECT, one.text)
        if subject:
            name = subject[1] or subject[2]
            counts[name] += not _NO_NAME.issuperset(terms_of(name))
    most = max(counts.values(), default=0)
    return frozenset(name for name in counts if most and counts[name] == most)


def speaks_for_person(text: str, names: Iterable[str] = ()) -> bool:
    """Tell whether a text says something of the person, whom it may name."""
    if re.search(_THE_PERSON, text):
        return True
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def names_source(text: str, names: Iterable[str] = ()) -> bool:
    """Tell whether a sentence says that somebody else said it.

    "It is said" names nobody, and neither does a sentence about the person.
    """
    if speaks_for_person(without_quotes(text), names):
        return False
    return bool(re.search(_REPORTS, re.sub(_NOBODY, " ", text)))


class Witness(Protocol):
    """What a writer knows about where its text comes from."""

    def judge(self, piece: Piece, files: Iterable[str] = ()) -> Judgement:
        """Judge a new sentence of a memory that was made of some files."""

    def answered(self, lost: Iterable[str], new: Iterable[Piece]) -> set[str]:
        """Give the lost sentences about whose matter the person has said
        something else, which new sentences contain.
        """


class PersonWitness:
    """The person writes; all of it is in their own words."""

    def judge(self, piece: Piece, files: Iterable[str] = ()) -> Judgement:
        """Call every sentence the person's."""
        return Judgement(Verdict.SUPPORTED, Stamp(Origin.PERSON))

    def answered(self, lost: Iterable[str], new: Iterable[Piece]) -> set[str]:
        """Give all: the person may take back what they said."""
        return set(lost)


@dataclass(frozen=True)
class AcceptedWitness:
    """The person lets a sentence pass; it keeps the origin that it has."""

    stamp: Stamp

    def judge(self, piece: Piece, files: Iterable[str] = ()) -> Judgement:
        """Give every sentence this origin."""
        return Judgement(Verdict.SUPPORTED, self.stamp)

    def answered(self, lost: Iterable[str], new: Iterable[Piece]) -> set[str]:
        """Give none: nothing is replaced."""
        return set()


@dataclass(frozen=True)
class Support:
    """The sources for new sentences.

    With ``by_origin`` false, every source counts as trusted: that is the check
    for support alone, which the evaluation compares with the rule on origin.
    """

    sources: Sequence[Source]
    by_origin: bool = True
    _with_term: dict[str, list[int]] = field(init=False, repr=False)
    _names: frozenset[str] = field(init=False, repr=False)
    _reports: dict[str, bool] = field(
        default_factory=dict, init=False, repr=False
    )

    def __post_init__(self) -> None:
        names = names_of_person(self.sources)
        object.__setattr__(self, "_names", names)
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, source in enumerate(self.sources):
            for term in source.terms:
                found[term].append(number)
        object.__setattr__(self, "_with_term", dict(found))

    def judge(self, piece: Piece, files: Iterable[str] = ()) -> Judgement:
        """Judge a new sentence of a memory that was made of some files."""
        terms = source_terms(piece.text)
        # the person's name needs no source
        wanted = terms.difference(terms_of(" ".join(self._names)))
        if not wanted:
            return Judgement(Verdict.SUPPORTED, Stamp(Origin.ASSISTANT))
        near = self._near(wanted)
        same = [one for _, one in near if one.key == piece.key]
        if same:  # a sentence that is kept keeps its origin
            best = max(same, key=lambda one: one.origin)
            if self._may_support(best, piece):
                answers = not best.file and best.origin is Origin.PERSON
                return Judgement(
                    Verdict.SUPPORTED, _stamp([best]), (best.text,), answers
                )
            return self._of_suspects(piece, wanted, [best], [])
        used, missing = self._cover(piece, wanted, near)
        suspects = self._suspects(piece, wanted, missing, used, near)
        numbers = {term for term in missing if any(map(str.isdigit, term))}
        enough = len(missing) <= (1 - SUPPORTED) * len(terms) + 1e-9
        if used and enough and not numbers and not suspects:
            answers = any(
                not one.file and one.origin is Origin.PERSON for one in used
            )
            return Judgement(
                Verdict.SUPPORTED, _stamp(used), _texts(used), answers
            )
        if suspects:
            return self._of_suspects(piece, wanted, suspects, used)
        named = set(files)
        of_files = [one for one in self.sources if one.file in named]
        doubtful = any(_is_untrusted(one.origin) for one in of_files)
        if piece.inferable and not (self.by_origin and doubtful):
            least = _made_of(of_files, wanted)
            inferred = replace(
                least,
                origin=min(least.origin, Origin.ASSISTANT),
                message="",
                inferred=True,
            )
            return Judgement(Verdict.INFERRED, inferred)
        if piece.label and of_files and not self._speaks(piece.text):
            return Judgement(Verdict.SUPPORTED, _made_of(of_files, wanted))
        # it may be made of anything that is not the person's
        data = [
            one
            for one in self.sources
            if not one.file and one.origin is not Origin.PERSON
        ]
        stamp = _made_of([*of_files, *data], wanted)
        if piece.label and not self._speaks(piece.text):
            return Judgement(Verdict.SUPPORTED, stamp)
        return Judgement(Verdict.UNSUPPORTED, stamp)

    def _of_suspects(
        self,
        piece: Piece,
        wanted: frozenset[str],
        suspects: Sequence[Source],
        used: Sequence[Source],
    ) -> Judgement:
        """Judge a sentence whose words come from untrusted sources."""
        # one word in common is a coincidence
        also = [one for one in used if len(one.terms & wanted) > 1]
        stamp = _stamp([*suspects, *also])
        by = _texts(suspects)
        if self._names_source(piece.text):
            return Judgement(Verdict.NAMED, stamp, by)
        # a title such as "README of libfoto" says what the memory is about
        about = piece.label and not self._speaks(piece.text)
        if about and not any(
            _restates(wanted, one, piece.text) for one in suspects
        ):
            return Judgement(Verdict.NAMED, stamp, by)
        return Judgement(Verdict.RISE, stamp, by)

    def _near(self, wanted: frozenset[str]) -> list[tuple[int, Source]]:
        """Give the sources that share a term, with how many; most first."""
        counts = Counter(
            number
            for term in wanted
            for number in self._with_term.get(term, ())
        )
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(count, self.sources[number]) for number, count in ranked]

    def _cover(
        self,
        piece: Piece,
        wanted: frozenset[str],
        near: Sequence[tuple[int, Source]],
    ) -> tuple[list[Source], frozenset[str]]:
        """Choose the trusted sources that have most of the terms, and give the
        terms that none of them has.
        """
        trusted = [one for _, one in near if self._may_support(one, piece)]
        used: list[Source] = []
        missing = wanted
        while trusted and missing and len(used) < MOST_SOURCES:
            best = max(
                trusted,
                key=lambda one: (len(one.terms & missing), one.origin),
            )
            trusted.remove(best)
            if not best.terms & missing:
                break
            if self.by_origin and best.file and _reverses(best, piece):
                continue
            used.append(best)
            missing -= best.terms
        return used, missing

    def _may_support(self, source: Source, piece: Piece) -> bool:
        if not self.by_origin or source.origin is Origin.PERSON:
            return True
        if _is_untrusted(source.origin):
            return False
        # the assistant's text, and text of unknown origin, supports what
        # claims no more than it did
        if self._names_source(source.text) and not self._names_source(
            piece.text
        ):
            return False
        return self._speaks(source.text) or not self._speaks(piece.text)

    def _speaks(self, text: str) -> bool:
        return speaks_for_person(text, self._names)

    def _names_source(self, text: str) -> bool:
        if text not in self._reports:
            self._reports[text] = names_source(text, self._names)
        return self._reports[text]

    def _suspects(
        self,
        piece: Piece,
        wanted: frozenset[str],
        missing: frozenset[str],
        used: Sequence[Source],
        near: Sequence[tuple[int, Source]],
    ) -> list[Source]:
        """Find the untrusted sources from which the sentence seems to be
        taken.

        They have words that the trusted ones lack, or nearly all of the words
        that only several trusted ones together have.
        """
        if not self.by_origin:
            return []
        best = max((len(one.terms & wanted) for one in used), default=0)
        several_terms = min(2, len(wanted))
        # a word that a trusted text about the matter has is not foreign
        missing = missing.difference(
            *(
                one.terms
                for count, one in near
                if count >= several_terms
                and self._may_support(one, piece)
                and not _reverses(one, piece)
            )
        )
        found = []
        for count, one in near:
            if self._may_support(one, piece):
                continue
            several = count >= several_terms
            has_missing = bool(one.terms & missing)
            covers = count >= SUPPORTED * len(wanted) and (
                count > best or any(_reverses(two, piece) for two in used)
            )
            if several and (has_missing or covers):
                found.append(one)
        return found

    def answered(self, lost: Iterable[str], new: Iterable[Piece]) -> set[str]:
        """Give the lost sentences about whose matter the person has said
        something else, which new sentences contain.
        """
        answers = [
            source_terms(piece.text)
            for piece in new
            if not piece.label and self.judge(piece).answers
        ]
        return {
            text
            for text in self.taken_back(lost)
            if any(_same_matter(text, answer) for answer in answers)
        }

    def taken_back(self, lost: Iterable[str]) -> set[str]:
        """Give the lost sentences about whose matter the newest words of the
        person say something else.
        """
        said = [
            source
            for source in reversed(self.sources)
            if not source.file and source.origin is Origin.PERSON
        ]
        return {text for text in lost if _is_taken_back(text, said)}


def _same_matter(text: str, terms: frozenset[str]) -> bool:
    wanted = source_terms(text)
    return len(wanted & terms) >= max(2, SAME_MATTER * len(wanted))


def _is_taken_back(text: str, newest_first: Iterable[Source]) -> bool:
    """Tell whether the newest words about a matter say something else."""
    wanted = source_terms(text)
    for source in newest_first:
        repeats = len(wanted & source.terms) >= REPEATED * len(wanted)
        if repeats and not _reverses(
            Source(text, source.origin), Piece(source.text)
        ):
            return False
        if repeats or _same_matter(text, source.terms):
            return True
    return False


def _is_untrusted(origin: Origin) -> bool:
    return origin in (
        Origin.OUTSIDE,
        Origin.TOOL_RESULT,
        Origin.PROJECT_FILE,
    )


def _reverses(source: Source, piece: Piece) -> bool:
    return bool(source.statements.reversed_by(piece.text))


def _restates(wanted: frozenset[str], source: Source, text: str) -> bool:
    """Tell whether a title or a description repeats what a source says."""
    if re.match(_CONDITION, text) or not source.terms:
        return False
    return len(wanted & source.terms) >= RESTATED * len(source.terms)


def _stamp(used: Sequence[Source]) -> Stamp:
    """Give a sentence the least trusted origin of its sources."""
    origin = least_trusted(one.origin for one in used)
    message = next((one.message for one in used if one.message), "")
    changes = dict.fromkeys(
        change for one in used for change in (*one.older, one.change) if change
    )
    return Stamp(origin, message, tuple(sorted(changes)))


def _made_of(behind: Sequence[Source], wanted: frozenset[str]) -> Stamp:
    """Give a sentence that no source says the least trusted origin of what it
    may be made of, and the changes of those that share a word with it.
    """
    if not behind:
        return Stamp(Origin.ASSISTANT)
    related = _stamp([one for one in behind if one.terms & wanted])
    return replace(_stamp(behind), sources=related.sources)


def _texts(used: Sequence[Source]) -> tuple[str, ...]:
    return tuple(one.text for one in used)


# The sources


def memory_sources(contents: Contents, stamps: Stamps) -> Iterator[Source]:
    """Give the sentences of memories, with the origin in their stamps."""
    for name, data in contents.items():
        if name in INDEXES:  # its lines repeat what is in the files
            continue
        known = stamps.get(name, {})
        memory = as_memory(name, data)
        about = memory is not None and memory.type is MemoryType.user
        for piece in pieces(name, data):
            stamped = known.get(piece.key)
            if stamped is None:
                yield Source(
                    piece.text,
                    Origin.UNKNOWN,
                    file=name,
                    about_person=about,
                )
                continue
            yield Source(
                piece.text,
                stamped.stamp.origin,
                file=name,
                change=stamped.entry.id,
                older=stamped.stamp.sources,
                about_person=about,
            )


def log_sources(
    directory: Path,
    stamps: Stamps,
    withheld: Mapping[str, Collection[str]],
) -> Iterator[Source]:
    """Give the sentences of the newest logs as sources for new ones, each with
    the origin in its stamp, oldest log first.

    They count as words of a conversation, not as memories: what the person
    said to a log may replace what a memory says. A line from a message in
    ``withheld`` is left out: a memory that was made of it has been forgotten.
    """
    forgotten = frozenset[str]().union(*withheld.values())
    newest = list(islice(find_logs(directory), MOST_LOGS))
    for path, found in reversed(newest):
        known = stamps.get(path, {})
        for piece in pieces(path, found.data or b""):
            text = piece.text.removeprefix("- ")
            stamped = known.get(piece.key)
            if stamped is None:
                yield Source(text, Origin.UNKNOWN)
                continue
            messages = {stamped.stamp.message, stamped.entry.turn}
            if not forgotten.isdisjoint(messages):
                continue
            yield Source(
                text,
                stamped.stamp.origin,
                change=stamped.entry.id,
                older=stamped.stamp.sources,
            )


ToolOrigin = Callable[[str, Mapping[str, Any]], Origin | None]


def tool_origin(name: str, arguments: Mapping[str, Any]) -> Origin | None:
    """Say whose words a tool's result holds; None for memory, which is a
    source already.

    Read gives a project file, unless it belongs to a dependency. Bash, Grep
    and Glob give a tool's result. All other tools reach outside.
    """
    if name in ("Write", "Edit"):
        return None
    path = str(arguments.get("file_path") or arguments.get("path") or "")
    folders = set(re.split(r"[/\\]", path)[:-1])
    if name == "Read":
        if "memory" in folders:
            return None
        return Origin.OUTSIDE if folders & _VENDORED else Origin.PROJECT_FILE
    if name in ("Bash", "Grep", "Glob"):
        return Origin.TOOL_RESULT
    return Origin.OUTSIDE


_VENDORED = {
    "node_modules",
    "site-packages",
    "vendor",
    "third_party",
    ".venv",
    "venv",
    "Downloads",
}


def conversation_sources(
    messages: Sequence[Mapping[str, Any]],
    uuids: Sequence[str] = (),
    origin_of: ToolOrigin = tool_origin,
) -> Iterator[Source]:
    """Give what a conversation holds, with whose words it is.

    What the assistant said is a source only where the person agreed to it:
    otherwise a summary of a web page would count as the assistant's word. The
    same holds for what a compaction wrote.
    """
    uuids = uuids or [str(number) for number in range(len(messages))]
    times = [datetime(2000, 1, 1, tzinfo=UTC)] * len(messages)
    for said in attribute(messages, uuids, times).said:
        yield from _said(said)
    calls: dict[str, Mapping[str, Any]] = {}
    for uuid, message in zip(uuids, messages, strict=True):
        blocks = as_blocks(message["content"])
        typed = persons_text(message)
        for number, block in enumerate(blocks):
            if block["type"] == "tool_use":
                calls[str(block["id"])] = block
            elif block["type"] == "tool_result":
                call = calls.get(str(block.get("tool_use_id")), {})
                origin = origin_of(
                    str(call.get("name", "")), call.get("input") or {}
                )
                if origin is not None:
                    yield from _data(block_text(block), origin, uuid)
            elif typed is not None and number == len(blocks) - 1:
                yield from _quoted(typed, uuid)
            elif message["role"] == "user" and number == 0:
                yield from _replacement(block_text(block), uuid)


def _replacement(text: str, uuid: str) -> Iterator[Source]:
    """Give what a compaction has put in the place of earlier messages.

    Nobody can tell any more which of it the person said and which was on a
    web page, so its origin is unknown.
    """
    if not is_system_reminder(text):
        return
    blocks = read_blocks(text)
    for tag in ("summary", "session_notes"):
        for found in blocks.get(tag, ()):
            yield from _data(found.body, Origin.UNKNOWN, uuid)


def _said(said: PersonMessage) -> Iterator[Source]:
    own = re.sub(r"\s*\n\s*", " ", said.own)
    if own:
        yield Source(own, Origin.PERSON, message=said.uuid)
    if said.agreed:
        yield Source(said.agreed, Origin.ASSISTANT, message=said.uuid)


def _quoted(typed: str, uuid: str) -> Iterator[Source]:
    """Give what the person pasted or quoted, which is not in their words."""
    typed = plain(typed)
    own = {Piece(one).key for one in sentences(without_quotes(typed))}
    for text in sentences(re.sub(r"(?m)^\s*>\s?", "", typed)):
        text = text.strip("\"“”„«»' ")
        if Piece(text).key not in own:
            yield Source(text, Origin.OUTSIDE, message=uuid)


def _data(text: str, origin: Origin, uuid: str) -> Iterator[Source]:
    for sentence in sentences(text):
        if source_terms(sentence):
            yield Source(sentence, origin, message=uuid)


def stamp_new(
    new: Mapping[str, bytes | None],
    old: Mapping[str, bytes | None],
    witness: Witness,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Give the stamps of what a change adds, as the journal keeps them.

    ``old`` has the contents of the same files before the change.
    """
    gone = [name for name, data in new.items() if data is None]
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, data in new.items():
        if data is None or name in INDEXES:
            continue
        made_of = [
            name,
            *(one for one in gone if _lives_on(one, old.get(one), data)),
        ]
        for piece in new_pieces(name, data, old.get(name)):
            stamp = witness.judge(piece, made_of).stamp
            found.setdefault(name, {})[piece.key] = stamp.as_json()
    return found


def _lives_on(name: str, gone: bytes | None, data: bytes) -> bool:
    """Tell whether a sentence of a removed memory is found in another one."""
    terms = source_terms(text_of(data))
    return any(
        len(wanted & terms) >= REPEATED * len(wanted)
        for piece in pieces(name, gone or b"")
        if not piece.label and (wanted := source_terms(piece.text))
    )


def new_pieces(name: str, data: bytes, old: bytes | None) -> list[Piece]:
    """List the sentences of a file that it did not contain before."""
    had = {piece.key for piece in pieces(name, old or b"")}
    return [piece for piece in pieces(name, data) if piece.key not in had]


@dataclass(frozen=True)
class Kept:
    """A rewritten memory with what it would have lost.

    ``lost`` was added below the new text. ``replaced`` was not, because the
    person has said something else.
    """

    data: bytes
    lost: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()


def keep_lost(
    name: str,
    old: bytes,
    new: bytes,
    others: Iterable[str],
    witness: Support,
) -> Kept:
    """Add to a rewritten memory the sentences of its body that vanish,
    although nothing that the person said takes them back.

    ``others`` are the texts of the other memories. Titles and descriptions may
    be worded freely.
    """
    old_body = [one for one in pieces(name, old) if not one.label]
    before = [one.text for one in old_body]
    memory = as_memory(name, new)
    if memory is None or not before:
        return Kept(new)
    own = content_words(memory.text)
    covering = CoveringTexts([content_words(text) for text in others])
    _, vanished = find_lost(before, own, covering)
    answered = witness.answered(vanished, new_pieces(name, new, old))
    answered |= witness.taken_back(vanished)
    if any(one.text in answered and not one.inferable for one in old_body):
        # the reasons go with the statement that they belonged to
        answered |= {one.text for one in old_body if one.inferable}
    lost = tuple(text for text in vanished if text not in answered)
    replaced = tuple(text for text in vanished if text in answered)
    if not lost:
        return Kept(new, (), replaced)
    body = "\n\n".join([memory.body.rstrip(), *lost]) + "\n"
    data = format_memory(replace(memory, body=body)).encode()
    return Kept(data, lost, replaced)
