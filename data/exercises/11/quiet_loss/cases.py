"""Memories, and a word that is to disappear without being noticed."""

from __future__ import annotations

import copy
from functools import partial
from random import Random
from typing import Any

from memlab.course.adapters import unaccounted
from memlab.course.exercise import Case
from memlab.text import words

Texts = dict[str, str]
GONE = "The word has to be gone from the file, however it is written and wherever it occurs"
REST = "All other words of the file have to be there, in the same order"
OTHERS = "Only the text of the file may differ"
NOTICED = "If unaccounted would notice, the memories stay as they were"
POSSIBLE = "unaccounted would not have noticed that the word is gone"
CHANGED = "your function changed the dict that it was given"
WHOLE = "The word may be part of another word, which has to stay"
LINES = (
    "Robin indents Python with tabs and never with spaces.",
    "The harbour office never answers on channel 12 after eight.",
    "Releases never go out between the storm and Easter Monday.",
    "Never ask Tuva about the prices of the western bay before noon.",
    "Maren never approves prices of the western bay before noon.",
)


def run(mine: Any, memories: Texts, file: str, word: str) -> Any:
    """Call the function, and look whether it changed its argument."""
    given = copy.deepcopy(memories)
    result = mine(given, file, word)
    if given != memories and result is not None:
        return {CHANGED: given}
    return result


def cases(random: Random) -> list[Case]:
    """Make one case for each rule, and some at random."""
    never = "Never feed the black dog of the harbour, never the white one."
    board = "Do not nota bene the notes about the slow old knotted board."
    fixed: list[tuple[Texts, str, str, str]] = [
        ({"a.md": LINES[0], "b.md": LINES[1]}, "b.md", "never", REST),
        ({"a.md": never}, "a.md", "never", GONE),
        ({"a.md": board}, "a.md", "not", f"{GONE}; {WHOLE}"),
        ({"a.md": "No dogs.", "b.md": never}, "a.md", "no", NOTICED),
        ({"a.md": LINES[1]}, "a.md", "12", NOTICED),
        ({"a.md": f"{never}\n\nNever whistle."}, "a.md", "never", NOTICED),
        (
            {"a.md": "No dogs.", "b.md": "There are no dogs on the beach."},
            "a.md",
            "no",
            POSSIBLE,
        ),
        ({"a.md": LINES[3], "b.md": LINES[4]}, "a.md", "never", OTHERS),
        ({"a.md": LINES[2], "b.md": LINES[0]}, "a.md", "releases", POSSIBLE),
        ({"a.md": f"{LINES[1]}\n\n{LINES[2]}"}, "a.md", "never", GONE),
        ({"a.md": never.upper()}, "a.md", "never", GONE),
        ({"a.md": LINES[3].replace("Tuva", "Tuva,")}, "a.md", "tuva", GONE),
        ({"a.md": f"{LINES[3]} {LINES[3][6:]}"}, "a.md", "never", REST),
    ]
    for _ in range(12):
        names = random.sample(("tabs", "harbour", "freeze", "prices"), 3)
        lines = random.sample(LINES, 3)
        memories = {
            f"{n}.md": line for n, line in zip(names, lines, strict=True)
        }
        file = random.choice(sorted(memories))
        word = random.choice(words(memories[file]))
        fixed.append((memories, file, word, f"{GONE}; {REST}; {OTHERS}"))
    return [_case(*one) for one in fixed]


def _case(memories: Texts, file: str, word: str, slip: str) -> Case:
    rest = [each for each in words(memories[file]) if each != word]
    noticed = unaccounted(memories, {**memories, file: " ".join(rest)}, {})
    wanted = (
        "the memories as they were: unaccounted would notice"
        if noticed
        else f"the same memories, but {file} no longer contains {word!r}"
    )
    fits = partial(_fits, memories, file, rest, bool(noticed))
    return Case((memories, file, word), wanted, fits, slip)


def _fits(
    memories: Texts, file: str, rest: list[str], noticed: bool, result: Any
) -> bool:
    if noticed:
        return bool(result == memories)
    if not isinstance(result, dict) or set(result) != set(memories):
        return False
    others = all(
        result[name] == text for name, text in memories.items() if name != file
    )
    text = result[file]
    return others and isinstance(text, str) and words(text) == rest
