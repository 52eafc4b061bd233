"""What is released: a wheel that runs without the course, and the whole project as source."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import memlab
from memlab.cli.commands import COMMANDS, InstalledCommand
from memlab.cli.setup.clone import find_clone
from tests.platforms import needs_git

ROOT = find_clone().root
ANYWHERE = [
    command.name
    for command in COMMANDS
    if isinstance(command, InstalledCommand) and not command.needs_clone
]
IN_A_CLONE = [command.name for command in COMMANDS if command.name not in ANYWHERE]
NEEDED = {"progress": ("my",), "start": ("07",), "bench": ("select",)}
"""Arguments with which a command would run in a clone, where it takes some."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and a source distribution of what git knows, and new files."""
    folder = tmp_path_factory.mktemp("release")
    for name in known_to_git():
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "source" / name)
    (folder / "dist").mkdir()
    for kind in ("wheel", "sdist"):
        build(folder / "source", kind, folder / "dist")
    return folder


def known_to_git() -> list[str]:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    ended = subprocess.run(listing, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return [name for name in ended.stdout.splitlines() if (ROOT / name).is_file()]


def build(source: Path, kind: str, target: Path) -> None:
    """Build as pip does, but with the setuptools of this environment and without a network."""
    code = f"from setuptools.build_meta import build_{kind} as b; b({str(target)!r})"
    env = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    ended = subprocess.run([sys.executable, "-c", code], cwd=source, env=env, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()


@pytest.fixture(scope="module")
def installed(built: Path) -> Path:
    """A folder with the wheel's files, which is no clone."""
    (wheel,) = (built / "dist").glob("*.whl")
    target = built / "a plåce"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, home: Path, *typed: str) -> subprocess.CompletedProcess[str]:
    """Type a command with an empty home, in a folder that is no clone."""
    keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    env = keep | {"HOME": str(home), "USERPROFILE": str(home), "PYTHONPATH": str(installed)}
    ended = subprocess.run(
        [sys.executable, "-m", "memlab", *typed],
        cwd=home,
        env=env | {"PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended


@pytest.mark.slow
@needs_git
class TestWheel:
    def test_it_contains_the_package_and_nothing_else(self, installed: Path) -> None:
        tops = {path.name for path in installed.iterdir()}
        assert tops == {"memlab", f"memlab-{memlab.__version__}.dist-info"}
        (points,) = installed.glob("*.dist-info/entry_points.txt")
        assert "memlab = memlab.__main__:run" in points.read_text("utf-8")
        wanted = {name for name in known_to_git() if name.startswith("memlab/")}
        there = {p.relative_to(installed).as_posix() for p in installed.rglob("memlab/**/*.*")}
        assert there == wanted - {"memlab/README.md"}

    def test_it_is_the_same_each_time(self, built: Path) -> None:
        (first,) = (built / "dist").glob("*.whl")
        (built / "again").mkdir()
        build(built / "source", "wheel", built / "again")
        assert (built / "again" / first.name).read_bytes() == first.read_bytes()

    @pytest.mark.parametrize("name", IN_A_CLONE)
    def test_a_command_of_the_course_says_that_it_needs_a_clone(
        self, installed: Path, tmp_path: Path, name: str
    ) -> None:
        ended = run(installed, tmp_path, name, *NEEDED.get(name, ()))
        if ended.returncode == 2:  # it takes an argument that this test doesn't know
            ended = run(installed, tmp_path, name, "x")
        assert ended.returncode == 1
        assert ended.stderr.startswith("memlab: this needs a clone of the project")
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", ANYWHERE)
    def test_the_others_run(self, installed: Path, tmp_path: Path, name: str) -> None:
        assert run(installed, tmp_path, name, "--help").returncode == 0
        ended = run(installed, tmp_path, name, "--no-such-option")
        assert ended.returncode == 2
        assert ended.stderr.startswith("usage: ")
        assert not list(tmp_path.iterdir())

    def test_a_memory_is_saved_and_examined(self, installed: Path, tmp_path: Path) -> None:
        said = run(installed, tmp_path, "chat", "--print", "Remember that I like tabs.")
        assert "Saved" in said.stderr
        (memory,) = tmp_path.glob(".memlab/projects/*/memory")
        examined = run(installed, tmp_path, "doctor", str(memory))
        assert examined.returncode == 0
        assert examined.stdout.startswith("1 memory: nothing is wrong")


@pytest.mark.slow
@needs_git
def test_the_source_distribution_is_the_whole_project(built: Path) -> None:
    (file,) = (built / "dist").glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if "." in name}
    made = {"PKG-INFO", "setup.cfg"}
    there = {name for name in names if not name.startswith("memlab.egg-info")} - made
    wanted = {name for name in known_to_git() if "." in name}
    assert wanted - there == set()
    assert {name for name in there - wanted if Path(name).suffix} == set()
