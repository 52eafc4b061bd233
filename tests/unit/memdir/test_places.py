"""Where memory lives: overrides and settings, names, and what a `.git` may claim. No git needed."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest

from memlab.errors import MemoryPathError, SettingsError
from memlab.memdir import places
from memlab.memdir.places import (
    MemoryPaths,
    Project,
    Where,
    find_project,
    forget_paths,
    memory_paths,
    slug_of,
)
from tests.platforms import needs_limited_user, needs_links, needs_posix

ROBIN = "/home/robin"
Ask = Callable[..., MemoryPaths]
SLUG = "-home-robin-tidebook"


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    forget_paths()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def tidebook(home: Path) -> Path:
    return checkout(home / "tidebook")


@pytest.fixture
def ask(home: Path) -> Ask:
    """Ask as the course does: its own home, told as Robin's, and only the variables given."""

    def asked(project: Path | str, **environ: str) -> MemoryPaths:
        return memory_paths(project, environ=environ, where=Where(home, ROBIN))

    return asked


def checkout(top: Path) -> Path:
    for name in ("objects", "refs"):
        (top / ".git" / name).mkdir(parents=True)
    (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return top


def worktree(top: Path, main: Path, name: str = "fix") -> Path:
    """Write the three small files that tie a worktree to its main checkout."""
    admin = main / ".git" / "worktrees" / name
    admin.mkdir(parents=True)
    top.mkdir(parents=True)
    (top / ".git").write_text(f"gitdir: {admin}\n")
    (admin / "commondir").write_text("../..\n")
    (admin / "gitdir").write_text(f"{top / '.git'}\n")
    return top


def write_settings(file: Path, **values: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values, indent=2))
    return file


# The default place


@pytest.mark.behaviour("O4")
def test_the_example_has_the_same_slug_wherever_its_home_lies(
    ask: Ask, home: Path, tidebook: Path
) -> None:
    found = ask(tidebook)
    assert found.project_dir == home / ".memlab" / "projects" / SLUG
    assert found.memory_dir == found.project_dir / "memory"
    assert found.conversations_dir == home / ".memlab" / "conversations"
    assert found.decided_by == "default"


def test_a_shown_home_is_for_what_lies_in_the_home_only(ask: Ask, tmp_path: Path) -> None:
    outside = checkout(Path(os.path.realpath(tmp_path)) / "elsewhere")
    assert ask(outside).project_dir.name == slug_of(outside)


def test_without_a_shown_home_the_slug_is_that_of_the_real_path(home: Path, tidebook: Path) -> None:
    found = memory_paths(tidebook, environ={}, where=Where(home))
    assert found.project_dir.name == slug_of(tidebook)


def test_the_base_follows_its_variable(ask: Ask, home: Path, tidebook: Path) -> None:
    found = ask(tidebook, MEMLAB_HOME="~/space")
    assert found.memory_dir == home / "space" / "projects" / SLUG / "memory"
    assert found.conversations_dir == home / "space" / "conversations"


