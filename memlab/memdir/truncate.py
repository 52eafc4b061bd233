"""What of the index reaches the prompt: a cap on lines, then a cap on bytes, and a warning.

Left out: choosing. The top is kept and the end falls off, so the order of the index decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memlab.memdir.index import parse_pointers
from memlab.settings import Settings
from memlab.text import clip_bytes

NAMED = 20


@dataclass(frozen=True)
class ShownIndex:
    """An index as a prompt shows it: at most so many lines and bytes, and what is missing.

    ``lines`` and ``bytes`` are the real size; ``fired`` is "", "lines", "bytes" or "both";
    ``fallen`` has the files whose pointers are not shown. ``warning`` is for the model, ``notice``
    for the person, about a file that was not read as a whole.
    """

    text: str
    lines: int
    bytes: int
    fired: str
    fallen: tuple[str, ...]
    warning: str
    notice: str = ""

    @property
    def prompt(self) -> str:
        """The text with the warning below it; the warning does not count towards the caps."""
        return f"{self.text.rstrip()}\n\n{self.warning}" if self.warning else self.text


def truncate_index(text: str, settings: Settings | None = None) -> ShownIndex:
    """Cut an index to ``index_max_lines``, then to ``index_max_bytes`` of UTF-8 at a line end.

    A first line that is longer than the byte cap is cut between two characters.
    """
    limit = settings or Settings()
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = "".join(lines[: limit.index_max_lines])
    kept = clip_bytes(first, limit.index_max_bytes)
    if len(kept) < len(first) and "\n" in kept:
        kept = kept[: kept.rindex("\n") + 1]
    cut = [len(lines) > limit.index_max_lines, len(kept) < len(first)]
    fired = {(True, False): "lines", (False, True): "bytes", (True, True): "both"}.get(
        (cut[0], cut[1]), ""
    )
    shown = {pointer.file for pointer in parse_pointers(kept)}
    pointed = dict.fromkeys(pointer.file for pointer in parse_pointers(text))
    fallen = [file for file in pointed if file not in shown]
    size = len(text.encode("utf-8", "surrogatepass"))
    warning = _warning(len(lines), size, fired, fallen, limit) if fired else ""
    return ShownIndex(kept, len(lines), size, fired, tuple(fallen), warning)


def _warning(lines: int, size: int, fired: str, fallen: list[str], limit: Settings) -> str:
    which = {
        "lines": f"the limit of {limit.index_max_lines:,} lines",
        "bytes": f"the limit of {limit.index_max_bytes:,} bytes",
        "both": f"both limits, {limit.index_max_lines:,} lines and {limit.index_max_bytes:,} bytes",
    }[fired]
    more = f" and {len(fallen) - NAMED} more" if len(fallen) > NAMED else ""
    missing = f" Not shown: {', '.join(fallen[:NAMED])}{more}." if fallen else ""
    return (
        f"> Warning: this index is cut at {which}. It has {lines:,} lines and {size:,} bytes."
        f"{missing} Keep each pointer on one short line, and put detail into its file."
    )
