"""For all tests: which of them belong to which tier, and an empty home for the course.

``pytest`` runs the quick tier, which needs requirements.txt and nothing else. ``pytest --tier all``
adds what needs hypothesis or many seconds, ``pytest --tier rest`` runs only what *all* adds, and
``pytest --tier nightly`` runs the soak tests. A file or folder that is named on the command line is
collected in every tier.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memlab.memdir.places import forget_paths
from tests import fast_start
from tests.house import House

if TYPE_CHECKING:
    from memlab.course.replay import Replay

TIERS = {
    "quick": "not slow and not soak",
    "all": "not soak",
    "rest": "not soak",
    "nightly": "soak",
}
"""Each tier and its marks, which hold unless ``-m`` says something else."""

TESTS = Path(__file__).resolve().parent

NOT_QUICK = ("*_fuzz.py", "test_setup.py")
"""Files that the quick tier does not even import: hypothesis, many seconds."""

NOT_QUICK_FOLDERS = ("faults", "attacks", "unit/evals")
"""Folders that it passes over too: processes that are killed, attacks, tables."""

NOT_TOGETHER = "tests/notebooks/test_solved.py"
"""Each test of this file runs a whole notebook, so they are shared out one by one."""

BROWSER = TESTS / "browser"
"""Needs playwright and a Chromium, so it is collected only where it is named."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--tier``."""
    parser.addoption("--tier", choices=TIERS, default="quick", help="which tests (default: quick)")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over the files of another tier, unless they are named on the command line."""
    other = collection_path == BROWSER
    if config.getoption("tier") == "quick":
        other |= _is_not_quick(collection_path)
    return True if other and not _is_named(collection_path, config) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the tier *rest*, leave out what the quick tier runs."""
    if config.getoption("tier") != "rest":
        return
    kept: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for item in items:
        slow = item.get_closest_marker("slow") is not None
        kept[slow or any(map(_is_not_quick, (item.path, *item.path.parents)))].append(item)
    items[:] = kept[True]
    config.hook.pytest_deselected(items=kept[False])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one worker, but not those that only run notebooks.

    Those share no fixture and take minutes, for which one worker would be busy alone.
    """
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file: str = super()._split_scope(nodeid)
            return nodeid if file.endswith(NOT_TOGETHER) else file

    return Scheduling(config, log)


def _is_not_quick(path: Path) -> bool:
    named = any(map(path.match, NOT_QUICK))
    return named or path in [TESTS / folder for folder in NOT_QUICK_FOLDERS]


def _is_named(path: Path, config: pytest.Config) -> bool:
    named = [config.invocation_params.dir / name.partition("::")[0] for name in config.args]
    return any(one == path or path in one.parents for one in named)


def pytest_configure(config: pytest.Config) -> None:
    """Choose the tier's marks and a fast disk, and keep the course's state of this run apart.

    And let Ctrl-C and a hang-up reach the programs under test: a shell that starts this run in the
    background has the first ignored, and ``nohup`` the second, which children would inherit.
    """
    if not config.option.markexpr:
        config.option.markexpr = TIERS[config.getoption("tier")]
    fast_start.pytest_configure(config)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A home with one project, for one test."""
    forget_paths()
    return House(tmp_path / "home")


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    """The two weeks of the story with their dreams, replayed once for all who only read it."""
    from memlab.course import begin, replay_story

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMLAB_COURSE_HOME", str(tmp_path_factory.mktemp("course")))
        yield asyncio.run(replay_story(begin(8)))
