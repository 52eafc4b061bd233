"""Whether a memory that is extracted is in the person's words.

``attribute`` sorts the messages: the person's own words, what the person
agreed to, and data. Only the first two can become a memory. What a tool
printed, a file contains or the person quotes is data, and so is what the
assistant said and nobody confirmed. This is decided by form: by marks of
quotation, and by words of agreement in English, German and French.
``lint_grounding`` refuses a memory whose words are only in data. Code cannot
recognise a text that was pasted without any mark, irony, and whether a yes was
meant for one step or for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from memlab.evidence.quotes import without_quotes
from memlab.evidence.sentences import split_sentences
from memlab.memdir.memory import Memory
from memlab.memdir.rules import Finding
from memlab.text import as_blocks, block_text, persons_text, terms_of, words

GROUNDING = "grounding"


@dataclass(frozen=True)
class PersonMessage:
    """One message of the person, with its place among the new ones, counted
    from 1, and its time.

    ``own`` is the text without what is quoted or only asked, ``agreed`` what
    they said yes to.
    """

    uuid: str
    place: int
    at: datetime
    text: str
    own: str
    agreed: str

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of both."""
        return frozenset(terms_of(f"{self.own}\n{self.agreed}"))


@dataclass(frozen=True)
class NewText:
    """The text of a new message, the person's or the assistant's."""

    uuid: str
    at: datetime
    role: str
    text: str


@dataclass(frozen=True)
class Attribution:
    """What ``count`` new messages hold: the person's own, oldest first, and
    all else as data.

    ``data`` is that of the whole conversation, and ``earlier`` what the person
    said before. ``messages`` are the new ones that have a text: the results of
    tools are not among them.
    """

    said: tuple[PersonMessage, ...]
    data: str
    earlier: str
    count: int
    messages: tuple[NewText, ...] = ()

    @cached_property
    def own_terms(self) -> frozenset[str]:
        """The terms of what the person now said or agreed to."""
        return frozenset(term for one in self.said for term in one.terms)

    @cached_property
    def data_terms(self) -> frozenset[str]:
        """The terms that are in data only."""
        return (
            frozenset(terms_of(self.data))
            - self.own_terms
            - {*terms_of(self.earlier)}
        )


def attribute(
    messages: Sequence[Mapping[str, Any]],
    new: Sequence[str],
    times: Sequence[datetime],
    withheld: Iterable[Mapping[str, Any]] = (),
) -> Attribution:
    """Sort what a conversation holds by who said it; the last messages are
    new.

    ``new`` has their uuids and ``times`` their times, in order. ``withheld``
    messages are data, no matter who said it, so that a memory in their words
    is refused.
    """
    start, offer = len(messages) - len(new), ""
    said, data, earlier = list[PersonMessage](), list[str](), list[str]()
    texts = list[NewText]()
    for message in withheld:
        data += map(block_text, as_blocks(message["content"]))
    for number, message in enumerate(messages, -start):
        text = persons_text(message)
        shown = _spoken(message) if text is None else text
        if number >= 0 and shown:
            texts.append(
                NewText(new[number], times[number], message["role"], shown)
            )
        if text is None:
            data += map(block_text, as_blocks(message["content"]))
            offer = _spoken(message) or offer
            continue
        own = without_quotes(text)
        data += [text, *map(block_text, as_blocks(message["content"])[:-1])]
        if number < 0:
            earlier.append(own)
            continue
        agreed = _offered(offer) if re.search(_AGREES, own) else ""
        fresh = PersonMessage(
            new[number],
            number + 1,
            times[number],
            text,
            _statements(own),
            agreed,
        )
        said.append(fresh)
    return Attribution(
        tuple(said),
        "\n".join(data),
        "\n".join(earlier),
        len(new),
        tuple(texts),
    )


def _statements(text: str) -> str:
    """Leave out questions that ask for nothing: to ask about a thing is not to
    say it.
    """
    statements = (
        one
        for one in split_sentences(text)
        if not one.endswith("?") or re.search(_WISH, one)
    )
    return "\n".join(statements)


