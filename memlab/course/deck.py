"""Makes slides from the short path of a notebook: one HTML page that needs no
network and no program but a browser.

Python turns cells into blocks of HTML. ``deck.html`` divides the blocks into
slides in the browser, where it can measure them. An output is a step of its
own, so that a question is on the screen before its answer.

``python -m memlab.course.deck DIR [NN …]`` writes the files.
"""

from __future__ import annotations

import base64
import html
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import mistune  # comes with JupyterLab
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer
from pygments.lexers.special import TextLexer

from memlab.course.data_files import notebook_files, notebook_numbers
from memlab.errors import CourseError
from memlab.short_path import MARK, short_path, source_of, split_at_headings

TEMPLATE = Path(__file__).with_name("deck.html")
_OURS = "<!-- memlab slides: written again each time -->"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_NAVIGATION = re.compile(r"\]\(stuck\.md\)")
_MINUTES = re.compile(rf"^The short path is marked {MARK}")
_CHECK = re.compile(r"^(check|quiz)\(", re.MULTILINE)


class _Slides(mistune.HTMLRenderer):
    """Markdown for a page that is alone: pictures are inside it, and links to
    other files are plain text.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(escape=True)
        self._folder = folder

    def image(self, text: str, url: str, title: str | None = None) -> str:
        path = self._folder / url
        if path.suffix != ".svg" or not path.is_file():
            return html.escape(text)
        return _picture(path.read_text("utf-8"), text)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if not url.startswith(("https://", "http://")):
            return text
        return f'<a href="{html.escape(url)}">{text}</a>'

    def block_code(self, code: str, info: str | None = None) -> str:
        return _code(code, python=(info or "").startswith("python"))


def make_deck(path: Path) -> str:
    """Return the page for one notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    markdown = mistune.create_markdown(
        renderer=_Slides(path.parent),
        plugins=["table", "strikethrough"],
    )
    blocks: list[str] = []
    for cell in short_path(cells):
        source = source_of(cell)
        if cell["cell_type"] == "markdown":
            blocks += _text_blocks(source, markdown)
        else:
            blocks.append(_block("code", _code(source, python=True)))
            if not _CHECK.search(source):
                for shown in _outputs(cell.get("outputs", ()), markdown):
                    blocks.append(_block("output", shown))
    title = source_of(cells[0]).splitlines()[0].lstrip("# ")
    page = TEMPLATE.read_text(encoding="utf-8")
    return (
        page.replace("<!-- OURS -->", _OURS)
        .replace("{{TITLE}}", html.escape(title))
        .replace("/* LIGHT */", _colours("default", "light"))
        .replace("/* DARK */", _colours("github-dark", "dark"))
        .replace("<!-- BLOCKS -->", "\n".join(blocks))
    )


def write_decks(folder: Path, numbers: Sequence[int]) -> list[Path]:
    """Write one file per notebook; raises CourseError if there is another file
    in the way, or if the folder cannot be written to.
    """
    written = []
    for number in numbers:
        for path in notebook_files(number):
            target = folder / f"{path.stem}.html"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                if target.exists() and _OURS not in target.read_text(
                    "utf-8", "replace"
                ):
                    raise CourseError(
                        "is not a file of ours, so it is not replaced",
                        where=target,
                        do="Move it away, or choose another folder with --to",
                    )
                half = target.with_name(f".{target.name}.new")
                half.write_text(make_deck(path), "utf-8")
                os.replace(half, target)
            except OSError as error:
                raise CourseError(
                    f"cannot be written: {error.strerror}",
                    where=target,
                    do="Choose another folder with --to",
                ) from error
            written.append(target)
            print(f"memlab: {target}", flush=True)
    return written


