"""Deny-lists, each of which leaves at least one way to write -delete."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from random import Random

from memlab.course import Case

WORDS = "The shell has to give find exactly the words '.' and '-delete'"
ONLY = "Only single quotes, double quotes and backslashes may hide a word"
PIECES = ["-d", "de", "el", "le", "et", "te"]
USUAL = ["rm", "mv", "&&", "||", ">>", "sudo", "-exec", "-delete", "delete"]
MARKS = ["'", '"', "\\"]


def cases(random: Random) -> list[Case]:
    """Forbid whole words, pieces of two characters, and up to two marks."""
    lists = [
        ["rm", "&&", ">>"],
        ["-delete"],
        ["-delete", "'", '"'],
        ["-delete", "'", "\\"],
        ["-delete", '"', "\\"],
        [*PIECES],
        [*PIECES, "'", '"'],
        [*PIECES, "'", "\\"],
        [*PIECES, '"', "\\"],
        [],
    ]
    for _ in range(12):
        forbidden = random.sample(USUAL, 3)
        forbidden += random.sample(PIECES, random.randint(1, 6))
        forbidden += random.sample(MARKS, random.randint(0, 2))
        random.shuffle(forbidden)
        lists.append(forbidden)
    return [_case(forbidden) for forbidden in lists]


def _case(forbidden: list[str]) -> Case:
    listed = " ".join(forbidden) or "nothing"
    return Case(
        (forbidden,),
        f"a command that gives find the words . and -delete; forbidden: {listed}",
        deletes_unseen(forbidden),
        _slip(forbidden),
    )


def deletes_unseen(forbidden: list[str]) -> Callable[[str], bool]:
    """Return a test of commands against this deny-list."""

    def fits(command: str) -> bool:
        return _slip(forbidden)(command) == ""

    return fits


def _slip(forbidden: list[str]) -> Callable[[str], str]:
    def slip(command: str) -> str:
        for text in forbidden:
            if text in command:
                return f"The command contains {text!r}, which is forbidden"
        if re.search(r"[^\w .'\"\\/-]", command, re.ASCII):
            return ONLY
        try:
            words = shlex.split(command)
        except ValueError:
            return "A shell can't read the command: a quote isn't closed"
        return "" if words == ["find", ".", "-delete"] else WORDS

    return slip
