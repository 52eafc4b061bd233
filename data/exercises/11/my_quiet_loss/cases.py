from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from memlab.course import Case, unaccounted

_QUIET = "the naive check counts files and characters, and reads no word"
Texts = Mapping[str, str]
_SAME = "keep the other memories as they are, so that nobody looks twice"
LINES = (
    "Robin indents Python with tabs and never with spaces",
    "The harbour office answers on channel twelve after eight",
    "No release goes out between the storm and Easter Monday",
    "Reviews stay below two hundred lines because of the ferry",
    "The spare key hangs behind the chart of the western bay",
    "Grafana shows returned boats under the board named lantern",
    "Maren approves prices before anything is printed on paper",
    "Backups run at night on the old laptop under the stairs",
    "Errors are told in plain words and the traceback stands below",
    "The beach counts everybody back before the lamp is lit",
)
FILES = (
    "tabs",
    "harbour",
    "freeze",
    "reviews",
    "keys",
    "boards",
    "prices",
    "backups",
    "errors",
)


def naive_check(before: Texts, after: Texts) -> bool:
    """Pass a dream after which every file is still there, and none is shorter."""
    return set(before) <= set(after) and all(
        len(after[f]) >= len(t) for f, t in before.items()
    )


def cases(random: Random) -> list[Case]:
    """Give memories, and the one whose content has to go unseen."""
    found = []
    for _ in range(5):
        names, lines = random.sample(FILES, 4), random.sample(LINES, 4)
        memories = {
            f"{name}.md": line for name, line in zip(names, lines, strict=True)
        }
        file = random.choice(sorted(memories))
        expected = (
            f"a dict that passes the naive check, with nothing lost but {file}"
        )
        fits = partial(_is_quiet, memories, file)
        found.append(
            Case((memories, file), expected, fits, f"{_QUIET}; {_SAME}")
        )
    return found


def _is_quiet(memories: Texts, file: str, after: Any) -> bool:
    whole = all(
        isinstance(part, str) for pair in after.items() for part in pair
    )
    return (
        whole
        and naive_check(memories, after)
        and unaccounted(memories, after, {}) == [file]
    )