def _text_blocks(source: str, markdown: Any) -> Iterator[str]:
    """Yield a heading, and then each paragraph, list or table as one block."""
    for part in split_at_headings(source):
        text = part.strip().removeprefix(f"{MARK} ")
        line, _, rest = text.partition("\n")
        if line.startswith("#"):
            level = min(3, len(line) - len(line.lstrip("#")))
            words = line.lstrip("# ").rstrip().removesuffix(MARK).rstrip()
            inner = re.sub(r"</?p>", "", markdown(words)).strip()
            yield _block("heading", f"<h{level}>{inner}</h{level}>")
            text = rest
        for paragraph in _paragraphs(text):
            if not _NAVIGATION.search(paragraph) and not _MINUTES.match(
                paragraph
            ):
                yield _block("text", markdown(paragraph))


def _paragraphs(text: str) -> Iterator[str]:
    """Split at empty lines that are neither in a fence nor in a list."""
    found: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not line.strip() and not fenced:
            if found:
                yield "\n".join(found)
            found = []
        else:
            found.append(line)
    if found:
        yield "\n".join(found)


def _outputs(
    outputs: Sequence[Mapping[str, Any]], markdown: Any
) -> Iterator[str]:
    printed = ""
    for output in outputs:
        if output["output_type"] == "stream":
            printed += _joined(output["text"])
            continue
        if printed:
            yield _plain(printed)
            printed = ""
        data = output.get("data", {})
        if "image/svg+xml" in data:
            text = _joined(data.get("text/plain", ""))
            yield _picture(_joined(data["image/svg+xml"]), text)
        elif "text/markdown" in data:
            text = _joined(data["text/markdown"])
            if shown := re.sub(r"(?s)<details>.*?</details>", "", text):
                yield markdown(shown)
        elif "text/plain" in data:
            yield _plain(_joined(data["text/plain"]))
    if printed:
        yield _plain(printed)


def _block(kind: str, inner: str) -> str:
    return f'<section data-kind="{kind}">{inner}</section>'


def _code(source: str, *, python: bool) -> str:
    lexer = PythonLexer() if python else TextLexer()
    formatter: Any = HtmlFormatter(nowrap=True)
    return _lines(highlight(source.strip("\n"), lexer, formatter))


def _plain(text: str) -> str:
    return _lines(html.escape(_ANSI.sub("", text).strip("\n")))


def _lines(inner: str) -> str:
    """Make a block whose lines the page can tell apart; a highlighted token
    that runs over several lines is closed and opened again at each.
    """
    lines = []
    opened: list[str] = []
    for line in inner.rstrip("\n").split("\n"):
        begun = "".join(opened)
        for tag in re.findall(r"<span[^>]*>|</span>", line):
            if tag == "</span>":
                opened.pop()
            else:
                opened.append(tag)
        lines.append(f"<span>{begun}{line}{'</span>' * len(opened)}\n</span>")
    return f"<pre>{''.join(lines)}</pre>"


def _picture(svg: str, text: str) -> str:
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    alternative = html.escape(" ".join(text.split()))
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{alternative}">'


def _colours(style: str, theme: str) -> str:
    formatter: Any = HtmlFormatter(style=style)
    rules: str = formatter.get_style_defs(f"[data-theme={theme}] pre")
    return "\n".join(
        line for line in rules.splitlines() if "background" not in line
    )


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def main(argv: Sequence[str]) -> int:
    """Write the slides of the notebooks given; gives the exit status."""
    folder, *given = argv
    known = notebook_numbers()
    try:
        numbers = [int(number) for number in given] or list(known)
        unknown = [number for number in numbers if number not in known]
    except ValueError:
        unknown, numbers = [], []
    if unknown or not numbers:
        print(
            f"memlab slides: there is no notebook {' '.join(given)}. The"
            f" notebooks are: {known[0]:02d} to {known[-1]:02d}",
            file=sys.stderr,
        )
        return 2
    try:
        write_decks(Path(folder), numbers)
    except CourseError as error:
        print(f"memlab slides: {error}", file=sys.stderr)
        return 2
    print(
        "memlab: open a file in a browser. → and ← move on and back, T changes"
        " the theme, ? lists the keys"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