def test_the_process_environment_counts_when_none_is_handed_in(
    monkeypatch: pytest.MonkeyPatch, home: Path, tidebook: Path
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.delenv("MEMLAB_HOME", raising=False)
    monkeypatch.setenv("MEMLAB_MEMORY_DIR", "~/from-environment")
    assert memory_paths(tidebook).memory_dir == home / "from-environment"
    monkeypatch.delenv("MEMLAB_MEMORY_DIR")
    assert memory_paths(tidebook).memory_dir.is_relative_to(home / ".memlab" / "projects")


def test_asking_writes_nothing(ask: Ask, home: Path, tidebook: Path) -> None:
    before = sorted(home.rglob("*"))
    ask(tidebook)
    ask(tidebook, MEMLAB_MEMORY_DIR="~/elsewhere", MEMLAB_HOME="~/base")
    assert sorted(home.rglob("*")) == before


# Which rule wins


@pytest.mark.behaviour("C1")
@pytest.mark.parametrize("environ", [True, False])
@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("user", [True, False])
def test_first_defined_wins(
    ask: Ask,
    home: Path,
    tidebook: Path,
    environ: bool,
    local: bool,
    user: bool,
) -> None:
    base = home / ".memlab"
    default = base / "projects" / SLUG
    if local:
        write_settings(default / "settings.json", auto_memory_directory="~/local")
    if user:
        write_settings(base / "settings.json", auto_memory_directory="~/user")
    found = ask(tidebook, **({"MEMLAB_MEMORY_DIR": "~/environ"} if environ else {}))
    wanted = [
        (environ, home / "environ", "MEMLAB_MEMORY_DIR"),
        (local, home / "local", f"{default / 'settings.json'}:2"),
        (user, home / "user", f"{base / 'settings.json'}:2"),
        (True, default / "memory", "default"),
    ]
    assert (found.memory_dir, found.decided_by) == next(row[1:] for row in wanted if row[0])
    assert found.project_dir == default


def test_local_settings_are_those_of_this_project(ask: Ask, home: Path, tidebook: Path) -> None:
    write_settings(ask(tidebook).project_dir / "settings.json", auto_memory_directory="~/mine")
    forget_paths()
    assert ask(tidebook).memory_dir == home / "mine"
    assert ask(checkout(home / "other")).memory_dir != home / "mine"


def test_settings_of_another_purpose_change_nothing(ask: Ask, home: Path, tidebook: Path) -> None:
    write_settings(home / ".memlab" / "settings.json", auto_dream=False)
    assert ask(tidebook).decided_by == "default"


COMMITTED = (
    ".memlab/settings.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    "settings.json",
    f".memlab/projects/{SLUG}/settings.json",
)


@pytest.mark.behaviour("C2")
@pytest.mark.parametrize("committed", COMMITTED)
def test_a_settings_file_of_the_checkout_has_no_effect_and_the_users_has(
    ask: Ask, home: Path, tidebook: Path, committed: str
) -> None:
    evil = write_settings(tidebook / committed, auto_memory_directory="~/.ssh")
    assert ask(tidebook).decided_by == "default"
    assert ask(tidebook).memory_dir == home / ".memlab" / "projects" / SLUG / "memory"
    forget_paths()
    own = home / ".memlab" / "settings.json"
    own.parent.mkdir()
    own.write_bytes(evil.read_bytes())
    assert ask(tidebook).memory_dir == home / ".ssh"


@pytest.mark.behaviour("C2")
@needs_links
def test_a_checkout_cannot_get_in_by_a_link_or_by_being_the_home(
    ask: Ask, home: Path, tidebook: Path
) -> None:
    evil = write_settings(tidebook / "settings.json", auto_memory_directory="~/.ssh")
    own = home / ".memlab" / "settings.json"
    own.parent.mkdir()
    own.symlink_to(evil)
    assert ask(tidebook).decided_by == "default"
    own.unlink()
    own.write_bytes(evil.read_bytes())
    forget_paths()
    assert ask(tidebook).memory_dir == home / ".ssh"
    checkout(home)
    assert ask(home / "notes").decided_by == "default"


BROKEN: dict[str, tuple[bytes, str]] = {
    "not JSON": (b'{\n  "a": 1,\n  oops\n}', r"settings\.json: .*property name.* line 3"),
    "empty": (b"", r"settings\.json: Expecting value"),
    "not an object": (b"[]", r"settings\.json: 'list' object is not a mapping"),
    "a bare number": (b"7", r"settings\.json: 'int' object is not a mapping"),
    "not UTF-8": (b'{"auto_memory_directory": "\xff"}', r"settings\.json: .*utf-8"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("place", ["local", "user"])
def test_broken_settings_are_one_clear_error_and_never_the_default(
    ask: Ask, home: Path, tidebook: Path, case: str, place: str
) -> None:
    content, message = BROKEN[case]
    folder = home / ".memlab" if place == "user" else ask(tidebook).project_dir
    folder.mkdir(parents=True)
    (folder / "settings.json").write_bytes(content)
    forget_paths()
    for _ in range(2):  # a failure is not remembered
        with pytest.raises(SettingsError, match=message) as caught:
            ask(tidebook)
        assert str(folder / "settings.json") in str(caught.value)
        assert str(caught.value).endswith("Correct it or remove it")
    (folder / "settings.json").write_text("{}")
    assert ask(tidebook).decided_by == "default"


def test_a_home_without_git_is_no_checkout(ask: Ask, home: Path) -> None:
    write_settings(home / ".memlab" / "settings.json", auto_memory_directory="~/own")
    assert ask(home).memory_dir == home / "own"


def test_a_byte_order_mark_is_no_fault(ask: Ask, home: Path, tidebook: Path) -> None:
    file = write_settings(home / ".memlab" / "settings.json", auto_memory_directory="~/own")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert ask(tidebook).memory_dir == home / "own"


@pytest.mark.parametrize("value", [7, None, ["~/own"]])
def test_a_directory_that_is_no_text_is_refused(
    ask: Ask, home: Path, tidebook: Path, value: object
) -> None:
    write_settings(home / ".memlab" / "settings.json", auto_memory_directory=value)
    with pytest.raises(MemoryPathError, match=r"settings\.json:2: .* is no absolute path"):
        ask(tidebook)


@needs_limited_user
def test_rights_of_the_file_system_are_reported(ask: Ask, home: Path, tidebook: Path) -> None:
    own = write_settings(home / ".memlab" / "settings.json", auto_memory_directory="~/own")
    own.chmod(0)
    with pytest.raises(SettingsError, match="Permission denied"):
        ask(tidebook)
    own.chmod(0o600)
    assert ask(tidebook).memory_dir == home / "own"
    linked = worktree(home / "fix", tidebook)
    (tidebook / ".git").chmod(0)
    assert find_project(linked).root == linked
    (tidebook / ".git").chmod(0o700)
    assert find_project(linked).root == tidebook


# Directories that may not serve

REFUSED = [
    *("", "/", "~", "/m", "memory", "./memory", "~robin/memory", " ~/memory", "~/../memory"),
    *("/tmp/..", "~/me\0mory", "///", "/./.", "~/.", "~//", "HOME", "ABOVE HOME", "~/tidebook"),
]


@pytest.mark.behaviour("C5")
@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.parametrize("source", ["environment", "settings"])
def test_a_directory_that_may_not_serve_is_refused_by_its_source(
    ask: Ask, home: Path, tidebook: Path, text: str, source: str
) -> None:
    given = {"HOME": str(home), "ABOVE HOME": str(home.parent)}.get(text, text)
    environ, place = {"MEMLAB_MEMORY_DIR": given}, "MEMLAB_MEMORY_DIR"
    if source == "settings":
        file = home / ".memlab" / "settings.json"
        write_settings(file, note="the second line", auto_memory_directory=given)
        environ, place = {}, f"{file}:3"
    with pytest.raises(MemoryPathError) as caught:
        ask(tidebook, **environ)
    what = f"{given!r} is no absolute path, or holds your home or the project"
    assert caught.value.what == what
    assert caught.value.where == place
    assert "Name another" in caught.value.do


@pytest.mark.parametrize("text", [text for text in REFUSED if text != "~/tidebook"])
def test_a_base_that_may_not_serve_is_refused_too(
    ask: Ask, home: Path, tidebook: Path, text: str
) -> None:
    given = {"HOME": str(home), "ABOVE HOME": str(home.parent)}.get(text, text)
    with pytest.raises(MemoryPathError, match=r"^MEMLAB_HOME: "):
        ask(tidebook, MEMLAB_HOME=given)


@pytest.mark.parametrize(
    "text",
    ["~/m", "~/v1..v2", "~/..hidden", "~/with space", "~/~", "~/Muistio-ä", "~/tidebook/mem"],
)
def test_ordinary_directories_serve(ask: Ask, home: Path, tidebook: Path, text: str) -> None:
    assert ask(tidebook, MEMLAB_MEMORY_DIR=text).memory_dir == home / text[2:]
    given = str(home / text[2:])
    assert ask(tidebook, MEMLAB_MEMORY_DIR=given).memory_dir == home / text[2:]


@needs_links
def test_a_link_is_judged_by_where_it_leads(ask: Ask, home: Path, tidebook: Path) -> None:
    for name, target in {"root": "/", "back": str(home), "in": str(tidebook)}.items():
        (home / name).symlink_to(target)
        with pytest.raises(MemoryPathError):
            ask(tidebook, MEMLAB_MEMORY_DIR=f"~/{name}")
    (home / "mounted").mkdir()
    (home / "fine").symlink_to(home / "mounted")
    assert ask(tidebook, MEMLAB_MEMORY_DIR="~/fine").memory_dir == home / "fine"


@pytest.mark.behaviour("C5")
def test_drives_and_shares_are_roots_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "Path", PureWindowsPath)
    monkeypatch.setattr(places, "realpath", str)
    robin: Any = PureWindowsPath("C:\\Users\\robin")
    refused = [
        "C:\\",
        "D:/",
        "\\\\server\\share",
        "//server/share/",
        "C:memory",
        "\\memory",
        "C:\\Users",
    ]
    for text in refused:
        with pytest.raises(MemoryPathError):
            places._usable(text, "MEMLAB_MEMORY_DIR", robin, robin)
    for text in ("D:\\memory", "\\\\server\\share\\memory", "~/memory"):
        assert places._usable(text, "MEMLAB_MEMORY_DIR", robin, robin).name == "memory"


# Names of project directories


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/robin/tidebook", "-home-robin-tidebook"),
        (Path("/home/robin/tidebook/"), "-home-robin-tidebook"),
        ("/srv/tide.book_2/Ä 1", "-srv-tide.book_2-Ä 1"),
        ("/", "-"),
        ("C:\\Users\\robin\\tidebook", "C--Users-robin-tidebook"),
        ("C:/Users/robin/tidebook", "C--Users-robin-tidebook"),
        ("\\\\server\\share\\tidebook", "--server-share-tidebook"),
    ],
)
@needs_posix
def test_plain_paths_keep_the_name_claude_code_gives(path: Path | str, slug: str) -> None:
    assert slug_of(path) == slug


