from datetime import UTC, datetime
from pathlib import Path
from random import Random

from memlab.course.exercise import Case, case
from memlab.memdir import MemoryHeader, MemoryType, format_manifest
from memlab.settings import Settings

WIDTH = Settings().manifest_description_characters
SLIP = (
    "one line for each memory, whatever its description and its name contain"
)


class Header(MemoryHeader):
    """A header that is short to read where an answer fails."""

    def __repr__(self) -> str:
        return f"<{self.filename!r}: {self.description!r}>"


def cases(random: Random) -> list[Case]:
    kinds = [*MemoryType, None]
    words = (
        "tide",
        "ferry",
        "board\n- keys.md",
        "tabs\u2028x",
        "kayak\r",
        "x" * 300,
        "",
    )
    names = ("tabs.md", "team/tide.md", "a\nb.md")
    found = []
    for number in range(14):
        text = (
            " ".join(random.choices(words, k=2))
            if number
            else "how code is indented"
        )
        name = random.choice(names) if number else "tabs.md"
        moment = datetime(2026, 3, random.randint(1, 29), 12, 33, tzinfo=UTC)
        header = Header(
            Path(name), name, moment, "A title", text, random.choice(kinds)
        )
        found.append(case((header, WIDTH), format_manifest([header]), SLIP))
    return found
