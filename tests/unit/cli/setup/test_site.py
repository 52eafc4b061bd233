"""The web site: what goes into it, and the check of its links. `test --all` builds the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memlab.cli.setup.clone import find_clone

ROOT = find_clone().root
SITE = ROOT / ".ci" / "site"

PAGE = '<html><body><h1 id="top">Tides</h1>{}</body></html>'


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a test import the modules of the folder, and forgets them afterwards."""
    monkeypatch.syspath_prepend(SITE)
    for name in ("links", "build"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def problems(site: Path, html: str, css: str = "") -> list[str]:
    import links

    (site / "a b").mkdir()
    (site / "index.html").write_text(PAGE.format(html), "utf-8")
    (site / "a b" / "index.html").write_text(PAGE.format(""), "utf-8")
    (site / "map.svg").touch()
    (site / "site.css").write_text(css, "utf-8")
    found, _ = links.broken_links(site)
    return [line for line in found if not line.startswith("a b/")]


@pytest.mark.parametrize(
    "html",
    [
        '<a href="#top">up</a> <a href="a%20b/index.html#top">on</a> <a href="a%20b/">on</a>',
        '<a href="https://git-scm.com">Git</a> <a href="mailto:robin@example.org">Robin</a>',
        '<img src="map.svg" alt="a map"> <img src="data:image/gif;base64,R0" alt="a dot">',
        '<link rel="stylesheet" href="site.css?v=2">',
    ],
)
@pytest.mark.usefixtures("scripts")
def test_what_leads_somewhere_is_no_problem(tmp_path: Path, html: str) -> None:
    assert problems(tmp_path, html, "p { background: url('map.svg') }") == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="b.html">on</a>', "b.html: there is no such file in the site"),
        ('<a href="#end">down</a>', "#end: the page has no such anchor"),
        ('<a href="a%20b/#end">on</a>', "a%20b/#end: the page has no such anchor"),
        ('<a href="../memlab/text.py">code</a>', "../memlab/text.py: there is no such file"),
        ('<a href="/index.html">home</a>', "/index.html: there is no such file in the site"),
        ('<a href="https:///x">on</a>', "https:///x: an address without a server"),
        ('<a href="file:///etc/passwd">x</a>', "not an address that a site can link to"),
        ('<img src="gone.svg" alt="a map">', "gone.svg: there is no such file in the site"),
        ('<img src="map.svg">', "map.svg: an image without an alternative text"),
        ('<img src="map.svg" alt="map.svg">', "an image without an alternative text"),
        ('<script src="https://cdn.example/x.js"></script>', "loaded from another server"),
        ('<script src="//cdn.example/x.js"></script>', "loaded from another server"),
        ('<img srcset="map.svg, gone.svg 2x" alt="a map">', "gone.svg: there is no such file"),
        ('<link rel="stylesheet" href="https://f.example/c.css">', "loaded from another server"),
    ],
)
@pytest.mark.usefixtures("scripts")
def test_what_leads_nowhere_is_named_with_its_place(
    tmp_path: Path, html: str, problem: str
) -> None:
    (found,) = problems(tmp_path, f"\n{html}")
    assert found.startswith("index.html:2: ")
    assert problem in found


@pytest.mark.parametrize("css", ['@import "https://f.example/c.css";', "a{b:url(//f.example/x)}"])
@pytest.mark.usefixtures("scripts")
def test_a_style_sheet_loads_nothing_from_another_server(tmp_path: Path, css: str) -> None:
    (found,) = problems(tmp_path, "", css)
    assert found.startswith("site.css: ")
    assert found.endswith("loaded from another server")


@pytest.mark.usefixtures("scripts")
def test_every_notebook_and_every_page_beside_it_is_in_the_contents(tmp_path: Path) -> None:
    import build

    build.stage(ROOT, tmp_path)
    first_page = (tmp_path / "index.md").read_text("utf-8")
    beside = [ROOT / "notebooks", ROOT / "notebooks" / "teaching"]
    pages = [page for folder in beside for page in folder.glob("[!.]*.*")]
    pages = [page for page in pages if page.suffix in (".ipynb", ".md")]
    assert len(pages) > 18
    for page in pages:
        name = page.relative_to(ROOT)
        assert (tmp_path / name).is_file(), name
        assert f"{name.with_suffix('').as_posix()}" in first_page.split("```{toctree}", 1)[1]


@pytest.mark.usefixtures("scripts")
def test_a_notebook_says_that_its_outputs_are_stored_and_is_not_changed_otherwise(
    tmp_path: Path,
) -> None:
    import build

    build.stage(ROOT, tmp_path)
    name = "notebooks/04_recall.ipynb"
    shown = json.loads((tmp_path / name).read_text("utf-8"))
    ours = json.loads((ROOT / name).read_text("utf-8"))
    assert shown["cells"][1:] == ours["cells"][1:]
    first = "".join(shown["cells"][0]["source"])
    assert first.startswith("".join(ours["cells"][0]["source"]))
    assert "stored outputs" in first


@pytest.mark.usefixtures("scripts")
def test_if_sphinx_fails_the_site_from_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import build

    (tmp_path / "index.html").write_text("yesterday's", "utf-8")
    monkeypatch.setattr(build, "TARGET", tmp_path)
    monkeypatch.setattr(build, "HERE", tmp_path)  # it contains no conf.py
    assert build.build(sys.executable) == 1
    assert "the site was not built" in capsys.readouterr().out
    assert (tmp_path / "index.html").read_text("utf-8") == "yesterday's"
