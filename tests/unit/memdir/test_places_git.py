"""Where memory lives, asked of repositories that the real git made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memlab.memdir.places import Where, find_project, forget_paths, memory_paths
from tests.platforms import needs_git

pytestmark = needs_git

IDENTITY = ("-c", "user.name=Robin", "-c", "user.email=robin@example.org")
QUIET = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    """Run git there, deaf to the settings and variables of whoever runs the tests."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    clean |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *IDENTITY, *QUIET, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    forget_paths()
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def tidebook(home: Path) -> Path:
    origin = home / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    (origin / "sql").mkdir()
    (origin / "sql" / "schema.sql").write_text("create table boat (id int);\n")
    git(origin, "add", ".")
    git(origin, "commit", "-q", "-m", "A first table")
    git(home, "clone", "-q", str(origin), "tidebook")
    return home / "tidebook"


def memory_of(project: Path, home: Path) -> Path:
    return memory_paths(project, environ={}, where=Where(home, "/home/robin")).memory_dir


def common_directory(folder: Path) -> Path:
    """Ask git itself which directory the worktrees of a repository share."""
    shared = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return Path(os.path.realpath(shared))


def test_a_clone_and_the_folders_in_it(tidebook: Path, home: Path) -> None:
    for folder in (tidebook, tidebook / "sql", tidebook / ".git" / "objects"):
        assert find_project(folder).root == tidebook == common_directory(folder).parent
        assert memory_of(folder, home).parent.name == "-home-robin-tidebook"


@pytest.mark.behaviour("C3")
def test_worktrees_share_the_memory_of_the_main_checkout(tidebook: Path, home: Path) -> None:
    git(tidebook, "worktree", "add", "-q", "../fix")
    git(tidebook, "worktree", "add", "-q", "inner/nested")
    git(home / "fix", "worktree", "add", "-q", "-b", "third", "../from a worktree")
    for top in (home / "fix", tidebook / "inner" / "nested", home / "from a worktree"):
        found = find_project(top / "sql")
        assert (found.root, found.top) == (tidebook, top)
        assert found.root == common_directory(top).parent
        assert memory_of(top, home) == memory_of(tidebook, home)
    assert find_project(tidebook / "inner").root == tidebook


def test_a_repository_within_a_repository_is_its_own_project(tidebook: Path, home: Path) -> None:
    inner = tidebook / "vendor" / "tides"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    assert find_project(inner).root == inner
    assert memory_of(inner, home) != memory_of(tidebook, home)


def test_a_submodule_is_its_own_project(tidebook: Path, home: Path) -> None:
    git(tidebook, "submodule", "--quiet", "add", str(home / "origin"), "parts/tables")
    tables = tidebook / "parts" / "tables"
    assert (tables / ".git").is_file(), "git keeps a submodule's data in the outer repository"
    assert find_project(tables / "sql").root == tables
    assert memory_of(tables, home) != memory_of(tidebook, home)


def test_worktrees_of_a_submodule_stay_with_the_submodule(tidebook: Path, home: Path) -> None:
    git(tidebook, "submodule", "--quiet", "add", str(home / "origin"), "parts/tables")
    for name in ("one", "two"):
        git(tidebook / "parts" / "tables", "worktree", "add", "-q", str(home / name))
    shared = common_directory(home / "one")
    assert find_project(home / "one").root == find_project(home / "two").root == shared
    assert memory_of(home / "one", home) != memory_of(tidebook, home)


def test_a_bare_repository_is_its_own_root_and_that_of_its_worktrees(
    tidebook: Path, home: Path
) -> None:
    git(home, "clone", "-q", "--bare", str(tidebook), "tidebook.git")
    bare = home / "tidebook.git"
    git(bare, "worktree", "add", "-q", "../one")
    git(bare, "worktree", "add", "-q", "../two")
    for folder in (bare, home / "one", home / "two" / "sql"):
        assert find_project(folder).root == bare == common_directory(folder)
        assert memory_of(folder, home).parent.name == "-home-robin-tidebook.git"


def test_a_git_directory_kept_elsewhere_does_not_move_the_project(
    home: Path, tidebook: Path
) -> None:
    git(home, "clone", "-q", "--separate-git-dir", "kept", str(tidebook), "apart")
    assert find_project(home / "apart" / "sql").root == home / "apart"


def test_a_moved_worktree_is_on_its_own_until_git_mends_it(tidebook: Path, home: Path) -> None:
    git(tidebook, "worktree", "add", "-q", "../fix")
    (home / "fix").rename(home / "moved")
    assert find_project(home / "moved").root == home / "moved"
    git(home / "moved", "worktree", "repair")
    assert find_project(home / "moved").root == tidebook


def test_a_removed_worktree_leaves_no_claim(tidebook: Path, home: Path) -> None:
    git(tidebook, "worktree", "add", "-q", "../fix")
    pointer = (home / "fix" / ".git").read_text()
    git(tidebook, "worktree", "remove", "../fix")
    (home / "fix").mkdir()
    (home / "fix" / ".git").write_text(pointer)
    assert find_project(home / "fix").root == home / "fix"


def test_a_copied_worktree_is_not_the_worktree(tidebook: Path, home: Path) -> None:
    git(tidebook, "worktree", "add", "-q", "../fix")
    shutil.copytree(home / "fix", home / "copy")
    assert find_project(home / "copy").root == home / "copy"
    assert find_project(home / "fix").root == tidebook


def test_neither_the_program_nor_its_variables_have_a_say(
    tidebook: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tidebook, "worktree", "add", "-q", "../fix")
    other = home / "origin"
    told = {"GIT_DIR": other / ".git", "GIT_WORK_TREE": other, "GIT_COMMON_DIR": other / ".git"}
    for name, value in told.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tidebook))
    asked = subprocess.run(
        ["git", "rev-parse", "--absolute-git-dir"], cwd=tidebook, capture_output=True, text=True
    )
    assert Path(asked.stdout.strip()) == other / ".git", "git itself follows its variables"
    monkeypatch.setenv("PATH", "")
    assert shutil.which("git") is None
    for folder in (tidebook / "sql", home / "fix"):
        assert find_project(folder).root == tidebook
