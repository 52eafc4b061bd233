"""The file calls: what each leaves alone. Their order is the crash matrix's matter."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memlab.memdir.files import Found, RealFiles
from tests.platforms import needs_links, needs_posix


@pytest.fixture
def files() -> RealFiles:
    return RealFiles()


def test_a_read_gives_bytes_and_stamps_and_nothing_for_no_file(
    files: RealFiles, tmp_path: Path
) -> None:
    path = tmp_path / "a.md"
    assert files.read(path) == Found(None, 0, None)
    files.write(path, b"\r\n\0", 0o640)
    files.set_mtime(path, 1_234_567_890_123_456_700)
    found = files.read(path)
    assert (found.data, found.mtime) == (b"\r\n\0", 1_234_567_890_123_456_700)
    if os.name != "nt":
        assert found.mode == 0o640


@needs_links
def test_no_call_reads_or_writes_through_a_symlink(files: RealFiles, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"theirs")
    link.symlink_to(target)
    with pytest.raises(OSError, match="not a plain file"):
        files.read(link)
    with pytest.raises(OSError, match="not a plain file"):
        files.append(link, b"ours")
    files.write(link, b"ours")
    assert not link.is_symlink()
    assert (target.read_bytes(), link.read_bytes()) == (b"theirs", b"ours")


@needs_links
def test_a_walk_leaves_out_symlinks_and_hidden_folders(files: RealFiles, tmp_path: Path) -> None:
    for name in ("b.md", "a/c.md", ".hidden/d.md", "a/.e.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "link.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert list(files.walk(tmp_path)) == ["a/.e.md", "a/c.md", "b.md"]
    assert list(files.walk(tmp_path / "none")) == []


@needs_links
def test_a_directory_is_made_once_and_never_taken_for_what_it_is_not(
    files: RealFiles, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    assert files.make_directory(made, 0o700) is True
    assert files.make_directory(made, 0o700) is False
    (tmp_path / "link").symlink_to(made)
    (tmp_path / "file").write_bytes(b"")
    for name in ("link", "file"):
        with pytest.raises(NotADirectoryError):
            files.make_directory(tmp_path / name, 0o700)


@needs_posix
@pytest.mark.parametrize(("error", "passes"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_a_directory_need_not_sync_where_the_system_cannot(
    files: RealFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: int,
    passes: bool,
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", fail)
    if passes:
        files.sync_directory(tmp_path)
    else:
        with pytest.raises(OSError, match=os.strerror(error)):
            files.sync_directory(tmp_path)


def test_dots_do_not_lead_out_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "theirs").write_bytes(b"theirs")
    files = RealFiles(tmp_path / "root")
    with pytest.raises(OSError, match="leads out of the directory"):
        files.read(tmp_path / "root" / ".." / "theirs")
