"""The caps of the index on any text, made up by hypothesis."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memlab.memdir.index import Pointer, Settled, parse_pointers, pointer_to, settle, short_line
from memlab.memdir.instructions import index_for_prompt
from memlab.settings import Settings
from tests.unit.memdir.test_index import settled

POINTER = st.builds(
    "- [{}]({}.md) — {}".format,
    st.text("ab ]", max_size=3),
    st.text("abcé潮", min_size=1, max_size=2),
    st.text("x é🛶", max_size=20),
)
LINE = st.one_of(
    POINTER, st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)
)
INDEX = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\n", "\r\n"])), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines)
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(INDEX, INDEX.map(str.rstrip)), st.integers(0, 13), st.integers(0, 300))
@example("- [a](a.md)\r\n- [b](b.md)", 2, 12)
@example("\U0001f6f6\n", 1, 3)
def test_never_over_a_cap_never_inside_a_character_and_the_warning_exact(
    text: str, most_lines: int, most_bytes: int
) -> None:
    limit = Settings(index_max_lines=most_lines, index_max_bytes=most_bytes)
    shown = index_for_prompt(text, limit)
    raw, lines = text.encode(), re.findall(r"[^\n]*\n|[^\n]+", text)
    head = "".join(lines[:most_lines])

    assert text.startswith(shown.text)  # no half character, and nothing but the top
    assert len(shown.text.encode()) <= most_bytes
    assert (
        shown.text.count("\n") + (not shown.text.endswith("\n") and shown.text != "") <= most_lines
    )

    over = (len(lines) > most_lines, len(head.encode()) > most_bytes)
    assert shown.fired == {(0, 0): "", (1, 0): "lines", (0, 1): "bytes", (1, 1): "both"}[over]
    if not any(over):
        assert (shown.text, shown.prompt) == (text, text.strip())
    first = lines[0] if lines else ""
    if over[1] and len(first.encode()) <= most_bytes:
        assert shown.text == "" or shown.text.endswith("\n")
        following = lines[shown.text.count("\n")]
        assert len((shown.text + following).encode()) > most_bytes  # as much as fits

    seen = {pointer.file for pointer in parse_pointers(shown.text)}
    files = [pointer.file for pointer in parse_pointers(text)]
    assert shown.fallen == tuple(dict.fromkeys(file for file in files if file not in seen))
    assert bool(shown.warning) == any(over)
    if shown.warning:
        assert f"It has {len(lines):,} lines and {len(raw):,} bytes." in shown.warning
        assert "\n" not in shown.warning
        assert all(file in shown.warning for file in shown.fallen[:20])


OWN = st.sampled_from(
    [
        "# Index",
        "my own line",
        "",
        "- [a](a.md) — in my own words",
        "* [b](./b.md) hook a",
        "- [Elsewhere](../docs/x.md) — not a memory",
        "- [c](c.md) — " + "long and by hand " * 5,
    ]
)
FILES = [f"{letter}.md" for letter in "abcdef"]
MADE = st.tuples(st.sampled_from([*FILES, "gone.md"]), st.sampled_from(["now", "before", "cut"]))


def made(file: str, kind: str) -> Pointer:
    about = f"what {file} says " * 4 if kind == "now" else f"what {file} said before"
    return Pointer(file, file[:-3], about.strip())


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.one_of(OWN, MADE), max_size=14),
    st.permutations(FILES).flatmap(lambda files: st.integers(0, 6).map(lambda n: files[:n])),
    st.integers(0, 12),
    st.integers(0, 500),
)
def test_code_keeps_to_the_caps_and_touches_no_line_written_by_hand(
    parts: list[str | tuple[str, str]], files: list[str], lines: int, size: int
) -> None:
    limit = Settings(index_max_lines=lines, index_max_bytes=size, index_line_characters=40)
    there, newest_first = {*files, "a.md", "b.md", "c.md"}, dict.fromkeys(files)
    newest_first.update(dict.fromkeys(["a.md", "b.md", "c.md"]))
    pointers = {file: made(file, "now") for file in newest_first}

    def line(part: str | tuple[str, str]) -> str:
        if isinstance(part, str):
            return part
        one = made(part[0], "before" if part[1] == "before" else "now")
        return short_line(one, 40)

    def tidy(text: str, *, was: bool) -> Settled:
        earlier = {file: made(file, "before") for file in there} if was else {}
        return settle(text, [*pointers], pointers.get, was=earlier, settings=limit)

    own = [part for part in parts if isinstance(part, str)]
    done = tidy("".join(f"{line(part)}\n" for part in parts), was=True)
    rows = done.text.splitlines()
    by_code = [row for row in rows if row and row not in own]
    assert [row for row in rows if row in own] == own, "byte for byte, in their order"
    assert all(len(row) <= 40 for row in by_code), "a line that code made is short"
    pointed = [one.file.removeprefix("./") for one in parse_pointers("\n".join(by_code))]
    by_hand = {one.file.removeprefix("./") for one in parse_pointers("\n".join(own))}
    assert len(pointed) == len(by_code), "code writes nothing but pointers"
    assert set(pointed) <= there, "none is dead"
    assert {*pointed, *by_hand, *done.unlisted} >= there
    over = index_for_prompt(done.text, limit).fired
    assert not over or not by_code, "the caps are kept"
    order = [file for file in pointers if file not in by_hand]
    assert list(done.unlisted) == order[len(order) - len(done.unlisted) :], "the newest stay"
    assert tidy(done.text, was=False).text == done.text, "nothing is left to do"


COMMENTED = st.sampled_from(
    [
        "",
        "- [A](a.md) — a\n",
        "- [B](b.md) — b <!-- why -->\n",
        "- [C](c.md) — <!-- c\n",
        "- [A](a.md)--> more\n",
        "--> - [A](a.md)\n",
        "<!-- - [B](b.md)\n",
        "<!--\n",
        "-->\n",
        "<!-- x -->\n",
        "---\n",
        "title: x\n",
        "# Memory\n",
        "By hand.\n",
        "\n",
    ]
)


@given(st.lists(COMMENTED, max_size=9).map("".join))
def test_no_pointer_of_codes_is_hidden_in_a_comment(text: str) -> None:
    new = pointer_to("new.md", "New", "a hook --> that <!-- looks like comments")
    before = list(dict.fromkeys(one.file for one in parse_pointers(text)))
    pointers = {"new.md": new} | {file: Pointer(file, file, "") for file in before}
    settled = settle(text, [*pointers], pointers.get, by_model=True).text
    assert parse_pointers(settled).count(new) == 1
    assert [one.file for one in parse_pointers(settled) if one.file != "new.md"] == before


PARTS = st.sampled_from(
    [
        "- [A](a.md) — x",
        "- [G](gone.md)",
        "- [[b]]",
        "own words",
        "",
        "# H",
        "<!--",
        "-->",
        "---",
        "a: b",
        "\u2028",
        "\ufeff",
        "  - [C](c.md)",
        "- [W](https://w.example/w.md)",
        "\r",
    ]
)


@given(st.lists(PARTS, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_settling_is_final_and_changes_no_other_line(parts: list[str], end: str) -> None:
    text = end.join(parts)
    done = settled(text, "new.md", "a.md", "b.md", "c.md")
    assert settled(done.text, "new.md", "a.md", "b.md", "c.md").text == done.text
    files = [one.file for one in parse_pointers(done.text)]
    assert {"new.md", "a.md", "b.md", "c.md"} == set(files)
    dead = [one.line for one in parse_pointers(text) if one.file == "gone.md"]
    others = [part for part in text.split("\n") if part.strip() and part.rstrip("\r") not in dead]
    after = iter(done.text.split("\n"))
    assert all(any(part.strip("\ufeff\r") in one for one in after) for part in others)
