"""The index: which lines are pointers, how it is cut, and how it is settled."""

from __future__ import annotations

from typing import Any

import pytest

from memlab.memdir.index import (
    Caps,
    Pointer,
    Settled,
    cut,
    memlab_caps,
    news,
    parse_pointers,
    pointer_line,
    pointer_to,
    settle,
    without,
)
from memlab.settings import Settings
from tests.work import calls, does_not_stall


def made(file: str) -> Pointer:
    """Make the pointer of a memory as its header would."""
    stem = file.removesuffix(".md")
    return pointer_to(file, stem.title(), f"about {stem}")


def line(file: str) -> str:
    return pointer_line(file, made(file).title, made(file).hook) + "\n"


def settled(text: str, *files: str, **more: Any) -> Settled:
    return settle(text, files, made, **more)


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("* [A](a.md): x\r\n", "a.md"),
        ("12. [A](team/../sub/./a.md)", "sub/a.md"),
        ("- [A [old]](notes (old).md) — x", "notes (old).md"),
        ("- [Café](caf%C3%A9%20notes.md) — own words", "café notes.md"),
        ("- [A](<a b.md#why>)", "a b.md"),
        ("- [A](a.md#how-to-apply 'a title') — x", "a.md"),
        ("- [[a]] — x", "a.md"),
        ("- [[sub/a.md|A]]", "sub/a.md"),
        ("See [A](a.md) for this", ""),
        ("| [A](a.md) | a table |", ""),
        ("- [Book](https://example.org/book.md) — on the web", ""),
        ("- [Up](../up.md)", ""),
        ("- [Team](team/MEMORY.md)", ""),
        ("- [Log](logs/2026/03/2026-03-29.md)", ""),
        ("- ![A](a.png)", ""),
        ("<!-- [A](a.md)\n- [A](a.md)\n-->", ""),
        ("---\n- name\n- [x]: y\n---", ""),
    ],
)
def test_a_pointer_is_read_as_editors_write(text: str, file: str) -> None:
    assert [one.file for one in parse_pointers(text)] == ([file] if file else [])
    after = settled(f"- [Gone](gone.md)\n{text}\n", "new.md", *([file] if file else []))
    assert (after.dead, after.added) == (("gone.md",), ("new.md",))
    assert text in after.text
    assert line("new.md").strip() in after.text


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize("link", ["caf%C3%A9%20n.md", "cafe\u0301 n.md", "<caf\xe9 n.md>"])
@pytest.mark.parametrize("file", ["caf\xe9 n.md", "cafe\u0301 n.md", "CAF\xe9-N.md"])
def test_a_line_written_by_hand_survives(link: str, file: str) -> None:
    text = f"- [Café]({link}) — my own words\n"
    assert settled(text, file) == Settled(text, (), (), (), (), ())
    assert settled(text).text == ""


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
    assert without(text, "a.md") == "prose\n- [B](b.md)\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "NEW"),
        ("# Memory", "# Memory\nNEW"),
        ("# Memory\n\n- own entry\n", "# Memory\n\nNEW- own entry\n"),
        ("# Memory\n\n## Own\ntext\n", "# Memory\n\nNEW\n## Own\ntext\n"),
        ("# Rules\nfirst line\n", "NEW\n# Rules\nfirst line\n"),
        ("\ufefffirst\n", "\ufeffNEW\nfirst\n"),
        ("---\na: b\n---\n<!-- c\n-->\nx\n", "---\na: b\n---\n<!-- c\n-->\nNEW\nx\n"),
        ("Text:\n- [A](a.md)\n", "Text:\nNEW- [A](a.md)\n"),
        ("- Boats\n  - [A](a.md)\n", "NEW- Boats\n  - [A](a.md)\n"),
    ],
)
def test_a_new_line_comes_on_top(text: str, wanted: str) -> None:
    done = settled(text, "new.md", *(["a.md"] if "a.md" in text else []))
    assert done.text == wanted.replace("NEW", line("new.md"))


@pytest.mark.behaviour("B5")
def test_a_line_follows_its_header_unless_a_person_has_written_it() -> None:
    hook = "The season opens on the {}th, well."
    was, now = (pointer_to("a.md", "A", hook.format(day)) for day in (2, 4))
    own = pointer_line(now.file, now.title, now.hook)
    for text, is_own in {
        own.replace("4th", "2th"): True,
        "- [A](a.md) — The season opens…": True,
        "- [A](a.md) — ask Maren": False,
        f"*{own[1:].replace('4th', '2th')}": False,
        "- [A](a.md)": False,
    }.items():
        done = settle(text, ["a.md"], {"a.md": now}.get, was={"a.md": was})
        assert (done.text, bool(done.renewed)) == (own if is_own else text, is_own)
    by_hand = "- [A](a.md) — by hand\n"
    both = f"{by_hand}- [A](./a.md) — by hand, too\n"
    assert settled(line("a.md") + by_hand, "a.md").text == by_hand
    assert settled(both, "a.md").text == both
    edit = settled(both, "a.md", by_model=True)
    assert (edit.text, edit.double) == (by_hand, ("a.md",))


