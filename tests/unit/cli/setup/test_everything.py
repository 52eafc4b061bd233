"""Between two groups, everything is moved into one folder; it comes back, even after a kill."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli import everything
from memlab.cli.setup.clone import Clone
from tests.unit.cli.setup.scratch import Said, Scratch, write_notebook

Run = Callable[..., Said]
NAME = "03_scan.ipynb"
FILES = {
    "my/memory.py": "def parts(): ...",
    "my/minutes.json": "{}",
    "my/.home/03/.memlab/projects/x/memory/a.md": "tabs",
    "chat/projects/-home-robin-tidebook/memory/b.md": "quotes",
}


@pytest.fixture
def root(scratch: Scratch, command: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone that a group has worked in; ``chat`` has the memories of their conversations."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(scratch.root / "runtime"))
    command("lab", "--prepare", "--here")
    for name, text in FILES.items():
        path = scratch.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    write_notebook(scratch.root / "my" / NAME, "an answer")
    return scratch.root


def reset(command: Run, *args: str, typed: str = "") -> Said:
    return command("reset", *args, typed=typed)


def kept(root: Path) -> list[Path]:
    return sorted((root / "my-kept").glob("*"))


def has_all(root: Path) -> bool:
    there = all((root / name).is_file() for name in FILES)
    return there and "an answer" in (root / "my" / NAME).read_text("utf-8")


def test_everything_is_listed_moved_and_restored(root: Path, command: Run) -> None:
    chat = str(root / "chat")
    said = reset(command, "--everything", "--memories", chat, typed="n\n")
    assert said.status == 1
    assert "my/: 2 notebooks, memory.py, minutes.json, .home" in said.out
    assert "the memories of 1 projects (-home-robin-tidebook)" in said.out
    assert has_all(root)
    assert kept(root) == []

    said = reset(command, "--everything", "--memories", chat, "--yes")
    (folder,) = kept(root)
    assert f'reset --restore "{folder}"' in said.out
    assert not Path(chat).exists()
    assert not (root / "my/memory.py").exists()
    assert "an answer" not in (root / "my" / NAME).read_text("utf-8")

    write_notebook(root / "my" / NAME, "the second group")
    said = reset(command, "--restore", str(folder))
    assert has_all(root)
    (second,) = kept(root)
    assert "the second group" in (second / "my" / NAME).read_text("utf-8")
    assert str(second) in said.out


def test_without_a_name_no_memory_of_the_chat_is_touched(
    root: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_HOME", str(root / "chat"))
    said = reset(command, "--everything", "--yes")
    assert "chat" not in said.out
    assert (root / "chat/projects/-home-robin-tidebook/memory/b.md").is_file()


class Killed(BaseException):
    """The process ends here."""


def test_whenever_it_is_killed_restore_finds_everything(
    root: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename
    for survives in range(2):
        moves = iter(range(9))

        def dies(old: Path, new: Path, moves: object = moves, survives: int = survives) -> None:
            if next(moves) == survives:  # type: ignore[call-overload]
                raise Killed
            rename(old, new)

        monkeypatch.setattr(os, "rename", dies)
        with pytest.raises(Killed):
            everything.move_everything(Clone(root), root / "chat")
        monkeypatch.setattr(os, "rename", rename)
        (folder,) = kept(root)
        assert reset(command, "--restore", str(folder)).status == 0
        assert has_all(root)
        assert kept(root) == []


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["03", "--everything"], "choose one"),
        (["--memories", "."], "choose one"),
        (["--everything", "--memories", "."], "is not a directory of the chat's memories"),
        (["--everything", "--memories", "gone"], "gone is not a directory"),
        (["--everything"], "nobody to ask here; add --yes"),
        (["--restore", "my"], "it has no readable moved.json"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    root: Path, command: Run, args: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    said = reset(command, *args)
    assert said.status != 0
    assert expected in said.out + said.err
    assert has_all(root)


def test_nothing_is_moved_away_from_a_running_jupyterlab(root: Path, command: Run) -> None:
    server = {"pid": os.getpid(), "root_dir": str(root / "my")}
    (root / "runtime").mkdir()
    (root / "runtime/jpserver-1.json").write_text(json.dumps(server), "utf-8")
    if os.name != "nt":
        assert "JupyterLab is running on my/" in reset(command, "--everything", "--yes").err
        assert has_all(root)
