"""Where memory lives: overrides and settings, slugs, and what a `.git` may claim."""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.errors import MemoryPathError
from memlab.memdir.places import MemoryPaths, Where, find_project, forget_paths
from memlab.memdir.places import memory_paths as paths
from memlab.memdir.places import slug_of as slug
from tests.house import git
from tests.platforms import needs_git, needs_links, needs_posix

SLUG = "-home-robin-tidebook"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    forget_paths()
    folder = Path(os.path.realpath(tmp_path)) / "home"
    (folder / "tidebook" / ".git").mkdir(parents=True)
    return folder


def ask(home: Path, project: str = "tidebook", **environ: str) -> MemoryPaths:
    """Ask as the course does: its own home, told as Robin's, and only these variables."""
    where = Where(home, "/home/robin")
    return paths(home / project, environ=environ, where=where)


def worktree(home: Path, name: str = "fix", admin: str = "../tidebook/.git/worktrees/fix") -> Path:
    """Write the three small files that tie a worktree to its main checkout."""
    top = home / name
    top.mkdir()
    (top / admin).mkdir(parents=True)
    (top / ".git").write_text(f"gitdir: {admin}\n")
    (top / admin / "commondir").write_text(str(home / "tidebook" / ".git"))
    (top / admin / "gitdir").write_text(f"{top / '.git'}\n")
    return top


