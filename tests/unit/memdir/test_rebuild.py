"""The index made again: from frontmatter alone, and from an index that has come apart."""

from __future__ import annotations

import os
from pathlib import Path

from memlab.memdir.index import parse_pointers, rebuild_index, reconcile_index

NOON = 1_774_785_600


def put(directory: Path, name: str, text: str = "", *, mtime: float = NOON) -> None:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    stem = Path(name).stem
    path.write_text(
        text or f"---\nname: About {stem}\ndescription: all of {stem}\ntype: user\n---\nBody.\n",
        encoding="utf-8",
    )
    os.utime(path, (mtime, mtime))


def test_an_index_from_frontmatter_alone_newest_first(tmp_path: Path) -> None:
    put(tmp_path, "old.md", mtime=NOON)
    put(tmp_path, "new.md", mtime=NOON + 9)
    put(tmp_path, "sub/mid.md", mtime=NOON + 5)
    put(tmp_path, "broken.md", "no frontmatter")
    put(tmp_path, "team/theirs.md")
    put(tmp_path, "MEMORY.md", "- [By hand](old.md) — a better hook\n")
    assert rebuild_index(tmp_path) == (
        "- [About new](new.md) — all of new\n"
        "- [About mid](sub/mid.md) — all of mid\n"
        "- [About old](old.md) — all of old\n"
    )


def test_nothing_to_point_to(tmp_path: Path) -> None:
    assert rebuild_index(tmp_path) == ""
    assert rebuild_index(tmp_path / "missing") == ""
    assert reconcile_index("# Notes\n", tmp_path).text == "# Notes\n"


def test_more_files_than_a_scan_lists_are_all_in_the_index(tmp_path: Path) -> None:
    for number in range(260):
        put(tmp_path, f"{number:03}.md", mtime=NOON + number)
    files = [pointer.file for pointer in parse_pointers(rebuild_index(tmp_path))]
    assert files == [f"{number:03}.md" for number in reversed(range(260))]


def test_a_name_or_description_of_many_lines_stays_one_pointer(tmp_path: Path) -> None:
    put(tmp_path, "a.md", '---\nname: "a [1]\\nb"\ndescription: "x\\ny"\n---\n')
    put(tmp_path, "b.md", "---\ntype: user\n---\n")
    found = [(one.file, one.title, one.hook) for one in parse_pointers(rebuild_index(tmp_path))]
    assert found == [("a.md", "a (1) b", "x y"), ("b.md", "b.md", "")]


BY_HAND = (
    "# Notes on tidebook\r\n"
    "\r\n"
    "- [Second](b.md): a hook by hand\r\n"
    "Some words in between.\r\n"
    "- [Gone](gone.md) — leads nowhere\r\n"
    "* [First](a.md) — another\r\n"
    "- [Gone too](sub/gone.md)\r\n"
)


def test_reconciling_drops_what_dangles_adds_what_is_missing_and_keeps_the_rest(
    tmp_path: Path,
) -> None:
    for place, name in enumerate(("a", "b", "older", "newer")):
        put(tmp_path, f"{name}.md", mtime=NOON + place)
    done = reconcile_index(BY_HAND, tmp_path)
    assert done.text == (
        "# Notes on tidebook\r\n"
        "\r\n"
        "- [About newer](newer.md) — all of newer\r\n"
        "- [About older](older.md) — all of older\r\n"
        "- [Second](b.md): a hook by hand\r\n"
        "Some words in between.\r\n"
        "* [First](a.md) — another\r\n"
    )
    assert (done.dropped, done.added) == (("gone.md", "sub/gone.md"), ("newer.md", "older.md"))
    again = reconcile_index(done.text, tmp_path)
    assert (again.text, again.dropped, again.added) == (done.text, (), ())


def test_a_file_that_is_there_but_broken_or_not_ours_keeps_its_pointer(tmp_path: Path) -> None:
    put(tmp_path, "broken.md", "---\nname: a: b\n---\n")
    put(tmp_path, "team/theirs.md")
    put(tmp_path, "logs/2026/03/2026-03-29.md", "what happened")
    text = (
        "- [Broken](broken.md) — a hook worth keeping\n"
        "- [Theirs](team/theirs.md) — a convention\n"
        "- [Yesterday](logs/2026/03/2026-03-29.md)\n"
        "- [Strange](" + "x" * 300 + ".md)\n"
    )
    done = reconcile_index(text, tmp_path)
    assert done.text == "".join(text.splitlines(keepends=True)[:3])
    assert done.dropped == ("x" * 300 + ".md",)


def test_an_index_that_has_its_files_is_not_touched(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    for text in ("- [A](a.md)", "\ufeff- [A](a.md)\r\n\r\n\r\n", "x\n- [A](a.md)\ny"):
        assert reconcile_index(text, tmp_path).text == text
