"""Where memory lives: overrides and settings, slugs, and what a `.git` may claim."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from memlab.errors import MemoryPathError, SettingsError
from memlab.memdir import places
from memlab.memdir.places import (
    MemoryPaths,
    Where,
    find_project,
    forget_paths,
    memory_paths,
    slug_of,
)
from tests.house import git
from tests.platforms import needs_git, needs_links, needs_posix

SLUG = "-home-robin-tidebook"
Ask = Callable[..., MemoryPaths]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    forget_paths()
    folder = Path(os.path.realpath(tmp_path)) / "home"
    (folder / "tidebook" / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def ask(home: Path) -> Ask:
    """Ask as the course does: its own home, told as Robin's, and only the variables given."""

    def asked(project: Path | str = home / "tidebook", **environ: str) -> MemoryPaths:
        return memory_paths(project, environ=environ, where=Where(home, "/home/robin"))

    return asked


def worktree(top: Path, name: str = "fix") -> Path:
    """Write the three small files that tie a worktree to its main checkout."""
    admin = top.parent / "tidebook" / ".git" / "worktrees" / name
    admin.mkdir(parents=True)
    top.mkdir()
    (top / ".git").write_text(f"gitdir: {admin}\n")
    (admin / "commondir").write_text("../..\n")
    (admin / "gitdir").write_text(f"{top / '.git'}\n")
    return top


