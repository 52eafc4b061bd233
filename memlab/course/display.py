"""Pages: Markdown that a notebook renders and a terminal can print.

Left out: HTML. GitHub, JupyterLab and a plain file all read Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Page:
    """A piece of Markdown with a title; ``print`` shows its source, a notebook
    renders it.
    """

    title: str
    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        return f"<page: {self.title}>"

    def __str__(self) -> str:
        return self.markdown


class Listing(str):
    """Several lines of text that a notebook shows as lines and not as one
    quoted string.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def literal(text: str) -> str:
    """Escape a text so that Markdown shows it as it is: no image, link, HTML,
    formula or style.
    """
    return _MARKUP.sub(r"\\\g<0>", text)


def fenced(text: str, language: str = "") -> str:
    """Put a text into a Markdown code fence longer than any run of backticks
    inside it.
    """
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


# Anything that Markdown could take for more than text. Addresses become links
# even without a mark. A ~/ that begins a word stays: it could only open a
# passage that nothing closes.
_MARKUP = re.compile(
    r"""(?xi) [\\`*<\[\]$|] | ~(?!/) | (?<=\S)~ | &(?=[#\w]) | (?<![^\W_])_ | _(?![^\W_])
    | (?<=[a-z]):(?=//) | (?<=www)\. | @(?=\w)"""
)
