"""Builds the web site: the notebooks with their stored outputs, and the pages beside them.

    python3 .ci/site/build.py

The site is written to ``build/site``. No notebook is run. Nothing in the site is loaded from
another server, so it can be published, served from a laptop (``python3 -m http.server -d
build/site``), or opened as files. Afterwards, every link, anchor and image is checked. The exit
status is 1 if one of them is broken, or if Sphinx warns; then the site that was there stays.

GitHub says in ``GITHUB_REPOSITORY`` where the repository is. Links to files that only the
repository has lead there; without an address, they become plain text.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from posixpath import normpath

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from links import broken_links

from memlab.cli.bootstrap import prepare, say
from memlab.cli.commands import guarded

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = ROOT / "build" / "site"
NOTE = (
    "\n\n> This page shows the notebook's stored outputs. To run the notebook, and to write its"
    " gaps yourself, [start the course](../README.md#start) on your machine."
)
PAGES = (
    "README.md CHANGELOG.md notebooks/*.md notebooks/*.ipynb notebooks/*/*.md"
)
TEXT = r"(?:[^\[\]]|\[[^\[\]]*\])*"
LINK = re.compile(rf"(?<!!)\[({TEXT})\]\(([^():#\s]+)(#[^)\s]*)?\)")


def led_out(text: str, name: str, site: set[str]) -> str:
    """Lead a page's links to what the site does not have into the repository."""
    repository = os.environ.get("GITHUB_REPOSITORY")

    def change(link: re.Match[str]) -> str:
        shown, target, anchor = link.groups("")
        path = normpath(f"{name}/../{target}")
        if path == "README.md":  # the first page
            return f"[{shown}]({target.replace('README', 'index')}{anchor})"
        if path in site or not (ROOT / path).exists():
            return link[0]
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        address = f"https://github.com/{repository}/{kind}/HEAD/{path}{anchor}"
        return f"[{shown}]({address})" if repository else shown

    return LINK.sub(change, text)


def stage(source: Path) -> None:
    """Copy what the site is made of; the README becomes its first page, with the contents."""
    shutil.copytree(ROOT / "notebooks/images", source / "notebooks/images")
    files = [file for page in PAGES.split() for file in ROOT.glob(page)]
    names = {file.relative_to(ROOT).as_posix() for file in files}
    for name in names:
        target = source / name
        target.parent.mkdir(exist_ok=True)
        text = (ROOT / name).read_text("utf-8")
        if name.endswith(".ipynb"):
            notebook = json.loads(text)
            notebook["cells"][0]["source"].append(NOTE)
            text = json.dumps(notebook, ensure_ascii=False)
        elif name == "README.md":
            target = source / "index.md"
            text += (HERE / "contents.md").read_text("utf-8")
        target.write_text(led_out(text, name, names), "utf-8")


def build(python: str) -> int:
    """Build into ``build/site`` and check the result; gives the exit status."""
    with tempfile.TemporaryDirectory(prefix="memlab-site-") as folder:
        source, made = Path(folder, "source"), Path(folder, "made")
        stage(source)
        say("building the site, which takes about twenty seconds")
        command = [
            "-m",
            "sphinx",
            "-b",
            "html",
            "-q",
            "-W",
            "--keep-going",
            "-j",
            "2",
            "-c",
        ]
        if subprocess.run([python, *command, HERE, source, made]).returncode:
            say("the site was not built: see Sphinx's warnings above")
            return 1
        shutil.rmtree(TARGET, ignore_errors=True)
        shutil.copytree(
            made,
            TARGET,
            ignore=shutil.ignore_patterns(".buildinfo*", ".doctrees"),
        )
    # Otherwise GitHub Pages can leave out folders that begin with "_".
    (TARGET / ".nojekyll").touch()
    problems, checked = broken_links(TARGET)
    for problem in problems:
        print(problem)
    say(f"{checked}; {len(problems)} problems; open {TARGET / 'index.html'}")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(guarded("site", lambda: build(prepare("dev"))))
