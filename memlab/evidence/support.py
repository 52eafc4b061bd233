"""Where a new sentence comes from: conservative, in one rule.

A sentence that is in a memory or a conversation already keeps its origin. One
whose words are nearly all in a few trusted sentences has the least trusted
origin of these. Any other has the least trusted origin of all the sentences
that it shares two words with, and it must name an untrusted source; a person
decides if it does not. What shares nothing is unsupported. Code cannot follow
a translation or a paraphrase, so these are unsupported, too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.sentences import Sentence, sentences_of
from memlab.memdir.places import INDEXES
from memlab.text import shorten, words

# Shares of a sentence's words: supported if so many are found; repeated, or
# about the same matter, if so many are in another one.
SUPPORTED, REPEATED, RESTATED, SAME_MATTER = 0.6, 0.7, 0.5, 0.3
MOST_SOURCES, LEAST_SHARED, SHOWN = 3, 2, 120

_NAMES_A_SOURCE = re.compile(
    r"(?i)\b(?!(?:users?|person|i|we|you|he|she|it|they|this|that|who|one"
    r"|is|are|was|were|be|been|has|have|had|also|\w+ly)\b)(\w+)(?:['’]s \w+)?"
    r" (?:says?|said|writes?|wrote|recommends?|suggests?|claims?|advises?"
    r"|asks?|states?|warns?|mentions?|proposes?)\b"
    r"|\b(?:according to|laut|selon) (?:(?:a|the|einem|einer|der|dem|un|une|le"
    r"|la) )?(?!user|person)(\w+)"
)


_CONDITION = re.compile(
    r"(?i)\W*(?:when|before|after|while|where|if|how|what|for|wenn|bevor"
    r"|nachdem|wie|wo|was|quand|avant|où|comment)\b"
)


_MAY_GO = re.compile(
    r"(?i)(?:^|[,.;:!?–—] *|\b(?:can|may|please|just|let['’]s|then|so|and) )"
    r"(?:drop|forget|scrap|ignore|leave out)(?: about)?"
    r" ((?:[\w'’-]+ ?){1,4})(?=[,.;:!?]|$|\b(?:and|from|now)\b)"
    r"|\bno ((?:[\w'’-]+ ){1,3})any ?more\b"
    r"|((?:[\w'’-]+ ){1,3})(?:is|are) off the table\b"
)


def _beginnings(stems: Iterable[str]) -> set[str]:
    """Cut stems, so that "compare" and "comparison" are the same."""
    return {one[:6] for one in stems}


class Verdict(StrEnum):
    """What the sources say of a new sentence."""

    SUPPORTED = "supported"
    NAMED = "names its source"
    INFERRED = "inferred"
    UNSUPPORTED = "unsupported"
    RISE = "rise in authority"
    OFF_RECORD = "off the record"


HELD = (Verdict.UNSUPPORTED, Verdict.RISE, Verdict.OFF_RECORD)


@dataclass(frozen=True)
class Judgement:
    """The verdict on a sentence, and the stamp it gets if it is written.

    ``by`` has the texts that support it, or from which it seems to be taken.
    ``answers`` is true if words of the person in a conversation support it.
    """

    verdict: Verdict
    stamp: Stamp
    by: tuple[str, ...] = ()
    answers: bool = False

    @property
    def held_back(self) -> bool:
        """Whether it may not be written without a person's decision; what is
        off the record may not even be kept for that.
        """
        return self.verdict in HELD

    @property
    def why(self) -> str:
        """The verdict, with the source from which a rise is taken."""
        if self.verdict is not Verdict.RISE:
            return self.verdict.value
        source = shorten(self.by[0], SHOWN)
        return f"{self.verdict} ({self.stamp.origin.label}: “{source}”)"


class Evidence:
    """The sentences that may support new ones, oldest first."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._off_record: frozenset[str] = frozenset()
        self._heard = Origin.ASSISTANT
        self._subjects: set[str] = set()
        self._may_go: list[set[str]] = []
        self._sources: list[Source] = []
        self._with_stem: defaultdict[str, list[int]] = defaultdict(list)
        messages: defaultdict[str, list[str]] = defaultdict(list)
        for source in sources:
            if source.off_record:
                self._off_record |= source.sentence.stems
                continue
            self._add(source)
            if not source.file:
                self._heard = min(self._heard, source.stamp.origin)
            elif source.stamp.origin.is_trusted:
                self._subjects.update(words(source.sentence.text)[:1])
            gone = _MAY_GO.search(source.sentence.text)
            matter = Sentence(gone[gone.lastindex or 0] if gone else "")
            about = _beginnings(matter.stems) if gone else set()
            if about and _is_said(source):
                self._may_go.append(about)
            if _is_said(source) and source.stamp.message:
                messages[source.stamp.message].append(source.sentence.text)
        # what is made of several sentences of a message, the whole supports
        self._whole = {
            self._add(
                Source(Sentence("\n".join(said)), Stamp(Origin.PERSON, name))
            )
            for name, said in messages.items()
            if len(said) > 1
        }

    def _add(self, source: Source) -> Source:
        for stem in source.sentence.stems:
            self._with_stem[stem].append(len(self._sources))
        self._sources.append(source)
        return source

    def judge(self, sentence: Sentence) -> Judgement:
        """Judge a new sentence of a memory."""
        wanted = sentence.stems
        near = self.near(sentence)
        same = [one for one in near if one.sentence.key == sentence.key]
        if same:
            best = max(same, key=lambda one: one.stamp.origin)
            return self._taken_from(sentence, [best])
        used = self._cover(sentence)
        missing = wanted.difference(*(one.sentence.stems for one in used))
        if missing & self._off_record:
            return Judgement(Verdict.OFF_RECORD, Stamp(self._heard))
        strangers = self._strangers(sentence, near, used)
        if strangers:
            # one word in common is a coincidence
            also = [one for one in used if one in near]
            return self._taken_from(sentence, strangers, also)
        enough = len(missing) <= (1 - SUPPORTED) * len(wanted)
        if enough and not missing & sentence.numbers:
            return self._taken_from(sentence, used)
        verdict = Verdict.SUPPORTED if sentence.label else Verdict.UNSUPPORTED
        if sentence.inferable:
            verdict = Verdict.INFERRED
        stamp = _stamp(near)
        made = min(stamp.origin, Origin.ASSISTANT)
        if verdict is Verdict.UNSUPPORTED:
            # it may be a paraphrase of anything that was heard
            made = min(made, self._heard)
        made_of = Stamp(made, "", stamp.sources, sentence.inferable)
        return Judgement(verdict, made_of)

    def messages(self, sentences: Iterable[Sentence]) -> list[str]:
        """Name the person's messages behind some sentences, that behind most
        of them first.
        """
        said = map(self.judge, sentences)
        found = Counter(one.stamp.message for one in said if one.answers)
        return [one for one, _ in found.most_common() if one]

    def takes_back(self, lost: Sentence) -> bool:
        """Tell whether the newest words of the person about a matter say
        something else, or that it may go ("forget the sheet").
        """
        wanted = lost.stems
        if any(about <= _beginnings(wanted) for about in self._may_go):
            return True
        for one in reversed(self.near(lost)):
            if one in self._whole or not _is_said(one):
                continue
            said = one.sentence.stems
            shared = len(said & wanted)
            if said <= wanted or shared >= REPEATED * len(wanted):
                return one.sentence.reverses(lost)
            if shared >= SAME_MATTER * len(wanted):
                return True
        return False

    def near(
        self, sentence: Sentence, least: int = LEAST_SHARED
    ) -> list[Source]:
        """Give the sources that share so many words, or all, in order."""
        wanted = sentence.stems
        having = (self._with_stem.get(stem, ()) for stem in wanted)
        counts = Counter(chain.from_iterable(having))
        least = min(least, len(wanted))
        found = sorted(number for number in counts if counts[number] >= least)
        return [self._sources[number] for number in found]

    def _cover(self, sentence: Sentence) -> list[Source]:
        """Choose the few trusted sources that have most of the words."""
        known = self.near(sentence, least=1)
        trusted = [one for one in known if _fits(one, sentence)]
        used: list[Source] = []
        missing = sentence.stems

        def gain(one: Source) -> tuple[int, Origin]:
            return len(one.sentence.stems & missing), one.stamp.origin

        while trusted and missing and len(used) < MOST_SOURCES:
            best = max(trusted, key=gain)
            if not best.sentence.stems & missing:
                break
            used.append(best)
            missing -= best.sentence.stems
        return used

    def _strangers(
        self,
        sentence: Sentence,
        near: Sequence[Source],
        used: Sequence[Source],
    ) -> list[Source]:
        """Find the untrusted sources from which a sentence seems to be taken:
        they have a word that no trusted one about the matter has, or nearly
        all the words, and more of them than each of the few.
        """
        wanted = sentence.stems
        foreign = wanted.difference(
            *(one.sentence.stems for one in near if _fits(one, sentence))
        )
        most = max(
            (len(one.sentence.stems & wanted) for one in used), default=0
        )
        least = max(SUPPORTED * len(wanted), most + 1)
        return [
            one
            for one in near
            if not one.stamp.origin.is_trusted
            and (not sentence.label or _restates(sentence, one))
            and (
                one.sentence.stems & foreign
                or len(one.sentence.stems & wanted) >= least
            )
        ]

    def _taken_from(
        self,
        sentence: Sentence,
        sources: Sequence[Source],
        also: Sequence[Source] = (),
    ) -> Judgement:
        """Judge a sentence whose words come from these sources, all of them
        trusted or none.
        """
        stamp = _stamp([*sources, *also])
        by = tuple(one.sentence.text for one in sources)
        if all(one.stamp.origin.is_trusted for one in sources):
            answers = any(map(_is_said, sources))
            return Judgement(Verdict.SUPPORTED, stamp, by, answers)
        verdict = (
            Verdict.NAMED if self._names_source(sentence) else Verdict.RISE
        )
        return Judgement(verdict, stamp, by)

    def _names_source(self, sentence: Sentence) -> bool:
        """Tell whether it says that somebody else said it: no pronoun, and
        nobody whom the memories are about.
        """
        found = _NAMES_A_SOURCE.search(sentence.text)
        return found is not None and not self._subjects.intersection(
            name.lower() for name in found.groups() if name
        )