def settle(file: Path, **values: object) -> Path:
    """Write a settings file, and have it read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values, indent=2))
    forget_paths()
    return file


@pytest.mark.behaviour("C1", "O4")
@pytest.mark.parametrize("given", [*itertools.product([True, False], repeat=3)])
def test_first_defined_wins(ask: Ask, home: Path, given: tuple[bool, ...]) -> None:
    base, environ = home / ".memlab", {}
    default, user = base / "projects" / SLUG, base / "settings.json"
    wanted = (default / "memory", "default")
    if given[0]:
        settle(user, note="first", auto_memory_directory="~/user")
        wanted = home / "user", f"{user}:3"
    if given[1]:
        local = settle(default / "settings.json", auto_memory_directory="~/local")
        wanted = home / "local", f"{local}:2"
    if given[2]:
        environ["MEMLAB_MEMORY_DIR"] = "~/environ"
        wanted = home / "environ", "MEMLAB_MEMORY_DIR"
    found = ask(**environ)
    assert (found.memory_dir, found.decided_by) == wanted
    assert found.project_dir == default
    assert found.conversations_dir == base / "conversations"
    (home / "other").mkdir()
    assert ask(home / "other").memory_dir != home / "local", "it is for one project"
    elsewhere = ask(MEMLAB_HOME="~/space")
    assert elsewhere.memory_dir == home / "space" / "projects" / SLUG / "memory"


@pytest.mark.behaviour("C2")
@pytest.mark.parametrize(
    "file",
    [
        ".memlab/settings.json",
        ".claude/settings.json",
        "settings.json",
        f".memlab/projects/{SLUG}/settings.json",
    ],
)
@needs_links
def test_no_settings_of_the_checkout_count(ask: Ask, home: Path, file: str) -> None:
    evil = settle(home / "tidebook" / file, auto_memory_directory="~/.ssh")
    assert ask().decided_by == "default"
    own = home / ".memlab" / "settings.json"
    own.parent.mkdir()
    own.symlink_to(evil)
    forget_paths()
    assert ask().decided_by == "default", "a link into the checkout"
    own.unlink()
    settle(own, auto_memory_directory="~/.ssh")
    assert ask().memory_dir == home / ".ssh", "the person's own counts"
    # a home without git is no checkout
    assert ask(home / "notes").memory_dir == home / ".ssh"
    (home / ".git").mkdir()
    forget_paths()
    # the home itself is the checkout
    assert ask(home / "notes").decided_by == "default"


@pytest.mark.parametrize("data", [b"{oops}", b"", b"[]", b"7", b'{"a": "\xff"}'])
def test_broken_settings_are_an_error(ask: Ask, home: Path, data: bytes) -> None:
    for folder in (home / ".memlab", ask().project_dir):
        file = folder / "settings.json"
        settle(file).write_bytes(data)
        for _ in range(2):  # a failure is not remembered
            with pytest.raises(SettingsError, match=re.escape(str(file))):
                ask()
        file.write_bytes(b'\xef\xbb\xbf{"other": 1}')
        assert ask().decided_by == "default"


REFUSED = "|/|~|/m|memory|./memory|~robin/x| ~/x|~/../x|/tmp/..|~/\0x|/./.|~/.|HOME|UP"
ODD = ["~/tidebook", 7, None, ["~/own"]]


@pytest.mark.behaviour("C5")
@pytest.mark.parametrize("text", [*REFUSED.split("|"), *ODD])
def test_a_directory_that_may_not_serve(ask: Ask, home: Path, text: Any) -> None:
    text = {"HOME": str(home), "UP": str(home.parent)}.get(str(text), text)
    given = {"MEMLAB_MEMORY_DIR": text} if isinstance(text, str) else {}
    for name in (*given, *(["MEMLAB_HOME"] if given and text != "~/tidebook" else [])):
        with pytest.raises(MemoryPathError, match=f"^{name}: .* no absolute path"):
            ask(**{name: text})
    user = home / ".memlab" / "settings.json"
    file = settle(user, note="x", auto_memory_directory=text)
    with pytest.raises(MemoryPathError) as caught:
        ask()
    assert caught.value.where == f"{file}:3"


@pytest.mark.behaviour("C5")
@needs_links
def test_ordinary_directories_serve(ask: Ask, home: Path) -> None:
    for text in ("~/m", "~/v1..v2", "~/..x", "~/a space", "~/tidebook/mem"):
        assert ask(MEMLAB_MEMORY_DIR=text).memory_dir == home / text[2:]
    for name, target in {"root": "/", "back": home, "in": home / "tidebook"}.items():
        (home / name).symlink_to(target)
        with pytest.raises(MemoryPathError):
            ask(MEMLAB_MEMORY_DIR=f"~/{name}")
    (home / "fine").symlink_to(home.parent / "mounted")
    assert ask(MEMLAB_MEMORY_DIR="~/fine").memory_dir == home / "fine"


@pytest.mark.behaviour("C5")
def test_drives_and_shares_are_roots_on_windows(monkeypatch: Any) -> None:
    monkeypatch.setattr(places, "Path", PureWindowsPath)
    monkeypatch.setattr(places, "realpath", str)
    robin: Any = PureWindowsPath("C:\\Users\\robin")
    for text in ("C:\\", "D:/", "\\\\server\\share", "//a/b/", "C:x", "\\memory"):
        with pytest.raises(MemoryPathError):
            places._usable(text, "MEMLAB_MEMORY_DIR", robin, robin)
    for text in ("D:\\memory", "\\\\server\\share\\memory", "~/memory"):
        assert places._usable(text, "MEMLAB_MEMORY_DIR", robin, robin).name == "memory"


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/robin/tidebook", "-home-robin-tidebook"),
        ("/srv/tide.book_2/Ä 1", "-srv-tide.book_2-Ä 1"),
        ("/" + "a" * 199, "-" + "a" * 199),
        ("C:\\Users\\robin", "C--Users-robin"),
        ("\\\\server\\share", "--server-share"),
        ("/home/robin/tide-book", "-home-robin-tide-book+7ccde16cbd44"),
        ("/home/c++", "-home-c--+"),
        ("/a:b*c?", "-a-b-c-+"),
        ("/back\\slash\n", "-back-slash-+"),
        ("/dot.", "-dot-+"),
        ("/\udcff", "--+"),
        ("/" + "a" * 200, "-" + "a" * 186 + "+"),
    ],
)
def test_a_plain_path_keeps_its_name(path: str, slug: str) -> None:
    assert re.fullmatch(
        re.escape(slug) + ("[0-9a-f]{12}" if slug[-1] == "+" else ""), slug_of(path)
    )


def test_no_two_paths_share_a_slug() -> None:
    made = ("/" + "".join(one) for one in itertools.product(["", *"a-+:/"], repeat=5))
    every = [one for one in {*made} if "//" not in one and one[-1] != "/"]
    every += [f"/{letter * 300}{end}" for letter in "aä🛶" for end in ("", "x", "y")]
    slugs = {slug_of(path) for path in every}
    assert len(slugs) == len(every)
    assert max(len(slug.encode()) for slug in slugs) <= 200


@pytest.mark.behaviour("C3")
def test_worktrees_share_a_memory(ask: Ask, home: Path) -> None:
    fix = worktree(home / "fix")
    (fix / "sql").mkdir()
    assert (find_project(fix / "sql").root, find_project(fix / "sql").top) == (
        home / "tidebook",
        fix,
    )
    assert ask(fix / "sql").memory_dir == ask(home / "tidebook" / "gone").memory_dir
    (fix / ".git").write_bytes(b"gitdir: ../tidebook/.git/worktrees/fix\r\n")
    # relative, and with Windows' line ends
    assert find_project(fix).root == home / "tidebook"
    user, local = home / ".memlab", ask().project_dir
    for folder, value in ((user, True), (user, "no"), (local, True)):
        settle(folder / "settings.json", separate_worktrees=value)
        own = "-home-robin-fix" if value is True else SLUG
        assert ask(fix).project_dir.name == own
        assert ask().project_dir.name == SLUG


def told(home: Path) -> str:
    return f"gitdir: {home}/tidebook/.git\n"


LIES: dict[str, Callable[[Path, Path], object]] = {
    "another's repository": lambda git, home: git.write_text(told(home)),
    "another's worktree": lambda git, home: shutil.copy(home / "fix" / ".git", git),
    "nothing": lambda git, home: git.write_text("gitdir: /gone/.git/worktrees/fix\n"),
    "no git data": lambda git, home: git.write_text("gitdir: ../.ssh\n"),
    "two lines": lambda git, home: git.write_text(told(home) * 2),
    "a link to a file": lambda git, home: git.symlink_to(home / "fix" / ".git"),
    "a link to a folder": lambda git, home: git.symlink_to(home / "tidebook" / ".git"),
    "a hard link": lambda git, home: os.link(home / "fix" / ".git", git),
    "a pipe": lambda git, home: os.mkfifo(git),
    "its own data": lambda git, home: invented(git, home, "own"),
    "data that look right": lambda git, home: invented(git, home, "x.git/worktrees/w"),
}


def invented(git: Path, home: Path, folder: str) -> None:
    """Bring git data of its own that name another's."""
    admin = git.parent / folder
    admin.mkdir(parents=True)
    git.write_text(f"gitdir: {folder}\n")
    (admin / "commondir").write_text(str(home / "tidebook" / ".git"))
    (admin / "gitdir").write_text(str(git))