@pytest.mark.parametrize(
    ("path", "beginning"),
    [
        ("/home/robin/tide-book", "-home-robin-tide-book"),
        ("/home/robin/c++", "-home-robin-c--"),
        ("/home/robin/a:b*c?", "-home-robin-a-b-c-"),
        ("/home/robin/line\nbreak", "-home-robin-line-break"),
        ("/home/robin/back\\slash", "-home-robin-back-slash"),
        ("/home/robin/dot.", "-home-robin-dot-"),
        ("/home/robin/space ", "-home-robin-space-"),
        ("/home/robin/\udcff", "-home-robin--"),
        ("C:\\Users\\robin\\tide-book", "C--Users-robin-tide-book"),
    ],
)
def test_other_paths_keep_it_as_their_beginning(path: str, beginning: str) -> None:
    assert re.fullmatch(re.escape(beginning) + r"\+[0-9a-f]{12}", slug_of(path))


def test_the_hash_does_not_change_between_versions_or_machines() -> None:
    assert slug_of("/home/robin/tide-book") == "-home-robin-tide-book+7ccde16cbd44"


@pytest.mark.parametrize("letter", ["a", "ä", "🛶", "\udcff"])
def test_long_paths_stay_within_a_file_name(letter: str) -> None:
    long = ["/home/" + letter * 300 + end for end in ("", "x", "y")]
    slugs = {slug_of(path) for path in long}
    assert len(slugs) == 3
    assert all(len(slug.encode()) <= 200 for slug in slugs)
    assert slug_of("/" + "a" * 199) == "-" + "a" * 199
    assert "+" in slug_of("/" + "a" * 200)


