from __future__ import annotations

import os
from pathlib import Path

import pytest

from memlab.course import CountedFiles
from memlab.settings import Settings

LIMIT = Settings()
HEADER = "---\nname: Tabs\n---\n"


def test_it_counts_times_that_are_asked_for_and_files_that_are_opened(tmp_path: Path) -> None:
    text = HEADER + "One more line.\n" * 100
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "long.md").write_text(text, "utf-8")
    (tmp_path / "MEMORY.md").write_text("- [Tabs](tabs.md)\n", "utf-8")
    os.utime(tmp_path / "team" / "long.md", (41, 41))
    files = CountedFiles(tmp_path)
    assert files.names() == ["team/long.md"]
    assert (files.stats, files.opened, files.bytes_read) == (0, 0, 0)

    assert files.mtime("team/long.md") == 41
    head = files.head("team/long.md")
    assert text.startswith(head)
    assert head.count("\n") == LIMIT.scan_header_lines
    assert (files.stats, files.opened, files.bytes_read) == (1, 1, len(head))

    assert files.whole("team/long.md") == text
    assert (files.opened, files.bytes_read) == (2, len(head) + len(text))


def test_lines_without_an_end_are_not_read_to_their_end(tmp_path: Path) -> None:
    text = HEADER + "é" * LIMIT.scan_header_bytes
    (tmp_path / "long.md").write_text(text, "utf-8")
    assert CountedFiles(tmp_path).head("long.md") == HEADER


def test_a_broken_file_raises_and_counts_and_a_link_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "photo.md").write_bytes(b"\x89PNG")
    (tmp_path / "key.txt").write_text("secret", "utf-8")
    (tmp_path / "link.md").symlink_to(tmp_path / "key.txt")
    files = CountedFiles(tmp_path)
    assert files.names() == ["photo.md"]
    with pytest.raises(UnicodeDecodeError):
        files.head("photo.md")
    assert files.opened == 1
    for read in (files.head, files.whole):
        with pytest.raises(OSError, match="link"):
            read("link.md")