@pytest.mark.behaviour("C2")
@needs_posix
@pytest.mark.parametrize("lie", LIES)
def test_a_git_file_that_lies_opens_no_memory(ask: Ask, home: Path, lie: str) -> None:
    worktree(home / "fix")
    (home / "evil").mkdir()
    LIES[lie](home / "evil" / ".git", home)
    found = ask(home / "evil")
    assert found.project.top == home / "evil"
    assert found.project_dir.name.startswith("-home-robin-evil")


@needs_links
def test_the_walk_goes_up_to_the_home(ask: Ask, home: Path) -> None:
    (home.parent / ".git").mkdir()
    (home / "notes" / "deep").mkdir(parents=True)
    assert ask(home / "notes" / "deep").project.root == home / "notes" / "deep"
    (home / "short").symlink_to("tidebook")
    assert ask(home / "short") == ask()
    home.with_name("alias").symlink_to(home)
    alias = Where(home.with_name("alias"), "/home/robin")
    found = memory_paths(home / "tidebook", environ={}, where=alias)
    assert found.project_dir.name == SLUG
    with pytest.raises(MemoryPathError):
        memory_paths(home, environ={"MEMLAB_MEMORY_DIR": str(home)}, where=alias)


@pytest.mark.behaviour("C4")
def test_a_thousand_redraws_look_once(ask: Ask, home: Path, monkeypatch: Any) -> None:
    fix, before = worktree(home / "fix"), sorted(home.rglob("*"))
    seen: list[str] = []
    for module, name in ((os, "stat"), (os, "lstat"), (os, "readlink"), (io, "open")):
        honest = getattr(module, name)

        def noted(*given: Any, _real: Any = honest, _name: str = name, **more: Any) -> Any:
            seen.append(_name)
            return _real(*given, **more)

        monkeypatch.setattr(module, name, noted)
    first = ask(fix)
    # the counter sees what resolving does
    assert {"stat", "lstat", "open"} <= set(seen)
    seen.clear()
    assert all(ask(fix) is first for _ in range(1_000))
    assert seen == []
    # another question
    assert ask(fix, MEMLAB_MEMORY_DIR="~/one").memory_dir == home / "one"
    monkeypatch.chdir(home / "tidebook")
    assert ask(".").project.root == home / "tidebook"
    monkeypatch.undo()
    assert sorted(home.rglob("*")) == before
    settle(home / ".memlab" / "settings.json", auto_memory_directory="~/own")
    assert ask(fix).memory_dir == home / "own", "it was forgotten"


@pytest.mark.behaviour("C3")
@needs_git
def test_repositories_that_the_real_git_made(home: Path, monkeypatch: Any) -> None:
    main, outer = home / "main", home / "outer"
    for folder in (main, outer):
        git(home, "init", "-q", str(folder))
        git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", "../fix")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(main), "in")
    git(home, "clone", "-q", "--bare", str(main), "bare.git")
    git(home / "bare.git", "worktree", "add", "-q", "../one")
    git(home, "clone", "-q", "--separate-git-dir", "kept", str(main), "apart")
    shutil.copytree(home / "fix", home / "copy")
    monkeypatch.setenv("GIT_DIR", str(outer / ".git"))
    monkeypatch.setenv("PATH", "")
    roots = {"fix": "main", "outer/in": "outer/in", "one": "bare.git", "apart": "apart"}
    for one, root in {**roots, "copy": "copy"}.items():
        assert find_project(home / one).root == home / root
    (home / "fix").rename(home / "moved")
    # until git mends it
    assert find_project(home / "moved").root == home / "moved"