def small_paths() -> list[str]:
    """Write every path of up to seven characters out of a, hyphen, plus, colon and slash."""
    made = (
        "/" + "".join(rest) for n in range(1, 7) for rest in itertools.product("a-+:/", repeat=n)
    )
    return [path for path in made if "//" not in path and not path.endswith("/")]


def test_no_two_paths_share_a_slug() -> None:
    every = small_paths()
    assert len({path.replace("/", "-") for path in every}) < len(every), "the set must collide"
    assert len({slug_of(path) for path in every}) == len(every)


def test_two_projects_with_one_product_name_have_two_memories(ask: Ask, home: Path) -> None:
    one, other = ask(checkout(home / "a-b" / "c")), ask(checkout(home / "a" / "b-c"))
    third = ask(checkout(home / "a" / "b" / "c"))
    assert len({one.memory_dir, other.memory_dir, third.memory_dir}) == 3
    assert third.project_dir.name == "-home-robin-a-b-c"


# What counts as a project


def test_a_folder_within_a_checkout_belongs_to_it(tidebook: Path) -> None:
    inner = tidebook / "sql" / "old"
    inner.mkdir(parents=True)
    assert find_project(inner) == Project(tidebook, tidebook)
    assert find_project(inner / "not-there-yet").root == tidebook
    assert find_project(tidebook / ".git" / "refs").root == tidebook


def test_without_git_the_folder_itself_is_the_project(ask: Ask, home: Path) -> None:
    notes = home / "notes"
    notes.mkdir()
    assert find_project(notes, ceiling=home) == Project(notes, notes)
    assert ask(notes).project_dir.name == "-home-robin-notes"


def test_the_walk_ends_at_the_home_handed_in(ask: Ask, home: Path) -> None:
    checkout(home.parent)
    (home / "tidebook").mkdir()
    assert find_project(home / "tidebook").root == home.parent
    assert ask(home / "tidebook").project.root == home / "tidebook"
    checkout(home)
    forget_paths()
    assert ask(home / "tidebook").project.root == home


