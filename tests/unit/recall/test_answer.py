"""The side-query's answer: read with care, checked name by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memlab.recall.selection import Selection, UnusableError, choose, named_in
from memlab.settings import Settings
from tests.unit.recall.helpers import header, names


def reply(text: str, stop: str = "end_turn") -> Any:
    block = SimpleNamespace(type="text", text=text)
    return SimpleNamespace(stop_reason=stop, content=[block])


@pytest.mark.parametrize(
    "text",
    [
        '{"selected_memories": ["a.md", "b.md"]}',
        '```json\n{"selected_memories": ["a.md", " b.md "]}\n```',
        'Here they are: {"selected_memories": ["a.md", "b.md"], "why": "{}"} I hope this helps.',
    ],
)
def test_names_are_read_even_with_text_around(text: str) -> None:
    assert named_in(reply(text)) == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.md and b.md",
        '["a.md"]',
        '{"selected_memories": "a.md"}',
        '{"selected_memories": null}',
        '{"memories": ["a.md"]}',
        '{"selected_memories": ["a.md"',
        "{}",
    ],
)
def test_what_is_no_choice_is_unparsable(text: str) -> None:
    with pytest.raises(UnusableError, match="unparsable"):
        named_in(reply(text))


@pytest.mark.parametrize(("stop", "told"), [("refusal", "refusal"), ("max_tokens", "truncated")])
def test_a_stopped_answer_is_not_read(stop: str, told: str) -> None:
    with pytest.raises(UnusableError, match=told):
        named_in(reply('{"selected_memories": ["a.md"]}', stop))


@pytest.mark.parametrize("odd", ["<html>busy</html>", None, SimpleNamespace(content=None)])
def test_what_is_no_message_is_unparsable(odd: Any) -> None:
    with pytest.raises(UnusableError, match="unparsable"):
        named_in(odd)


def test_other_blocks_are_passed_over() -> None:
    message = reply('{"selected_memories": ["a.md"]}')
    message.content.insert(0, SimpleNamespace(type="thinking", thinking="{"))
    assert named_in(message) == ["a.md"]


def test_an_empty_list_is_a_good_answer() -> None:
    assert named_in(reply('{"selected_memories": []}')) == []


KNOWN = [header("a.md"), header("team/b.md"), header("c.md")]


def sorted_out(*given: str, limit: int = 5) -> tuple[list[str], list[str], list[str]]:
    found = choose(given, KNOWN, Settings().with_changes(select_max_memories=limit))
    capped, invented = found.names_left_out("cap"), found.names_left_out("not in the manifest")
    assert len(found.left_out) == len(capped) + len(invented)
    return names(found.chosen), list(capped), list(invented)


def test_known_names_are_chosen_in_their_order_and_once() -> None:
    assert sorted_out("c.md", "a.md", "c.md") == (["c.md", "a.md"], [], [])
    assert sorted_out("team/b.md") == (["team/b.md"], [], [])


@pytest.mark.parametrize("name", ["b.md", "A.md", "./a.md", "a", "../a.md", "/etc/passwd", ""])
def test_any_other_name_is_invented(name: str) -> None:
    assert sorted_out("a.md", name) == (["a.md"], [], [name])


def test_names_beyond_the_limit_are_told_apart_from_invented_ones() -> None:
    assert sorted_out("x.md", "c.md", "a.md", "team/b.md", limit=2) == (
        ["c.md", "a.md"],
        ["team/b.md"],
        ["x.md"],
    )


def test_every_limit_gives_its_reason_and_a_later_memory_may_still_fit() -> None:
    """One call meets all of them: seen before, cap, unreadable, budget, not in the manifest."""
    many = [header(f"{name}.md") for name in ("seen", "gone", "huge", "a", "b", "c")]

    def size_of(memory: Any) -> int:
        assert memory.filename != "seen.md", "its size is not needed"
        if memory.filename == "gone.md":
            raise FileNotFoundError("it is gone")
        return 901 if memory.filename == "huge.md" else 450

    found = choose(
        ["seen.md", "x.md", "gone.md", "huge.md", "a.md", "a.md", "b.md", "c.md"],
        many,
        Settings().with_changes(select_max_memories=2, surface_session_bytes=1_000),
        surfaced={"seen.md": 100},
        size_of=size_of,
    )
    assert names(found.chosen) == ["a.md", "b.md"]
    assert [(each.filename, each.reason, each.detail) for each in found.left_out] == [
        ("seen.md", "surfaced", ""),
        ("gone.md", "unreadable", "it is gone"),
        ("huge.md", "budget", "901 bytes, and 900 are left"),
        ("c.md", "cap", ""),
        ("x.md", "not in the manifest", ""),
    ]


def test_an_invented_name_that_reads_like_a_real_one_does_not_shut_it_out() -> None:
    assert sorted_out("a.md\x00", "a.md") == (["a.md"], [], ["a.md"])


def test_an_invented_name_is_one_short_line_in_the_log() -> None:
    _, _, [told] = sorted_out("x\n09:00:00.000 select by=model\x1b[2J" + "y" * 500)
    assert len(told.splitlines()) == 1
    assert "\x1b" not in told
    assert len(told) <= 80


def test_what_is_no_text_is_invented_too() -> None:
    given = named_in(reply('{"selected_memories": [1, ["a.md"], null]}'))
    assert sorted_out(*given) == ([], [], ["1", '["a.md"]', "null"])


def test_a_name_with_control_characters_comes_back_as_it_was_shown() -> None:
    odd = header("a\nb\x1b.md")
    assert choose(["a b .md", odd.filename], [odd], Settings()).chosen == (odd,)


def test_a_file_that_imitates_anothers_name_does_not_take_its_place() -> None:
    real, fake = header("a b.md", days=9), header("a\x01b.md", days=1)
    assert choose(["a b.md"], [fake, real], Settings()).chosen == (real,)


def test_a_name_that_is_no_unicode_comes_back_as_it_was_shown() -> None:
    odd = header("a\udcff.md")
    assert choose(["a .md"], [odd], Settings()).chosen == (odd,)


def test_figures_leave_out_what_is_empty() -> None:
    assert Selection().figures == {"by": "empty", "manifest_tokens": 0, "seconds": 0.0}
    told = Selection(by="fallback", chosen=(KNOWN[0],), error="refusal").figures
    assert (told["chosen"], told["error"]) == (["a.md"], "refusal")
