"""Checks a built site: every link, anchor and image leads somewhere, and nothing is loaded from
another server.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {
    *["stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest"]
}
"""The ``rel`` of a link that a browser fetches by itself."""
CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Page(HTMLParser):
    """What one page contains: its anchors, its addresses, and images without a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.found: list[tuple[int, str, str]] = []  # line, kind, address
        self.feed(text)
        self.close()

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        """Note what an element says of anchors and addresses."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {
            given[name] for name in ("id", "name") if name in given
        }
        fetched = tag != "a" and (
            tag != "link" or FETCHED & {*given.get("rel", "").split()}
        )
        kind = "load" if fetched else "link"
        addresses = [
            given[name] for name in ("href", "src", "data") if name in given
        ]
        addresses += [
            part.split()[0]
            for part in given.get("srcset", "").split(",")
            if part
        ]
        found = [(kind, address) for address in addresses]
        # Where a picture has no text, Sphinx writes its address instead.
        if tag == "img" and given.get("alt", "").strip() in (
            "",
            given.get("src"),
        ):
            found.append(("no text", given.get("src", "")))
        self.found += [(self.getpos()[0], *one) for one in found]


def broken_links(site: Path) -> tuple[list[str], str]:
    """List what is wrong as ``page:line: what``, and say how much was checked."""
    pages = {
        path: Page(path.read_text("utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    found = {path: page.found for path, page in pages.items()}
    for path in sorted(site.rglob("*.css")):
        addresses = CSS_ADDRESS.findall(path.read_text("utf-8"))
        found[path] = [(0, "load", one or other) for one, other in addresses]
    problems = [
        f"{path.relative_to(site).as_posix()}:{line}: {address}: {problem}"
        for path, several in found.items()
        for line, kind, address in several
        if (problem := _problem(kind, address, path, site, pages))
    ]
    count = sum(map(len, found.values()))
    return problems, f"{len(pages)} pages, {count:,} links and images checked"


def _problem(
    kind: str, address: str, path: Path, site: Path, pages: dict[Path, Page]
) -> str:
    """Say what is wrong with an address, or nothing. Other servers are not asked."""
    parts = urlsplit(address)
    if kind == "no text":
        return "an image without an alternative text"
    if parts.scheme or parts.netloc:
        if kind == "load":
            return (
                "" if parts.scheme == "data" else "loaded from another server"
            )
        good = (
            parts.netloc
            if parts.scheme in ("http", "https")
            else parts.scheme == "mailto"
        )
        return "" if good else "not an address that a site can link to"
    target = (
        (path.parent / unquote(parts.path)).resolve() if parts.path else path
    )
    if target.is_dir():
        target /= "index.html"
    inside = target.is_relative_to(site) and not address.startswith("/")
    if not inside or not target.is_file():
        return "there is no such file in the site"
    anchor = unquote(parts.fragment)
    if (
        kind == "link"
        and anchor
        and target in pages
        and anchor not in pages[target].anchors
    ):
        return "the page has no such anchor"
    return ""
