from __future__ import annotations

import shlex
from functools import partial
from random import Random

from memlab.course import Case

_HIDE = (
    "a find command that deletes, by -delete or by -exec … rm …, and holds no forbidden text; "
    "quotes and backslashes vanish before find sees its words"
)


def cases(random: Random) -> list[Case]:
    """Give lists of forbidden texts, each with a way left to delete through find."""
    usual = ["rm -", "sudo", ";", "&&", ">"]
    fixed = [
        ["-delete"],
        ["-delete", "-exec"],
        ["-delete", "-exec", '"', "''"],
        ["-delete", "-exec", "'", '"'],
        ["-delete", "-exec", "\\", '"'],
        ["-delete", '"', "'", "\\"],
        ["-exec", "delete", "'", "\\"],
    ]
    spellings = ['"', "'", "\\"]
    for _ in range(8):
        kept = random.choice(spellings)
        fixed.append(
            ["-delete", "-exec", *(one for one in spellings if one != kept)]
        )
    return [
        Case(
            (random.sample([*usual, *more], len(usual) + len(more)),),
            f"a find command that deletes, with none of {', '.join(more)} in it",
            partial(_deletes_unseen, frozenset([*usual, *more])),
            _HIDE,
        )
        for more in fixed
    ]


def _deletes_unseen(forbidden: frozenset[str], command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    acts = (
        "-delete" in words
        or {"-exec", "rm"} <= set(words)
        or {"-execdir", "rm"} <= set(words)
    )
    return (
        words[:1] == ["find"]
        and acts
        and not any(text in command for text in forbidden)
    )
