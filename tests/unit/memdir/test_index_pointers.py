"""Pointers of the index: one line changes, and people's lines stay byte for byte."""

from __future__ import annotations

import pytest

from memlab.memdir.index import (
    Pointer,
    parse_pointers,
    pointer_to,
    remove_pointer,
    set_pointer,
    settle_edit,
)

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


def test_odd_names_and_descriptions_still_make_one_line_that_reads_back() -> None:
    odd = pointer_to("a.md", "a](b) [c]\nd", "one\r\ntwo\u2028three")
    assert parse_pointers(set_pointer("", odd)) == [odd]
    assert set_pointer("", odd).count("\n") == 1
    assert pointer_to("a.md", " ", "").title == "a.md"


def test_an_edit_may_change_hooks_order_and_own_lines() -> None:
    new = "- [Tides](tides.md) — neap and spring\nother words\n- [Tabs](tabs.md) — wide\n"
    assert settle_edit(INDEX, new, {"tabs.md", "tides.md"}) == (new, [])


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