def test_an_undo_gets_back_the_line_that_stood_there() -> None:
    by_hand = "* [Mine](a.md): my own hook"
    before = {one.file: one for one in parse_pointers(by_hand + "\n")}
    live = "prose, added since\n\n- [B](b.md) — by hand\n"
    done = settle(live, ["a.md", "b.md"], lambda file: before.get(file) or made(file))
    assert done.text == live.replace("- [B]", by_hand + "\n- [B]")
    small = Settings(index_max_lines=1)  # a line that came back is no line of code's
    again = settle(done.text, ["a.md", "b.md"], before.get, settings=small)
    assert again.text == done.text


@pytest.mark.behaviour("B2")
def test_a_full_index_loses_the_oldest_of_codes_own_lines() -> None:
    files = [f"m{number}.md" for number in range(6)]
    text = "- [M5](m5.md) — by hand\n" + "".join(map(line, files[1:5]))
    done = settled(text, *files, settings=Settings(index_max_lines=4))
    left = [one.file[:2] for one in parse_pointers(done.text)]
    assert left == ["m0", "m5", "m1", "m2"]
    assert (done.added, done.unlisted) == (("m0.md",), ("m3.md", "m4.md"))
    tight = settled(text, *files, settings=Settings(index_max_bytes=100)).text
    assert len(tight.encode()) <= 100
    assert ("by hand" in tight, "m0.md" in tight) == (True, True)


@pytest.mark.behaviour("B1", "B4")
def test_codes_lines_are_one_line_and_not_long() -> None:
    hook = "one <!--- x --->\r\ntwo\u2028three " + "word " * 60
    odd = pointer_to("a.md", "a](b) [c]\nd", hook)
    text = settle("", ["a.md"], {"a.md": odd}.get).text
    assert text.startswith("- [a)(b) (c) d](a.md) — one <- x -> two three word")
    assert (text.count("\n"), len(text) <= 201) == (1, True)
    files = ["a%20b.md", "a\nb.md", "a.md) b.md", "team/c.md"]
    # others get none
    assert settled("", *files).text == "- [A%20B](a%20b.md) — about a%20b\n"


@pytest.mark.behaviour("B2")
@pytest.mark.parametrize(
    ("text", "caps", "fired", "kept", "lost"),
    [
        ("- [A](a.md)\n" * 200, memlab_caps(), "", 200, ()),
        ("- [A](a.md)\n" * 200 + "- [B](b.md)", memlab_caps(), "lines", 200, ("b.md",)),
        ("x" * 124 + "\n" + ("x" * 124 + "\n") * 199, memlab_caps(), "", 200, ()),
        ("x" * 125 + "\n" + ("x" * 124 + "\n") * 199, memlab_caps(), "bytes", 199, ()),
        ("- [A](a.md)\n- [B](b.md)\nx\n", Caps(2, 12), "both", 1, ("b.md",)),
        ("---\nx: y\n---\n<!-- hidden\n-->\n- [A](a.md)\n", Caps(1, 12), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 41), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 21, "UTF-16 characters"), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 19, "UTF-16 characters"), "bytes", 0, ()),
    ],
)
def test_lines_come_first(text: str, caps: Caps, fired: str, kept: int, lost: Any) -> None:
    shown = cut(text, caps)
    assert (shown.fired, shown.text.count("\n"), shown.fallen) == (fired, kept, lost)
    assert caps.measure(shown.text) <= caps.size


def test_news_are_lines_that_a_conversation_has_not_seen() -> None:
    first = news({}, "- [A](a.md) — x\n- [B](b.md)\n", "team/")
    assert first.new == ["- [A](team/a.md) — x", "- [B](team/b.md)"]
    second = news(first.known, "- [A](a.md) — y\nprose\n", "team/")
    assert (second.new, second.gone) == (["- [A](team/a.md) — y"], ["team/b.md"])
    assert news(second.known, "- [A](a.md) — y\n", "team/")[1:] == ([], [])


PIECES = ("<!--", "](", "- [a](<b.md#", '- [a](b.md "', "- [a](b.md) x\n", " x\n")


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_index_is_work_in_proportion_to_its_size(piece: str) -> None:
    def work(text: str) -> None:
        settled(text, "a.md", "b.md")
        cut(text, memlab_caps())

    small, large = (piece * (size // len(piece)) for size in (500, 4_000))
    assert calls(lambda: work(large)) < 12 * calls(lambda: work(small)) + 1_000
    assert does_not_stall(lambda: work(large * 10))