def settle(file: Path, **values: object) -> Path:
    """Write a settings file, and have it read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values, indent=2))
    forget_paths()
    return file


@pytest.mark.behaviour("C1", "O4")
def test_first_defined_wins(home: Path) -> None:
    base = home / ".memlab"
    default, user = base / "projects" / SLUG, base / "settings.json"
    found = ask(home)
    assert (found.memory_dir, found.decided_by) == (default / "memory", "default")
    settle(user, note="first", auto_memory_directory="~/user")
    assert (ask(home).memory_dir, ask(home).decided_by) == (home / "user", f"{user}:3")
    settle(default / "settings.json", auto_memory_directory="~/local")
    assert ask(home).memory_dir == home / "local"
    assert ask(home, "other").memory_dir == home / "user", "it is for one project"
    assert ask(home, MEMLAB_MEMORY_DIR="~/one").memory_dir == home / "one"
    assert ask(home, MEMLAB_MEMORY_DIR="~/one").project_dir == default
    elsewhere = ask(home, MEMLAB_HOME="~/space")
    assert elsewhere.memory_dir == home / "space" / "projects" / SLUG / "memory"


@pytest.mark.behaviour("C2")
@needs_links
def test_no_settings_of_the_checkout_count(home: Path) -> None:
    own = home / ".memlab" / "settings.json"
    own.parent.mkdir()
    for file in (".memlab/settings.json", ".claude/settings.json", "settings.json"):
        evil = settle(home / "tidebook" / file, auto_memory_directory="~/.ssh")
        assert ask(home).decided_by == "default"
    own.symlink_to(evil)
    forget_paths()
    assert ask(home).decided_by == "default", "a link into the checkout"
    own.unlink()
    settle(own, auto_memory_directory="~/.ssh")
    assert ask(home, "notes").memory_dir == home / ".ssh", "the person's own counts"
    (home / ".git").mkdir()
    forget_paths()
    assert ask(home, "notes").decided_by == "default", "the home itself is the checkout"


REFUSED = r"|/|C:\|C:x|\\server\share|~|/m|memory|./memory|~robin/x| ~/x|~/../x|/tmp/.."
REFUSED += "|~/NUL|~/.|~/tidebook|UP"


@pytest.mark.behaviour("C5")
@needs_links
def test_a_directory_that_may_not_serve_and_one_that_may(home: Path) -> None:
    for name, target in {"root": "/", "back": home, "in": home / "tidebook"}.items():
        (home / name).symlink_to(target)
    user = home / ".memlab" / "settings.json"
    for text in [*REFUSED.split("|"), "~/root", "~/back", "~/in", 7, None]:
        given: Any = {"UP": str(home.parent), "~/NUL": "~/\0"}.get(text, text)
        if isinstance(given, str):
            with pytest.raises(MemoryPathError, match="MEMLAB_MEMORY_DIR"):
                ask(home, MEMLAB_MEMORY_DIR=given)
        settle(user, note="x", auto_memory_directory=given)
        with pytest.raises(MemoryPathError) as caught:
            ask(home)
        assert caught.value.where == f"{user}:3"
        user.unlink()
    (home / "fine").symlink_to(home.parent / "mounted")
    for text in ("~/m", "~/v1..v2", "~/..x", "~/a space", "~/tidebook/mem", "~/fine"):
        assert ask(home, MEMLAB_MEMORY_DIR=text).memory_dir == home / text[2:]


def test_a_plain_path_keeps_its_name_and_no_two_share_one() -> None:
    assert slug("/home/robin/tidebook") == SLUG
    assert slug("C:\\Users\\robin") == "C--Users-robin"
    assert slug("/home/robin/tide-book") == "-home-robin-tide-book+7ccde16cbd44"
    made = ("/" + "".join(one) for one in itertools.product(["", *"a-+:/"], repeat=5))
    every = [one for one in {*made} if "//" not in one and one[-1] != "/"]
    every += [f"/{letter * 300}{end}" for letter in "aä🛶" for end in ("", "x", "y")]
    slugs = {slug(path) for path in every}
    assert len(slugs) == len(every)
    assert max(len(one.encode()) for one in slugs) <= 200


@pytest.mark.behaviour("C3")
def test_worktrees_share_a_memory(home: Path) -> None:
    fix = worktree(home)
    (fix / "sql").mkdir()
    assert find_project(fix / "sql").top == fix
    assert ask(home, "fix/sql").memory_dir == ask(home, "tidebook/gone").memory_dir
    (fix / ".git").write_bytes(b"gitdir: ../tidebook/.git/worktrees/fix\r\n")
    assert find_project(fix).root == home / "tidebook", "relative, as on Windows"
    for value, own in {True: "-home-robin-fix", "no": SLUG}.items():
        settle(home / ".memlab" / "settings.json", separate_worktrees=value)
        assert ask(home, "fix").project_dir.name == own


LIES: dict[str, Callable[[Path, Path], object]] = {
    "another's": lambda git, home: git.write_text(f"gitdir: {home}/tidebook/.git\n"),
    "a link to a folder": lambda git, home: git.symlink_to(home / "tidebook" / ".git"),
    "a hard link": lambda git, home: os.link(home / "fix" / ".git", git),
    "a pipe": lambda git, home: os.mkfifo(git),
    "its own data": lambda git, home: worktree(home, "evil", "own"),
    "data that look right": lambda git, home: worktree(home, "evil", "x.git/worktrees/w"),
}


@pytest.mark.behaviour("C2")
@needs_posix
@pytest.mark.parametrize("lie", LIES)
def test_a_git_file_that_lies_opens_no_memory(home: Path, lie: str) -> None:
    worktree(home)
    if "data" not in lie:
        (home / "evil").mkdir()
    LIES[lie](home / "evil" / ".git", home)
    assert ask(home, "evil").project_dir.name.startswith("-home-robin-evil")


@pytest.mark.behaviour("C4")
def test_a_thousand_redraws_look_once(home: Path, monkeypatch: Any) -> None:
    worktree(home)
    looks = mock.Mock(side_effect=os.lstat), mock.Mock(side_effect=io.open)
    monkeypatch.setattr(os, "lstat", looks[0])
    monkeypatch.setattr(io, "open", looks[1])
    first, counts = ask(home, "fix"), [look.call_count for look in looks]
    assert all(counts)
    assert all(ask(home, "fix") is first for _ in range(1_000))
    assert [look.call_count for look in looks] == counts
    assert ask(home, "fix", MEMLAB_MEMORY_DIR="~/one").memory_dir == home / "one"


@pytest.mark.behaviour("C3")
@needs_git
def test_repositories_that_the_real_git_made(home: Path, monkeypatch: Any) -> None:
    git(home, "init", "-q", "main")
    main = home / "main"
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", "../fix")
    git(home, "clone", "-q", "--separate-git-dir", "kept", str(main), "apart")
    shutil.copytree(home / "fix", home / "copy")
    monkeypatch.setenv("PATH", "")
    for one, root in {"fix": "main", "apart": "apart", "copy": "copy"}.items():
        assert find_project(home / one).root == home / root
    (home / "fix").rename(home / "moved")
    assert find_project(home / "moved").root == home / "moved", "until git mends it"
