"""The index: pointers, its size in a prompt, and how it is rebuilt and reconciled."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memlab.memdir.index import (
    Pointer,
    index_for_prompt,
    parse_pointers,
    pointer_to,
    rebuild_index,
    reconcile_index,
    remove_pointer,
    set_pointer,
    settle_edit,
    tidy_index,
)
from memlab.settings import Settings

INDEX = """\
# What Robin told us

- [Tabs](tabs.md) — Robin indents with tabs
my own note about tabs
  * [Tides](tides.md): when to sail
[not a pointer](https://example.org/tides.md)
"""
TABS = Pointer("tabs.md", "Tabs", "Robin indents with tabs")


def test_pointers_are_found_among_peoples_lines() -> None:
    assert parse_pointers(INDEX) == [TABS, Pointer("tides.md", "Tides", "when to sail")]


@pytest.mark.parametrize(
    ("line", "pointer"),
    [
        ("- [A](a.md)", Pointer("a.md", "A", "")),
        ("- [A](a.md) - with a hyphen", Pointer("a.md", "A", "with a hyphen")),
        ("- [A](a.md) — --flag first", Pointer("a.md", "A", "--flag first")),
        ("+ [A](team/a.md) — x\r\n", Pointer("team/a.md", "A", "x")),
        ("\ufeff- [A](a.md) — x\n", Pointer("a.md", "A", "x")),
        ("- [A [old]](notes (old).md) — x\n", Pointer("notes (old).md", "A [old]", "x")),
    ],
)
def test_a_pointer_may_be_written_in_several_ways(line: str, pointer: Pointer) -> None:
    assert parse_pointers(line) == [pointer]


@pytest.mark.parametrize("line", ["- [A] (a.md)", "[A](a.md)", "- [A](a.txt)", "text - [A](a.md)"])
def test_other_lines_are_no_pointers(line: str) -> None:
    assert parse_pointers(line) == []


def test_a_new_pointer_stands_above_the_others_and_below_the_heading() -> None:
    new = set_pointer(INDEX, Pointer("kayaks.md", "Kayaks", "twelve"))
    above, below = INDEX.split("- [Tabs]")
    assert new == f"{above}- [Kayaks](kayaks.md) — twelve\n- [Tabs]{below}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "- [A](a.md) — x\n"),
        ("# Index", "# Index\n- [A](a.md) — x\n"),
        ("# Index\r\n\r\n", "# Index\r\n\r\n- [A](a.md) — x\r\n"),
        ("my own text\n", "- [A](a.md) — x\nmy own text\n"),
        ("\ufeff- [B](b.md)", "\ufeff- [A](a.md) — x\n- [B](b.md)"),
        ("- [B](b.md)\r\nlast", "- [A](a.md) — x\r\n- [B](b.md)\r\nlast"),
    ],
)
def test_a_new_pointer_keeps_line_ends_and_byte_order_mark(text: str, expected: str) -> None:
    assert set_pointer(text, Pointer("a.md", "A", "x")) == expected


def test_a_hook_follows_its_memory() -> None:
    new = set_pointer(INDEX, Pointer("tabs.md", "Tabs", "four wide"), was=TABS)
    assert new == INDEX.replace("Robin indents with tabs", "four wide")


def test_a_hook_that_a_person_has_written_wins() -> None:
    by_hand = INDEX.replace("Robin indents with tabs", "never spaces!")
    assert set_pointer(by_hand, Pointer("tabs.md", "Tabs", "four wide"), was=TABS) == by_hand
    renamed = set_pointer(by_hand, Pointer("tabs.md", "Indentation", "four wide"), was=TABS)
    assert renamed == by_hand.replace("[Tabs]", "[Indentation]")


def test_a_changed_hook_leaves_bullet_dash_and_line_end_alone() -> None:
    text = "* [A](a.md): old\r\n"
    assert set_pointer(text, Pointer("a.md", "A", "new"), was=Pointer("a.md", "A", "old")) == (
        "* [A](a.md): new\r\n"
    )


def test_a_hook_that_goes_takes_its_dash_along() -> None:
    text = "- [A](a.md) — old\n"
    new = set_pointer(text, Pointer("a.md", "A", ""), was=Pointer("a.md", "A", "old"))
    assert new == "- [A](a.md)\n"


def test_a_removed_pointer_takes_only_its_own_lines() -> None:
    twice = INDEX + "- [Tabs again](tabs.md)"
    assert remove_pointer(twice, "tabs.md") == INDEX.replace(
        "- [Tabs](tabs.md) — Robin indents with tabs\n", ""
    )
    assert remove_pointer(INDEX, "abs.md") == INDEX


def test_a_pointer_put_in_and_taken_out_leaves_every_byte() -> None:
    for text in (INDEX, INDEX.replace("\n", "\r\n"), "a\x0bb\u2028c\n- [B](b.md) — \udcff\n", "x"):
        there = set_pointer(text, Pointer("a.md", "A", "x"))
        assert there != text
        assert remove_pointer(there, "a.md").rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.behaviour("B1")
def test_odd_names_and_descriptions_still_make_one_line_that_reads_back() -> None:
    odd = pointer_to("a.md", "a](b) [c]\nd", "one\r\ntwo\u2028three")
    assert parse_pointers(set_pointer("", odd)) == [odd]
    assert set_pointer("", odd).count("\n") == 1
    assert pointer_to("a.md", " ", "").title == "a.md"


def test_an_edit_may_change_hooks_order_and_own_lines() -> None:
    new = "- [Tides](tides.md) — neap and spring\nother words\n- [Tabs](tabs.md) — wide\n"
    assert settle_edit(INDEX, new, {"tabs.md", "tides.md"}) == (new, [])


@pytest.mark.behaviour("B1")
def test_an_edit_cannot_change_what_the_index_points_to() -> None:
    new = "- [Tides](tides.md)\n- [Tides](tides.md) — twice\n- [Gone](gone.md)\nown\n"
    text, said = settle_edit(INDEX, new, {"tabs.md", "tides.md"})
    assert text == "- [Tabs](tabs.md) — Robin indents with tabs\n- [Tides](tides.md)\nown\n"
    assert [file for file, _ in said] == ["tides.md", "gone.md", "tabs.md"]


def test_a_hostile_line_costs_no_more_than_its_length() -> None:
    hostile = [
        "- [" + "](" * 50_000,
        "- [a](" + "b.md" * 50_000,
        "- [a](b.md)" + " " * 100_000 + "x",
    ]
    assert [len(parse_pointers(line)) for line in hostile] == [0, 0, 1]


@pytest.mark.parametrize(
    ("hook", "after"),
    [
        ("The season opens on the 28th, and the hut…", "It opens on the 4th."),
        ("The season opens on the 28th", "It opens on the 4th."),
        ("Ask Maren about the opening", "Ask Maren about the opening"),
    ],
)
def test_a_hook_cut_from_an_old_description_goes_with_it(hook: str, after: str) -> None:
    was = Pointer("a.md", "Opening", "The season opens on the 28th, and the hut before that.")
    now = Pointer("a.md", "Opening", "It opens on the 4th.")
    text = f"- [Opening](a.md) — {hook}\n"
    assert set_pointer(text, now, was=was) == f"- [Opening](a.md) — {after}\n"
    assert set_pointer(text, was, was=was) == text


def lines_of(count: int, size: int, end: str = "\n") -> list[str]:
    """Make so many pointers, each of so many bytes with its line end."""
    made = []
    for number in range(count):
        start = f"- [m](m-{number:04}.md) — "
        made.append(start + "x" * (size - len((start + end).encode())) + end)
    return made


def test_a_short_index_is_shown_as_it_is() -> None:
    text = "# Memory\n\n- [A](a.md) — about a\n"
    shown = index_for_prompt(text)
    assert (shown.text, shown.prompt) == (text, text)
    assert (shown.lines, shown.bytes, shown.fired) == (3, len(text.encode()), "")
    assert (shown.fallen, shown.warning) == ((), "")
    assert index_for_prompt("").prompt == ""


@pytest.mark.behaviour("B2")
def test_two_hundred_and_thirty_short_lines() -> None:
    made = lines_of(230, 60)
    shown = index_for_prompt("".join(made))
    assert shown.text == "".join(made[:200])
    assert (shown.lines, shown.bytes, shown.fired) == (230, 230 * 60, "lines")
    assert shown.fallen == tuple(f"m-{number:04}.md" for number in range(200, 230))
    assert shown.warning == (
        "> Warning: this index is cut at the limit of 200 lines. It has 230 lines and 13,800 bytes."
        f" Not shown: {', '.join(shown.fallen[:20])} and 10 more."
        " Keep each pointer on one short line, and put detail into its file."
    )
    assert shown.prompt == f"{shown.text.rstrip()}\n\n{shown.warning}"


@pytest.mark.behaviour("B2")
def test_long_lines_meet_the_byte_cap_first() -> None:
    made = lines_of(150, 200)
    shown = index_for_prompt("".join(made))
    assert shown.text == "".join(made[:125])
    assert (shown.lines, shown.bytes, shown.fired) == (150, 30_000, "bytes")
    assert len(shown.fallen) == 25
    assert "cut at the limit of 25,000 bytes. It has 150 lines and 30,000 bytes." in shown.warning


def test_many_long_lines_fire_both() -> None:
    made = lines_of(230, 150)
    shown = index_for_prompt("".join(made))
    assert shown.text == "".join(made[:166])
    assert shown.fired == "both"
    assert len(shown.fallen) == 64
    assert "cut at both limits, 200 lines and 25,000 bytes. It has 230 lines" in shown.warning


@pytest.mark.parametrize(
    ("count", "size", "fired", "kept"),
    [
        (200, 125, "", 200),
        (201, 125, "lines", 200),
        (200, 126, "bytes", 198),
        (201, 126, "both", 198),
        (201, 124, "lines", 200),
    ],
)
def test_at_a_hundred_and_twenty_five_bytes_a_line_the_caps_meet(
    count: int, size: int, fired: str, kept: int
) -> None:
    shown = index_for_prompt("".join(lines_of(count, size)))
    assert (shown.fired, shown.text.count("\n")) == (fired, kept)


@pytest.mark.behaviour("B3")
def test_a_new_pointer_goes_on_top_so_the_oldest_falls_off() -> None:
    text = "".join(lines_of(200, 60))
    shown = index_for_prompt(set_pointer(text, pointer_to("new.md", "New", "just learned")))
    assert parse_pointers(shown.text)[0].file == "new.md"
    assert shown.fallen == ("m-0199.md",)


def test_the_caps_are_settings() -> None:
    made = lines_of(6, 30)

    def kept(**caps: int) -> int:
        text = index_for_prompt("".join(made), Settings().with_changes(**caps)).text
        assert "".join(made).startswith(text)
        return text.count("\n")

    assert kept(index_max_lines=4, index_max_bytes=119) == 3
    assert kept(index_max_lines=4, index_max_bytes=120) == 4
    assert kept(index_max_lines=2) == 2
    assert kept(index_max_lines=0) == 0
    assert kept(index_max_bytes=0) == 0


def test_windows_line_ends_are_neither_halved_nor_changed() -> None:
    made = lines_of(6, 30, end="\r\n")
    for cap in range(31, 180):
        shown = index_for_prompt("".join(made), Settings(index_max_bytes=cap))
        assert shown.text == "".join(made[: cap // 30])
    assert index_for_prompt("".join(made), Settings(index_max_lines=5)).lines == 6


def test_a_last_line_without_an_end_counts_as_a_line() -> None:
    text = "".join(lines_of(200, 60)).rstrip("\n")
    assert (index_for_prompt(text).lines, index_for_prompt(text).fired) == (200, "")
    shown = index_for_prompt(text + "\n- [Last](last.md)")
    assert (shown.lines, shown.fired, shown.fallen) == (201, "lines", ("last.md",))


@pytest.mark.behaviour("B2")
@pytest.mark.parametrize("letter", ["x", "é", "潮", "🛶"])
def test_one_giant_line_is_cut_between_two_characters(letter: str) -> None:
    start = "- [Board](board.md) — "
    shown = index_for_prompt(start + letter * 30_000)
    assert shown.text == start + letter * ((25_000 - len(start.encode())) // len(letter.encode()))
    assert 25_000 - 4 < len(shown.text.encode()) <= 25_000
    assert (shown.fired, shown.lines) == ("bytes", 1)
    assert shown.fallen == ()  # its pointer is in what is shown


def test_a_giant_line_further_down_goes_as_a_whole() -> None:
    shown = index_for_prompt("- [A](a.md)\n- [B](b.md) — " + "x" * 30_000 + "\n- [C](c.md)\n")
    assert shown.text == "- [A](a.md)\n"
    assert shown.fallen == ("b.md", "c.md")


def test_a_file_that_is_shown_has_not_fallen_off_and_none_falls_off_twice() -> None:
    made = [*lines_of(3, 25), "- [a](m-0000.md)\n", "- [b](b.md)\n", "- [b again](b.md)\n"]
    assert index_for_prompt("".join(made), Settings(index_max_lines=3)).fallen == ("b.md",)


@pytest.mark.behaviour("B2")
def test_the_warning_does_not_count_towards_the_caps() -> None:
    shown = index_for_prompt("".join(lines_of(230, 125)))
    assert len(shown.text.encode()) == 25_000
    assert len(shown.prompt.encode()) > 25_000
    assert re.fullmatch(r"(?s)(- \[m\][^\n]+\n){200}\n> Warning: [^\n]+", shown.prompt)


HEADER = "---\ntitle: ours\ntags:\n  - a\n---\n"
COMMENT = "<!-- written by hand\n- [Old](old.md) — not yet\n-->\n"


@pytest.mark.behaviour("B2")
@pytest.mark.parametrize(
    ("hidden", "kept"),
    [
        (HEADER, ""),
        ("\ufeff" + HEADER, ""),
        (HEADER.replace("\n", "\r\n"), ""),
        (COMMENT, ""),
        ("  <!-- one line -->\n", ""),
        ("Note <!-- why --> that.\n", "Note  that.\n"),
        ("<!-- a --><!-- b\n--> after\n", " after\n"),
    ],
)
def test_frontmatter_and_comments_are_not_shown_and_do_not_count(hidden: str, kept: str) -> None:
    lines = 200 - len(kept.splitlines())
    whole = kept + "".join(lines_of(lines, 125 - len(kept)))
    shown = index_for_prompt(whole.replace(kept, hidden, 1) if kept else hidden + whole)
    assert (shown.text, shown.fired) == (whole, "")
    assert (shown.lines, shown.bytes) == (200, len(whole.encode()))
    assert parse_pointers(hidden) == []


@pytest.mark.parametrize(
    "text",
    [
        "<!-- never closed\n- [A](a.md) — a\n",
        "- [A](a.md) — an arrow <!-- and\n- [B](b.md) — its end -->\n",
        "---\n- [A](a.md) — between two rules\n---\n",
        "# Memory\n---\nname: x\n---\n- [A](a.md)\n",
    ],
)
def test_what_only_looks_like_a_comment_or_frontmatter_is_shown(text: str) -> None:
    assert index_for_prompt(text).text == text
    assert parse_pointers(text)[0].file == "a.md"


@pytest.mark.parametrize("above", [HEADER, COMMENT, HEADER + COMMENT, "# Memory\n" + COMMENT])
@pytest.mark.parametrize("below", ["", "- [B](b.md) — b\n", "A line.\n"])
def test_a_new_pointer_is_never_put_where_nobody_sees_it(above: str, below: str) -> None:
    text = set_pointer(above + below, pointer_to("old.md", "Old", "now it counts"))
    assert parse_pointers(text)[0] == Pointer("old.md", "Old", "now it counts")
    assert text.startswith(above[: above.find("-->")])
    kept, said = settle_edit(text, above + below, {"old.md", "b.md"})
    assert [one.file for one in parse_pointers(kept)][:1] == ["old.md"], "a model hid the line"
    assert [file for file, _ in said] == ["old.md"]


def test_many_openings_of_comments_take_no_longer() -> None:
    text = "<!-- <!--\n" * 100_000 + "-->" + "x<!--" * 100_000
    assert index_for_prompt(text).bytes < len(text)


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


@pytest.mark.behaviour("B3")
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


@pytest.mark.behaviour("B3")
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


def test_an_index_that_hands_keep_over_its_limit_is_reported_and_left_alone() -> None:
    limit = Settings(index_max_lines=3)
    text = "".join(f"- [Boat {n}](boat-{n}.md) — my own words\n" for n in range(5))
    done = tidy_index(text, {}, exists=lambda file: file != "boat-4.md", settings=limit)
    assert (done.dropped, done.still_over) == (("boat-4.md",), (4, len(done.text.encode())))
    assert "still over its limit, with 4 lines" in done.report[-1]
    assert tidy_index(text, {}, exists=lambda file: False, settings=limit).still_over is None