def _offered(text: str) -> str:
    """Give what a yes answers: the last question, with what it points back to,
    or the whole.
    """
    found = list(split_sentences(without_quotes(text)))
    if found and found[-1].endswith("?"):
        found = found[-1:] if terms_of(found[-1]) else found[-2:]
    return "\n".join(found)


def _spoken(message: Mapping[str, Any]) -> str:
    if message["role"] != "assistant":
        return ""
    texts = (
        block
        for block in as_blocks(message["content"])
        if block["type"] == "text"
    )
    return "\n".join(map(block_text, texts))


_WISH = (
    r"(?i)\b(?:please|always|never|from now"
    r" on|can|could|would|will|bitte|immer|nie|toujours)\b"
)
_AGREES = r"""(?ix)
    \A(?:[^.?!\n]{1,30}\?\s+)?\W* (?: yes|yeah|yep|yup|right|correct|exactly|agreed?|indeed|true
        |absolutely|definitely|perfect|of\ course|sure|it\ is|i\ do|so\ be\ it
        |decided|we\ decided\ that
        |(?:good|great)\ (?:idea|call|instinct|point)|(?:please\ )?do\ (?:that|it|so)|please\ do
        |that['’]s\ (?:right|it|true|correct|how|me)|(?:they|you|s?he)['’ ]\w+\ right
        |ja|genau|stimmt|richtig|einverstanden|oui|exact(?:ement)?|d['’]accord|voilà )\b
    | \b(?:remember|forget|keep|note|do|stay\ with|stick\ to)\ (?:that|this|it|so)\b
    | \b(?:do|keep|always|exactly)\b[^.!?]{0,20}\b(?:the\ same|like\ (?:that|this))\b"""


_INSTEAD = (
    "Save what the person said or agreed to, in their words, or leave it out"
)
# a memory has it where the person said "tomorrow"
_DATE = r"\b\d{4}-\d\d-\d\d\b"
_FRAME = frozenset(
    terms_of("""
    why how apply user person developer assistant agent prefers wants likes asks says told
    remember memory note save keep nothing something everything anything
    said still again going without whether
    """)
)


def lint_grounding(
    memory: Memory, heard: Attribution, before: str = ""
) -> Iterator[Finding]:
    """Refuse a memory in words that are only in data, and one without any word
    of the person's.

    Each sentence is looked at, so that a true one cannot carry a false one.
    ``before`` is what the file held so far: its words need no new source.
    """
    own, data, known = heard.own_terms, heard.data_terms, _terms(before)
    fresh = _terms(memory.text) - known
    for sentence in split_sentences(memory.text):
        new = _terms(sentence) - known
        if len(foreign := new & data) > len(new & own):
            shown = [
                word
                for word in words(sentence)
                if foreign.intersection(terms_of(word))
            ]
            what = (
                f"{', '.join(map(repr, shown[:5]))} stand only in data, not in"
                " the person's words"
            )
            yield Finding(GROUNDING, "refuse", what, _INSTEAD)
            return
    if fresh and not fresh & own:
        yield Finding(
            GROUNDING,
            "refuse",
            "nothing of it is in the person's words",
            _INSTEAD,
        )


def closest_message(
    memory: Memory, heard: Attribution
) -> PersonMessage | None:
    """Give the person's message that shares most with a memory, the newest of
    several.
    """
    wanted = _terms(memory.text)
    return max(
        reversed(heard.said),
        key=lambda one: len(wanted & one.terms),
        default=None,
    )


def sources(memory: Memory, heard: Attribution) -> tuple[str, ...]:
    """Name the person's messages that share a term with a memory."""
    wanted = _terms(memory.text)
    return tuple(said.uuid for said in heard.said if wanted & said.terms)


def _terms(text: str) -> set[str]:
    return set(terms_of(re.sub(_DATE, " ", text))) - _FRAME