@pytest.mark.behaviour("C3")
def test_three_small_files_make_a_worktree_share(ask: Ask, home: Path, tidebook: Path) -> None:
    fix = worktree(home / "fix", tidebook)
    assert find_project(fix / "sql") == Project(tidebook, fix)
    assert ask(fix) == MemoryPaths(**{**vars(ask(tidebook)), "project": ask(fix).project})


def test_relative_pointers_and_line_ends_of_windows_are_followed(
    home: Path, tidebook: Path
) -> None:
    fix = worktree(home / "fix", tidebook)
    (fix / ".git").write_bytes(b"gitdir: ../tidebook/.git/worktrees/fix\r\n")
    admin = tidebook / ".git" / "worktrees" / "fix"
    (admin / "gitdir").write_bytes(b"../../../../fix/.git")
    (admin / "commondir").write_bytes(b"../..\r\n")
    assert find_project(fix).root == tidebook


@pytest.mark.behaviour("C3")
def test_a_setting_of_the_user_or_of_the_repository_parts_worktrees(
    ask: Ask, home: Path, tidebook: Path
) -> None:
    fix = worktree(home / "fix", tidebook)
    write_settings(home / ".memlab" / "settings.json", separate_worktrees=True)
    assert ask(fix).project_dir.name == "-home-robin-fix"
    assert ask(tidebook).project_dir.name == SLUG
    write_settings(home / ".memlab" / "settings.json", separate_worktrees=False)
    forget_paths()
    assert ask(fix).project_dir.name == SLUG
    local = home / ".memlab" / "projects" / SLUG / "settings.json"
    write_settings(local, separate_worktrees=True)
    forget_paths()
    assert ask(fix).project_dir.name == "-home-robin-fix"
    local.unlink()
    write_settings(home / ".memlab" / "settings.json", separate_worktrees="no")
    forget_paths()
    assert ask(fix).project_dir.name == SLUG


def victims_worktree(home: Path) -> Path:
    return worktree(home / "victims-fix", home / "tidebook", "victim")


def lie_repository(evil: Path, home: Path) -> None:
    """Claim another checkout's own git directory."""
    (evil / ".git").write_text(f"gitdir: {home / 'tidebook' / '.git'}\n")


def lie_worktree(evil: Path, home: Path) -> None:
    """Claim to be a worktree that lies somewhere else."""
    admin = (victims_worktree(home) / ".git").read_text()
    (evil / ".git").write_text(admin)


def lie_invented(evil: Path, home: Path) -> None:
    """Bring an administration of its own that names another's common directory."""
    admin = evil / "own"
    admin.mkdir()
    (evil / ".git").write_text("gitdir: own\n")
    (admin / "commondir").write_text(str(home / "tidebook" / ".git"))
    (admin / "gitdir").write_text(str(evil / ".git"))


def lie_nested(evil: Path, home: Path) -> None:
    """The same, in a folder shaped as if it were among the worktrees."""
    admin = evil / "x.git" / "worktrees" / "w"
    admin.mkdir(parents=True)
    (evil / ".git").write_text(f"gitdir: {admin}\n")
    (admin / "commondir").write_text(str(home / "tidebook" / ".git"))
    (admin / "gitdir").write_text(str(evil / ".git"))


def lie_ssh(evil: Path, home: Path) -> None:
    """Point at a folder that has nothing to do with git."""
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text("private\n")
    (evil / ".git").write_text("gitdir: ../.ssh\n")


def lie_missing(evil: Path, home: Path) -> None:
    """Point at nothing."""
    (evil / ".git").write_text("gitdir: /gone/.git/worktrees/fix\n")


def lie_lines(evil: Path, home: Path) -> None:
    """Two lines."""
    lie_repository(evil, home)
    (evil / ".git").write_bytes((evil / ".git").read_bytes() * 2)


def lie_link_file(evil: Path, home: Path) -> None:
    """Be the very `.git` file of somebody's worktree, by a link."""
    (evil / ".git").symlink_to(victims_worktree(home) / ".git")


def lie_link_folder(evil: Path, home: Path) -> None:
    """Be the very git directory of somebody's checkout, by a link."""
    (evil / ".git").symlink_to(home / "tidebook" / ".git")


def lie_hard_link(evil: Path, home: Path) -> None:
    """Be the same file on disk as the `.git` of somebody's worktree."""
    os.link(victims_worktree(home) / ".git", evil / ".git")


