"""The index: which lines are pointers, how it is cut, and how it is settled."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.memdir import index
from memlab.memdir.instructions import index_for_prompt
from memlab.settings import Settings


def made(file: str) -> index.Pointer:
    """Make the pointer of a memory as its header would."""
    stem = file.removesuffix(".md")
    return index.pointer_to(file, stem.title(), f"about {stem}")


def line(file: str) -> str:
    return index.pointer_line(file, made(file).title, made(file).hook) + "\n"


def settled(text: str, *files: str, **more: Any) -> index.Settled:
    return index.settle(text, files, made, **more)


LINES = {
    "* [A](a.md): x\r\n": "a.md",
    "12. [A](team/../sub/./a.md)": "sub/a.md",
    "- [A [old]](notes (old).md) — x": "notes (old).md",
    "- [Café](caf%C3%A9%20notes.md) — own words": "café notes.md",
    "- [A](<a b.md#why>)": "a b.md",
    "- [A](a.md#how-to-apply 'a title') — x": "a.md",
    "- [[sub/a.md|A]]": "sub/a.md",
    "| [A](a.md) | a table |": "",
    "- [Book](https://example.org/book.md) — on the web": "",
    "- [Log](logs/2026/03/2026-03-29.md)": "",
    "<!-- [A](a.md)\n- [A](a.md)\n-->": "",
}


@pytest.mark.behaviour("B3")
def test_a_pointer_is_read_as_editors_write_and_other_lines_stay() -> None:
    for text, file in LINES.items():
        assert [one.file for one in index.parse_pointers(text)] == ([file] if file else [])
        there = [file] if file else []
        after = settled(f"- [Gone](gone.md)\n{text}\n", "new.md", *there)
        assert (after.dead, after.added) == (("gone.md",), ("new.md",)), text
        assert (text in after.text, line("new.md") in after.text) == (True, True), text
    for link in ("caf%C3%A9%20n.md", "cafe\u0301 n.md", "<caf\xe9 n.md>"):
        by_hand = f"- [Café]({link}) — my own words\n"
        for file in ("caf\xe9 n.md", "cafe\u0301 n.md", "CAF\xe9-N.md"):
            assert settled(by_hand, file).text == by_hand
        assert settled(by_hand).text == ""


@pytest.mark.behaviour("B3")
def test_dead_lines_go_missing_ones_come_and_the_rest_stays_byte_for_byte() -> None:
    text = (
        "# Notes\r\n\r\n- [Second](b.md): by hand\r\nWords\u2028in between.\x0c\n"
        "- [Gone](gone.md) — nowhere\r\n* [First](a.md) — another\r\nlast"
    )
    done = settled(text, "new.md", "a.md", "b.md")
    new = line("new.md").replace("\n", "\r\n")
    wanted = text.replace("- [Gone](gone.md) — nowhere\r\n", "")
    assert done.text == wanted.replace("- [Second]", f"{new}- [Second]")
    assert settled(done.text, "new.md", "a.md", "b.md").text == done.text
    text = "prose\n- [A](a.md) — x\n- [B](b.md)\n* [A](<a.md> 'x'): y\n- [[a]]"
    assert index.without(text, "a.md") == "prose\n- [B](b.md)\n"


def test_a_new_line_comes_on_top() -> None:
    for wanted in (
        "NEW",
        "# Memory\n\nNEW- own entry\n",
        "# Memory\n\nNEW\n## Own\ntext\n",
        "NEW\n# Rules\nfirst line\n",
        "---\na: b\n---\n<!-- c\n-->\nNEW\nx\n",
        "Text:\nNEW- [A](a.md)\n",
        "NEW- Boats\n  - [A](a.md)\n",
    ):
        blank = "\n" * ("NEW\n" in wanted)
        text = wanted.replace(f"NEW{blank}", "")
        there = ["new.md", *["a.md"] * ("a.md" in text)]
        done = settled(text, *there)
        assert done.text == wanted.replace("NEW", line("new.md"))
        for most in range(2, 8):  # the empty line below it counts, too
            few = Settings().with_changes(index_max_lines=most)
            once = settled(text, *there, settings=few).text
            assert settled(once, *there, settings=few).text == once


@pytest.mark.behaviour("B5")
def test_a_line_follows_its_header_unless_a_person_has_written_it() -> None:
    hook = "The season opens on the {}th, well."
    was, now = (index.pointer_to("a.md", "A", hook.format(day)) for day in (2, 4))
    own = index.pointer_line(now.file, now.title, now.hook)
    for text, is_own in {
        own.replace("4th", "2th"): True,
        "- [A](a.md) — The season opens…": True,
        "- [A](a.md) — ask Maren": False,
        f"*{own[1:].replace('4th', '2th')}": False,
    }.items():
        done = index.settle(text, ["a.md"], {"a.md": now}.get, was={"a.md": was})
        assert done.text == (own if is_own else text)
    by_hand = "- [A](a.md) — by hand\n"
    both = f"{by_hand}- [A](./a.md) — by hand, too\n"
    assert settled(line("a.md") + by_hand, "a.md").text == by_hand
    assert settled(both, "a.md").text == both
    assert settled(both, "a.md", by_model=True).text == by_hand


@pytest.mark.behaviour("B2")
def test_a_full_index_loses_the_oldest_of_codes_own_lines() -> None:
    files = [f"m{number}.md" for number in range(6)]
    text = "- [M5](m5.md) — by hand\n" + "".join(map(line, files[1:5]))
    done = settled(text, *files, settings=Settings(index_max_lines=4))
    left = [one.file[:2] for one in index.parse_pointers(done.text)]
    assert left == ["m0", "m5", "m1", "m2"]
    assert (done.added, done.unlisted) == (("m0.md",), ("m3.md", "m4.md"))
    tight = settled(text, *files, settings=Settings(index_max_bytes=100)).text
    assert len(tight.encode()) <= 100
    assert ("by hand" in tight, "m0.md" in tight) == (True, True)


@pytest.mark.behaviour("B1", "B4")
def test_codes_lines_are_one_line_and_not_long() -> None:
    hook = "one <!--- x --->\r\ntwo\u2028three " + "word " * 60
    odd = index.pointer_to("a.md", "a](b) [c]\nd", hook)
    text = index.settle("", ["a.md"], {"a.md": odd}.get).text
    assert text.startswith("- [a)(b) (c) d](a.md) — one <- x -> two three word")
    assert (text.count("\n"), len(text) <= 201) == (1, True)
    files = ["a%20b.md", "a\nb.md", "a.md) b.md", "team/c.md"]
    assert settled("", *files).text == "- [A%20B](a%20b.md) — about a%20b\n"


FULL = ("x" * 124 + "\n") * 199
OTHER = "UTF-16 characters"


@pytest.mark.behaviour("B2")
def test_lines_are_cut_first_and_then_bytes_at_a_line_end() -> None:
    for text, caps, fired, kept, lost in (
        ("- [A](a.md)\n" * 200, index.memlab_caps(), "", 200, ()),
        ("- [A](a.md)\n" * 200 + "- [B](b.md)", index.memlab_caps(), "lines", 200, ("b.md",)),
        (FULL + "x" * 124 + "\n", index.memlab_caps(), "", 200, ()),
        ("x" + FULL + "x" * 124 + "\n", index.memlab_caps(), "bytes", 199, ()),
        ("- [A](a.md)\n- [B](b.md)\nx\n", index.Caps(2, 12), "both", 1, ("b.md",)),
        ("---\nx: y\n---\n<!-- hidden\n-->\n- [A](a.md)\n", index.Caps(1, 12), "", 1, ()),
        ("🛶" * 10 + "\n", index.Caps(1, 41), "", 1, ()),
        ("🛶" * 10 + "\n", index.Caps(1, 21, OTHER), "", 1, ()),
        ("🛶" * 10 + "\n", index.Caps(1, 19, OTHER), "bytes", 0, ()),
    ):
        shown = index.cut(text, caps)
        found = (shown.fired, shown.text.count("\n"), shown.fallen)
        assert found == (fired, kept, lost)
    told = index_for_prompt("- [A](a.md)\n" * 200 + "- [B](b.md)").warning
    assert "cut at the limit of 200 lines" in told
    assert "Not shown: b.md." in told
