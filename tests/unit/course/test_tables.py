from __future__ import annotations

import pytest

from memlab.course import table


def test_the_plain_form_lines_up_and_numbers_stand_right() -> None:
    shown = table([("a", 1, True), ("long", 1234, False)], ("name", "tokens", "there"))
    assert repr(shown) == (
        "name  tokens  there\n----  ------  -----\na          1  yes\nlong   1,234  no"
    )


def test_the_markdown_form_says_the_same() -> None:
    shown = table([("a", 1, True), ("long", 1234, None)], ("name", "tokens", "there"))
    assert shown._repr_markdown_() == (
        "| name | tokens | there |\n| :--- | ---: | :--- |\n| a | 1 | yes |\n| long | 1,234 |  |"
    )


@pytest.mark.parametrize("cell", ["12", "−3.5", "7 / 12", "98.1 %", "1,024", ""])
def test_what_counts_as_a_number(cell: str) -> None:
    assert table([(cell,), ("1",)], ("n",)).markdown.splitlines()[1] == "| ---: |"


@pytest.mark.parametrize("cell", ["2026-03-30", "v1", "1 of them", "a"])
def test_what_does_not(cell: str) -> None:
    assert table([(cell,), ("1",)], ("n",)).markdown.splitlines()[1] == "| :--- |"


def test_pipes_and_line_ends_do_not_break_a_row() -> None:
    shown = table([("a|b\nc \\",)], ("x|y",))
    assert shown.markdown.splitlines() == ["| x\\|y |", "| :--- |", "| a\\|b c \\\\ |"]
    assert "a|b c" in repr(shown)


def test_an_empty_table_has_its_headers() -> None:
    assert repr(table([], ("a", "b"))) == "a  b\n-  -"


def test_a_row_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="row 2 has 1 cells"):
        table([(1, 2), (1,)], ("a", "b"))