def stamp_new(
    new: Mapping[str, bytes | None],
    old: Mapping[str, bytes | None],
    evidence: Evidence | None = None,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Give the stamps of what a change adds, by file and key, as the journal
    keeps them; without evidence it is the person who writes.

    An index has none: its lines repeat what is in the files.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for file in new.keys() - set(INDEXES):
        had = {one.key for one in sentences_of(file, old.get(file))}
        for one in sentences_of(file, new[file]):
            if one.key not in had:
                own = Stamp(Origin.PERSON)
                stamp = evidence.judge(one).stamp if evidence else own
                found.setdefault(file, {})[one.key] = stamp.as_json()
    return found


def _restates(label: Sentence, source: Source) -> bool:
    """Tell whether a title or a description says what a source says, and not
    only what the memory is about.
    """
    shared = label.stems & source.sentence.stems
    is_condition = _CONDITION.match(label.text)
    return not is_condition and len(shared) >= RESTATED * len(
        source.sentence.stems
    )


def _is_said(source: Source) -> bool:
    return not source.file and source.stamp.origin is Origin.PERSON


def _fits(source: Source, sentence: Sentence) -> bool:
    """Tell whether a source may support a sentence.

    A memory that denies what the sentence says does not, and a title or a
    description supports only others.
    """
    return (
        source.stamp.origin.is_trusted
        and sentence.label >= source.sentence.label
        and not (source.file and sentence.reverses(source.sentence))
    )


def _stamp(used: Sequence[Source]) -> Stamp:
    """Give a sentence the least trusted origin of its sources."""
    changes = {
        change
        for one in used
        for change in (*one.stamp.sources, one.change)
        if change
    }
    return Stamp(
        min((one.stamp.origin for one in used), default=Origin.ASSISTANT),
        next((one.stamp.message for one in used if one.stamp.message), ""),
        tuple(sorted(changes)),
    )
