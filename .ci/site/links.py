"""Checks a built site: every link, anchor and image leads somewhere, and nothing is loaded from
another server. Other servers are not asked.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

CSS_ADDRESS = re.compile(r"""(?:url\(|@import)\s*["']?([^"')]+)""")


class Page(HTMLParser):
    """What one page contains: its anchors, and its addresses, each with its line and element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str | None] = set()
        self.found: list[tuple[int, str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        """Note what an element says of anchors and addresses."""
        given, line = dict(attrs), self.getpos()[0]
        self.anchors |= {given.get("id"), given.get("name")}
        addresses = [
            given[one] or "" for one in ("href", "src", "data") if one in given
        ]
        # Where a picture has no text, Sphinx writes its address instead.
        if tag == "img" and (given.get("alt") or "").strip() in (
            "",
            given.get("src"),
        ):
            tag = "img without a text"
        self.found += [(line, tag, address) for address in addresses]


def broken_links(site: Path) -> tuple[list[str], str]:
    """List what is wrong as ``page:line: what``, and say how much was checked."""
    pages = {
        path: Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    found = {path: page.found for path, page in pages.items()}
    for path in site.rglob("*.css"):
        texts = CSS_ADDRESS.findall(path.read_text("utf-8"))
        found[path] = [(0, "css", text) for text in texts]

    def problem(path: Path, tag: str, address: str) -> str:
        parts = urlsplit(address)
        if tag == "img without a text":
            return "an image without an alternative text"
        if parts.scheme or parts.netloc:
            good = ("https", "http", "mailto") if tag == "a" else ("data",)
            return (
                ""
                if parts.scheme in good
                else "not an address for this, or another server"
            )
        target = (
            (path.parent / unquote(parts.path)).resolve()
            if parts.path
            else path
        )
        inside = target.is_relative_to(site) and not address.startswith("/")
        if not inside or not target.is_file():
            return "there is no such file in the site"
        anchors = pages[target].anchors if target in pages else {""}
        is_there = unquote(parts.fragment) in {"", *anchors}
        return "" if is_there else "the page has no such anchor"

    problems = [
        f"{path.relative_to(site).as_posix()}:{line}: {address}: {wrong}"
        for path, several in found.items()
        for line, tag, address in several
        if (wrong := problem(path, tag, address))
    ]
    count = sum(map(len, found.values()))
    return problems, f"{len(pages)} pages, {count:,} links and images checked"
