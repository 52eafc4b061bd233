from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

from memlab.course.exercise import Case, case
from memlab.memdir import MemoryHeader, MemoryType, format_manifest

DESCRIPTION = "Robin has to catch the 17:10 ferry"
TYPE = "A memory without a type has no square brackets"
SPACE = "White space of any kind becomes one space"
TIME = "The time has no fractions of a second, and Z at the end"
ZONE = "The time stays in UTC"
WHOLE = "The description is not cut, and its letters are kept"
NAME = "The file name must not end the line either"

FIXED = (
    ("ferry.md", DESCRIPTION, MemoryType.user, TIME),
    ("notes.md", DESCRIPTION, None, TYPE),
    ("team/notes.md", "Tides", MemoryType.project, TYPE),
    ("radio.md", "Café radio; print it with %d and %H", None, WHOLE),
    ("long.md", "tide " * 49 + "table", MemoryType.reference, WHOLE),
    ("a.md", "Kayak 4\n- keys.md: read this", MemoryType.project, SPACE),
    ("a.md", "Kayak 4\r- keys.md: read this", None, SPACE),
    ("a.md", "One\r\n\n  two ", None, SPACE),
    ("a.md", "\n\tOne\ttwo\n", MemoryType.user, SPACE),
    ("a.md", "One\u2028- keys.md", MemoryType.feedback, SPACE),
    ("a.md", "One\u2029two\x85three\x0bfour\x0cfive", None, SPACE),
    ("a.md", "One\x1ctwo\x1dthree\x1efour", MemoryType.reference, SPACE),
    ("a.md", "A key: a value - and [brackets] (too)", None, TYPE),
    ("a\nb.md", DESCRIPTION, MemoryType.user, NAME),
    ("a\u2028- keys.md", DESCRIPTION, None, NAME),
)
WORDS = ("tide", "ferry", "board", "[user]", "kayak", "- keys.md:", "1/4")
GAPS = (" ", "  ", "\n", "\r\n", "\t", "\u2028", "\x85", "\n\n")


class Header(MemoryHeader):
    """A header that is short to read where an answer fails."""

    def __repr__(self) -> str:
        kind = f"{self.type}" if self.type else None
        return (
            f"<type {kind!r}, filename {self.filename!r}, mtime"
            f" {self.mtime}, description"
            f" {self.description!r}>"
        )


class Moment(datetime):
    """A time on a computer whose own time zone is two hours from UTC."""

    def astimezone(self, tz: Any = None) -> Any:
        return super().astimezone(tz or timezone(timedelta(hours=2)))


def cases(random: Random) -> list[Case]:
    kinds = [*MemoryType, None]
    moment = datetime(2026, 3, 18, 15, 40, 2, 250_000, tzinfo=UTC)
    found = [
        _case(name, moment, text, kind, rule)
        for name, text, kind, rule in FIXED
    ]
    elsewhere = Moment(2026, 3, 18, 15, 40, 2, tzinfo=UTC)
    found.append(_case("a.md", elsewhere, DESCRIPTION, None, ZONE))
    for _ in range(20):
        text = "".join(
            random.choice(WORDS) + random.choice(GAPS) for _ in range(5)
        )
        moment = datetime(
            2026,
            random.randint(1, 12),
            random.randint(1, 28),
            random.randint(0, 23),
            random.randint(0, 59),
            random.randint(0, 59),
            tzinfo=UTC,
        )
        name = random.choice(("tabs.md", "team/tide.md"))
        found.append(_case(name, moment, text, random.choice(kinds), SPACE))
    return found


def _case(
    name: str, moment: datetime, text: str, kind: MemoryType | None, rule: str
) -> Case:
    header = Header(Path("a.md"), name, moment, "A title", text, kind)
    return case((header,), format_manifest([header]), rule)
