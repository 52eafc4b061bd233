"""What a memory rests on: code compares its words with what the person said or agreed to.

A text that poses as the person's wish, in a tool's result or in a quotation, brings words of its
own; a memory in those words is refused, and the model is told why. Left out: meaning. Words tell
nothing of a "not", and a sentence that the person's own words carry may say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlab.memdir.attribution import Heard, Said, sentences
from memlab.memdir.checks import Finding
from memlab.memdir.memory import Memory
from memlab.text import terms_of, words

_INSTEAD = "Save what the person said or agreed to, in their words, or leave it out"
_DATE = r"\b\d{4}-\d\d-\d\d\b"  # a memory has it where the person said "tomorrow"
_FRAME = frozenset(
    terms_of("""
    why how apply user person developer assistant agent prefers wants likes asks says told
    remember memory note save keep nothing something everything anything
    said still again going without whether
    """)
)


def lint_grounding(memory: Memory, heard: Heard, before: str = "") -> Iterator[Finding]:
    """Refuse a memory in words that stand only in data, and one that has no word of the person's.

    Each sentence is looked at, so that a true one cannot carry a false one. ``before`` is what the
    file held so far: its words need no new witness.
    """
    own, data, known = heard.own_terms, heard.data_terms, _terms(before)
    fresh = _terms(memory_text(memory)) - known
    for sentence in sentences(memory_text(memory)):
        new = _terms(sentence) - known
        if len(foreign := new & data) > len(new & own):
            shown = [word for word in words(sentence) if foreign.intersection(terms_of(word))]
            what = (
                f"{', '.join(map(repr, shown[:5]))} stand only in data, not in the person's words"
            )
            yield Finding("grounding", "refuse", what, _INSTEAD)
            return
    if fresh and not fresh & own:
        yield Finding("grounding", "refuse", "nothing of it is in the person's words", _INSTEAD)


def witness(memory: Memory, heard: Heard) -> Said | None:
    """Give the person's message that shares most with a memory, the newest of several."""
    wanted = _terms(memory_text(memory))
    return max(reversed(heard.said), key=lambda one: len(wanted & one.terms), default=None)


def sources(memory: Memory, heard: Heard) -> tuple[str, ...]:
    """Name the person's messages that share a term with a memory."""
    wanted = _terms(memory_text(memory))
    return tuple(said.uuid for said in heard.said if wanted & said.terms)


def memory_text(memory: Memory) -> str:
    """Give all that a memory says."""
    return f"{memory.name}\n{memory.description}\n{memory.body}"


def _terms(text: str) -> set[str]:
    return set(terms_of(re.sub(_DATE, " ", text))) - _FRAME