def lie_pipe(evil: Path, home: Path) -> None:
    """Be a pipe, on which a reader waits for ever."""
    os.mkfifo(evil / ".git")


LIES = [lie_repository, lie_worktree, lie_invented, lie_nested, lie_ssh, lie_missing, lie_lines]
POSIX_LIES = [lie_link_file, lie_link_folder, lie_pipe]


@pytest.mark.behaviour("C2")
@pytest.mark.parametrize(
    "lie",
    [*LIES, lie_hard_link, *(pytest.param(lie, marks=needs_posix) for lie in POSIX_LIES)],
)
def test_a_git_file_that_lies_never_opens_anothers_memory(
    ask: Ask, home: Path, tidebook: Path, lie: Callable[[Path, Path], None]
) -> None:
    evil = home / "evil"
    evil.mkdir()
    lie(evil, home)
    found = ask(evil)
    assert found.project.top == evil
    assert found.project.root.is_relative_to(evil)
    assert found.memory_dir.parent.name.startswith("-home-robin-evil")
    assert ask(tidebook).project_dir.name == SLUG


@needs_links
def test_a_linked_project_root_is_the_project_it_leads_to(
    ask: Ask, home: Path, tidebook: Path
) -> None:
    (home / "short").symlink_to(tidebook)
    assert ask(home / "short") == ask(tidebook)
    (home / "fix").symlink_to(worktree(home / "deep" / "fix", tidebook))
    assert find_project(home / "fix").root == tidebook


@needs_links
def test_a_linked_home_is_the_same_home(tmp_path: Path, home: Path, tidebook: Path) -> None:
    alias = home.with_name("alias")
    alias.symlink_to(home)
    found = memory_paths(alias / "tidebook", environ={}, where=Where(alias, ROBIN))
    assert found.project_dir == alias / ".memlab" / "projects" / SLUG
    for text in (str(home), str(alias), "~/."):
        with pytest.raises(MemoryPathError, match="holds your home"):
            memory_paths(tidebook, environ={"MEMLAB_MEMORY_DIR": text}, where=Where(alias, ROBIN))


# One answer, remembered


@pytest.fixture
def touches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each look at the file system."""
    seen: list[str] = []
    for module, name in ((os, "stat"), (os, "lstat"), (os, "readlink"), (io, "open")):
        honest = getattr(module, name)

        def noted(*args: Any, _honest: Any = honest, _name: str = name, **options: Any) -> Any:
            seen.append(_name)
            return _honest(*args, **options)

        monkeypatch.setattr(module, name, noted)
    return seen


@pytest.mark.behaviour("C4")
def test_a_thousand_redraws_look_at_the_disk_once(
    ask: Ask, home: Path, tidebook: Path, touches: list[str]
) -> None:
    fix = worktree(home / "fix", tidebook)
    touches.clear()
    first = ask(fix)
    assert {"stat", "lstat", "open"} <= set(touches), "the counter must see what resolving does"
    touches.clear()
    assert all(ask(fix) is first for _ in range(1_000))
    assert touches == []
    forget_paths()
    assert ask(fix) == first
    assert touches


def test_the_memory_of_answers_hides_no_change_of_what_was_asked(
    ask: Ask,
    home: Path,
    tidebook: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    default = ask(tidebook).memory_dir
    assert ask(tidebook, MEMLAB_MEMORY_DIR="~/one").memory_dir == home / "one"
    assert ask(tidebook, MEMLAB_MEMORY_DIR="~/two").memory_dir == home / "two"
    assert ask(tidebook, MEMLAB_HOME="~/base").memory_dir.is_relative_to(home / "base")
    assert ask(tidebook).memory_dir == default
    elsewhere = memory_paths(
        tidebook, environ={}, where=Where(tmp_path / "second", ROBIN)
    ).memory_dir
    assert elsewhere.is_relative_to(tmp_path / "second")
    other = checkout(home / "other")
    for folder in (tidebook, other):
        monkeypatch.chdir(folder)
        assert ask(".").project.root == folder


def test_forgetting_shows_what_changed_on_disk(ask: Ask, home: Path, tidebook: Path) -> None:
    default = ask(tidebook).memory_dir
    write_settings(home / ".memlab" / "settings.json", auto_memory_directory="~/own")
    assert ask(tidebook).memory_dir == default
    forget_paths()
    assert ask(tidebook).memory_dir == home / "own"
