"""Checks a built site: every link, anchor and image leads somewhere, and nothing is loaded from
another server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "input": "src",
    "object": "data",
    "script": "src",
    "source": "src",
    "track": "src",
    "video": "src",
}
"""What a browser fetches by itself, by element."""
FETCHED_LINKS = {
    "stylesheet",
    "icon",
    "preload",
    "modulepreload",
    "prefetch",
    "manifest",
}
CSS_ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@dataclass
class Page(HTMLParser):
    """What one page contains: its anchors, its links, and what it loads, with line numbers."""

    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    loads: list[tuple[int, str]] = field(default_factory=list)
    without_alt: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        """Note what an element says of anchors and addresses."""
        given = {name: value or "" for name, value in attrs}
        line = self.getpos()[0]
        self.anchors |= {
            given[name] for name in ("id", "name") if name in given
        }
        if tag == "a" and "href" in given:
            self.links.append((line, given["href"]))
        if tag == "link" and FETCHED_LINKS & set(given.get("rel", "").split()):
            self.loads.append((line, given.get("href", "")))
        elif tag == "link":
            self.links.append((line, given.get("href", "")))
        if given.get(LOADED.get(tag, "")):
            self.loads.append((line, given[LOADED[tag]]))
        if "srcset" in given:
            for part in given["srcset"].split(","):
                self.loads.append((line, part.split()[0]))
        # Where a picture has no text, Sphinx writes its address instead.
        if tag == "img" and given.get("alt", "").strip() in (
            "",
            given.get("src"),
        ):
            self.without_alt.append((line, given.get("src", "")))


def broken_links(site: Path) -> tuple[list[str], str]:
    """List what is wrong as ``page:line: what``, and say how much was checked."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    problems = []
    count = 0
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        for line, address in page.links:
            count += 1
            if problem := link_problem(address, path, site, pages):
                problems.append(f"{where}:{line}: {problem}")
        for line, address in page.loads:
            count += 1
            if problem := load_problem(address, path, site):
                problems.append(f"{where}:{line}: {problem}")
        for line, address in page.without_alt:
            problems.append(
                f"{where}:{line}: {address}: an image without an alternative text"
            )
    for path in sorted(site.rglob("*.css")):
        for address in css_addresses(path.read_text("utf-8")):
            count += 1
            if problem := load_problem(address, path, site):
                problems.append(
                    f"{path.relative_to(site).as_posix()}: {problem}"
                )
    return problems, f"{len(pages)} pages, {count:,} links and images checked"


def read(path: Path) -> Page:
    """Parse a page."""
    page = Page()
    page.feed(path.read_text("utf-8"))
    page.close()
    return page


def css_addresses(css: str) -> Iterator[str]:
    """Give the addresses that a style sheet loads."""
    for match in CSS_ADDRESS.finditer(css):
        yield match[1] or match[2]


def link_problem(
    address: str, path: Path, site: Path, pages: dict[Path, Page]
) -> str:
    """Say what is wrong with a link, or nothing. Pages on other servers are not asked for."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        return (
            "" if parts.netloc else f"{address}: an address without a server"
        )
    if parts.scheme == "mailto":
        return ""
    if parts.scheme or parts.netloc:
        return f"{address}: not an address that a site can link to"
    target = target_of(parts.path, path, site)
    if target is None:
        return f"{address}: there is no such file in the site"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"{address}: the page has no such anchor"
    return ""


def load_problem(address: str, path: Path, site: Path) -> str:
    """Say what is wrong with something that the browser fetches by itself, or nothing."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc:
        return f"{address}: loaded from another server"
    if parts.path and target_of(parts.path, path, site) is None:
        return f"{address}: there is no such file in the site"
    return ""


def target_of(address: str, path: Path, site: Path) -> Path | None:
    """Find the file that a relative address leads to; None if the site doesn't contain it."""
    target = (path.parent / unquote(address)).resolve() if address else path
    if target.is_dir():
        target = target / "index.html"
    if (
        address.startswith("/")
        or not target.is_relative_to(site)
        or not target.is_file()
    ):
        return None
    return target
