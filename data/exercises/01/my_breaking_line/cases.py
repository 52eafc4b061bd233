from __future__ import annotations

from functools import partial
from random import Random

import yaml

from memlab.course import Case


def _naive(line: str) -> str:
    return line.split(":")[1].strip() if ":" in line else ""


def cases(random: Random) -> list[Case]:
    """Give keys for which a line has to be written."""
    return [
        Case(
            (key,),
            f"one line that YAML reads as {key} and some text, and split(':') reads as another",
            partial(_breaks, key),
            "the line has to be good YAML, 'key: text', and hold what a split at ':' gets wrong",
        )
        for key in (
            "description",
            "name",
            *random.sample(("title", "hook", "why"), 2),
        )
    ]


def _breaks(key: str, line: str) -> bool:
    if "\n" in line.strip("\n"):
        return False
    try:
        read = yaml.load(line, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return False
    return (
        isinstance(read, dict)
        and list(read) == [key]
        and isinstance(read[key], str)
        and read[key] != _naive(line)
    )
