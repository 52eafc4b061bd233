"""Builds the web site: the notebooks with their stored outputs, and the pages beside them.

    python3 .ci/site/build.py

The site is written to ``build/site``. No notebook is run. Nothing in the site is loaded from
another server, so it can be published, served from a laptop (``python3 -m http.server -d
build/site``), or opened as files. Afterwards, every link, anchor and image is checked. The exit
status is 1 if one of them is broken, or if Sphinx warns.

The environment variables that GitHub sets in a workflow say where the repository is. Links to files
that only the repository has lead there; without an address, they become plain text.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from links import broken_links

from memlab.cli.bootstrap import prepare, say
from memlab.cli.commands import guarded

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = ROOT / "build" / "site"
NOTE = (
    "> This page shows the notebook's stored outputs. To run the notebook, and to write its gaps"
    " yourself, [start the course](../README.md#start) on your machine."
)


NOTEBOOKS = sorted(ROOT.glob("notebooks/[0-9][0-9]_*.ipynb"))
OVERVIEW = ROOT / "notebooks" / "README.md"
PAGES = [OVERVIEW, *sorted({*ROOT.glob("notebooks/*.md")} - {OVERVIEW})]
TEACHING = sorted(ROOT.glob("notebooks/teaching/*.md"))


def contents() -> str:
    """Write the tables of contents that the sidebar shows, as directives of MyST."""

    def table(caption: str, entries: list[str]) -> str:
        listed = "\n".join(entries)
        return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"

    def document(path: Path) -> str:
        return path.relative_to(ROOT).with_suffix("").as_posix()

    numbered = [
        f"{one.stem.replace('_', ' ')} <{document(one)}>" for one in NOTEBOOKS
    ]
    around = [*map(document, PAGES), "CHANGELOG"]
    teaching = (
        table("Teaching", [*map(document, TEACHING)]) if TEACHING else ""
    )
    return (
        table("The course", numbered) + table("Around it", around) + teaching
    )


def stage(source: Path) -> None:
    """Copy what the site is made of: the README becomes its first page, with the contents."""
    readme = (ROOT / "README.md").read_text("utf-8")
    shutil.copytree(
        ROOT / "notebooks" / "images", source / "notebooks" / "images"
    )
    (source / "index.md").write_text(readme + contents(), "utf-8")
    for path in [ROOT / "CHANGELOG.md", *PAGES, *TEACHING]:
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text("utf-8"))
        notebook["cells"][0]["source"].extend(["\n\n", NOTE])
        (source / path.relative_to(ROOT)).write_text(
            json.dumps(notebook), "utf-8"
        )


def build(python: str) -> int:
    """Build into ``build/site`` and check the result; gives the exit status.

    If Sphinx warns, the site that was there before stays.
    """
    with tempfile.TemporaryDirectory(prefix="memlab-site-") as folder:
        source, made = Path(folder, "source"), Path(folder, "site")
        stage(source)
        say("building the site, which takes about twenty seconds")
        options = ["-b", "html", "-q", "-W", "--keep-going", "-j", "2"]
        folders = ["-c", HERE, "-d", Path(folder, "cache"), source, made]
        built = subprocess.run(
            [python, "-m", "sphinx", *options, *map(str, folders)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        if built.returncode:
            say("the site was not built: see Sphinx's warnings above")
            return 1
        shutil.rmtree(TARGET, ignore_errors=True)
        not_needed = shutil.ignore_patterns(".buildinfo*", "objects.inv")
        shutil.copytree(made, TARGET, ignore=not_needed)
    # Otherwise GitHub Pages can leave out folders that begin with "_".
    (TARGET / ".nojekyll").touch()
    shutil.copytree(
        ROOT / "notebooks" / "images", TARGET / "notebooks" / "images"
    )
    problems, checked = broken_links(TARGET)
    for problem in problems:
        print(problem)
    say(checked)
    if problems:
        say(f"the site has {len(problems)} problem(s): see above")
        return 1
    say(f"open {TARGET / 'index.html'}")
    return 0


def main() -> int:
    """Build on a Python that has the locked packages."""
    about = "Build the web site in build/site, and check every link in it."
    argparse.ArgumentParser(description=about).parse_args()
    return build(prepare("dev"))


if __name__ == "__main__":
    sys.exit(guarded("site", main))
