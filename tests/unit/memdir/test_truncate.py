"""What of the index is shown: both caps, which one fires, what falls off, what the warning says."""

from __future__ import annotations

import re

import pytest

from memlab.memdir.index import parse_pointers, pointer_to, set_pointer, truncate_index
from memlab.settings import Settings


def lines_of(count: int, size: int, end: str = "\n") -> list[str]:
    """Make so many pointers, each of so many bytes with its line end."""
    made = []
    for number in range(count):
        start = f"- [m](m-{number:04}.md) — "
        made.append(start + "x" * (size - len((start + end).encode())) + end)
    return made


def test_a_short_index_is_shown_as_it_is() -> None:
    text = "# Memory\n\n- [A](a.md) — about a\n"
    shown = truncate_index(text)
    assert (shown.text, shown.prompt) == (text, text)
    assert (shown.lines, shown.bytes, shown.fired) == (3, len(text.encode()), "")
    assert (shown.fallen, shown.warning) == ((), "")
    assert truncate_index("").prompt == ""


def test_two_hundred_and_thirty_short_lines() -> None:
    made = lines_of(230, 60)
    shown = truncate_index("".join(made))
    assert shown.text == "".join(made[:200])
    assert (shown.lines, shown.bytes, shown.fired) == (230, 230 * 60, "lines")
    assert shown.fallen == tuple(f"m-{number:04}.md" for number in range(200, 230))
    assert shown.warning == (
        "> Warning: this index is cut at the limit of 200 lines. It has 230 lines and 13,800 bytes."
        f" Not shown: {', '.join(shown.fallen[:20])} and 10 more."
        " Keep each pointer on one short line, and put detail into its file."
    )
    assert shown.prompt == f"{shown.text.rstrip()}\n\n{shown.warning}"


def test_long_lines_meet_the_byte_cap_first() -> None:
    made = lines_of(150, 200)
    shown = truncate_index("".join(made))
    assert shown.text == "".join(made[:125])
    assert (shown.lines, shown.bytes, shown.fired) == (150, 30_000, "bytes")
    assert len(shown.fallen) == 25
    assert "cut at the limit of 25,000 bytes. It has 150 lines and 30,000 bytes." in shown.warning


def test_many_long_lines_fire_both() -> None:
    made = lines_of(230, 150)
    shown = truncate_index("".join(made))
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
    shown = truncate_index("".join(lines_of(count, size)))
    assert (shown.fired, shown.text.count("\n")) == (fired, kept)


def test_a_new_pointer_goes_on_top_so_the_oldest_falls_off() -> None:
    text = "".join(lines_of(200, 60))
    shown = truncate_index(set_pointer(text, pointer_to("new.md", "New", "just learned")))
    assert parse_pointers(shown.text)[0].file == "new.md"
    assert shown.fallen == ("m-0199.md",)


def test_the_caps_are_settings() -> None:
    made = lines_of(6, 30)

    def kept(**caps: int) -> int:
        text = truncate_index("".join(made), Settings().with_changes(**caps)).text
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
        shown = truncate_index("".join(made), Settings(index_max_bytes=cap))
        assert shown.text == "".join(made[: cap // 30])
    assert truncate_index("".join(made), Settings(index_max_lines=5)).lines == 6


def test_a_last_line_without_an_end_counts_as_a_line() -> None:
    text = "".join(lines_of(200, 60)).rstrip("\n")
    assert (truncate_index(text).lines, truncate_index(text).fired) == (200, "")
    shown = truncate_index(text + "\n- [Last](last.md)")
    assert (shown.lines, shown.fired, shown.fallen) == (201, "lines", ("last.md",))


@pytest.mark.parametrize("letter", ["x", "é", "潮", "🛶"])
def test_one_giant_line_is_cut_between_two_characters(letter: str) -> None:
    start = "- [Board](board.md) — "
    shown = truncate_index(start + letter * 30_000)
    assert shown.text == start + letter * ((25_000 - len(start.encode())) // len(letter.encode()))
    assert 25_000 - 4 < len(shown.text.encode()) <= 25_000
    assert (shown.fired, shown.lines) == ("bytes", 1)
    assert shown.fallen == ()  # its pointer is in what is shown


def test_a_giant_line_further_down_goes_as_a_whole() -> None:
    shown = truncate_index("- [A](a.md)\n- [B](b.md) — " + "x" * 30_000 + "\n- [C](c.md)\n")
    assert shown.text == "- [A](a.md)\n"
    assert shown.fallen == ("b.md", "c.md")


def test_a_file_that_is_shown_has_not_fallen_off_and_none_falls_off_twice() -> None:
    made = [*lines_of(3, 25), "- [a](m-0000.md)\n", "- [b](b.md)\n", "- [b again](b.md)\n"]
    assert truncate_index("".join(made), Settings(index_max_lines=3)).fallen == ("b.md",)


def test_the_warning_does_not_count_towards_the_caps() -> None:
    shown = truncate_index("".join(lines_of(230, 125)))
    assert len(shown.text.encode()) == 25_000
    assert len(shown.prompt.encode()) > 25_000
    assert re.fullmatch(r"(?s)(- \[m\][^\n]+\n){200}\n> Warning: [^\n]+", shown.prompt)
