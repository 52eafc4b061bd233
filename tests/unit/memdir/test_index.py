"""The index: which lines are pointers, how it is cut, and how it is settled."""

from __future__ import annotations

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
from tests.work import does_not_stall

UTF16 = Caps(200, 25_000, "UTF-16 characters", "Claude Code")


def made(file: str) -> Pointer:
    """Make the pointer of a memory as its header would."""
    stem = file.removesuffix(".md")
    return pointer_to(file, stem.title(), f"about {stem}")


def line(file: str) -> str:
    return pointer_line(file, made(file).title, made(file).hook) + "\n"


def settled(text: str, *files: str, settings: Settings | None = None) -> Settled:
    return settle(text, files, made, settings=settings)


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("- [A](a.md) — x", "a.md"),
        ("* [A](a.md): x\r\n", "a.md"),
        ("12. [A](team/../sub/./a.md)", "sub/a.md"),
        ("- [A [old]](notes (old).md) — x", "notes (old).md"),
        ("- [Café](caf%C3%A9%20notes.md) — my own words", "café notes.md"),
        ("- [A](<a b.md>) — x", "a b.md"),
        ("- [A](<a b.md#why>)", "a b.md"),
        ("- [A](a.md#how-to-apply) — x", "a.md"),
        ('- [A](a.md "a title") — x', "a.md"),
        ("- [[a]] — x", "a.md"),
        ("- [[sub/a.md|A]]", "sub/a.md"),
    ],
)
def test_a_pointer_is_read_as_markdown_editors_write_it(text: str, file: str) -> None:
    assert [pointer.file for pointer in parse_pointers(text)] == [file]


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize(
    "text",
    [
        "See [A](a.md) for this",
        "[A](a.md)",
        "| [A](a.md) | a table |",
        "- [Book](https://example.org/book.md) — on the web",
        "- [Up](../up.md)",
        "- [Team](team/MEMORY.md)",
        "- [Log](logs/2026/03/2026-03-29.md)",
        "- ![A](a.png)",
        "<!-- [A](a.md)\n- [A](a.md)\n-->",
        "---\n- name\n- [x]: y\n---",
        "- [A](a.md",
    ],
)
def test_every_other_line_is_a_persons_and_stays(text: str) -> None:
    assert parse_pointers(text) == []
    assert settled(text).text == text
    after = settled(f"- [Gone](gone.md)\n{text}\n", "new.md").text
    assert text in after
    assert line("new.md") in after


@pytest.mark.behaviour("B3")
@pytest.mark.parametrize(
    "text",
    [
        "- [Café](caf%C3%A9%20notes.md) — my own words\n",
        "- [Café](cafe\u0301 notes.md) — my own words\n",
        "- [Café](<caf\xe9 notes.md> 'why') — my own words\n",
        "- [[café-notes]] — my own words\n",
    ],
)
@pytest.mark.parametrize("file", ["caf\xe9 notes.md", "cafe\u0301 notes.md"])
def test_a_line_written_by_hand_survives_however_the_name_is_spelled(text: str, file: str) -> None:
    assert settled(text, file) == Settled(text, (), (), (), (), ())
    assert settled(text).dead != ()


def test_a_name_with_a_percent_sign_is_what_it_says() -> None:
    text = settled("", "a%20b.md").text
    assert text == "- [A%20B](a%20b.md) — about a%20b\n"
    assert settled(text, "a%20b.md").text == text


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
    assert (done.dead, done.added) == (("gone.md",), ("new.md",))
    assert settled(done.text, "new.md", "a.md", "b.md").text == done.text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "NEW"),
        ("# Memory", "# Memory\nNEW"),
        ("# Memory\n\n", "# Memory\n\nNEW"),
        ("# Memory\n\n- own entry\n", "# Memory\n\nNEW- own entry\n"),
        ("# Memory\n\n## Own\ntext\n", "# Memory\n\nNEW\n## Own\ntext\n"),
        ("# Rules\nfirst line\nsecond line\n", "NEW\n# Rules\nfirst line\nsecond line\n"),
        ("first\nsecond\n", "NEW\nfirst\nsecond\n"),
        ("\ufefffirst\n", "\ufeffNEW\nfirst\n"),
        ("---\na: b\n---\n<!-- c\n-->\ntext\n", "---\na: b\n---\n<!-- c\n-->\nNEW\ntext\n"),
        ("Text:\n- [A](a.md)\n", "Text:\nNEW- [A](a.md)\n"),
        ("- Boats\n  - [A](a.md)\n", "NEW- Boats\n  - [A](a.md)\n"),
        ("\ufeff- [A](a.md)", "\ufeffNEW- [A](a.md)"),
    ],
)
def test_a_new_line_comes_on_top_and_tears_nothing_apart(text: str, wanted: str) -> None:
    files = ("new.md", "a.md") if "a.md" in text else ("new.md",)
    assert settled(text, *files).text == wanted.replace("NEW", line("new.md"))


def test_a_line_follows_its_header_unless_a_person_has_written_it() -> None:
    was = pointer_to("a.md", "A", "The season opens on the 28th, and the hut before.")
    now = pointer_to("a.md", "A", "It opens on the 4th.")
    lines = {
        "- [A](a.md) — The season opens on the 28th, and the hut before.": True,
        "- [A](a.md) — The season opens on the…": True,
        "- [A](a.md) — ask Maren": False,
        "* [A](a.md): The season opens on the 28th, and the hut before.": False,
        "- [A](a.md)": False,
    }
    for text, is_own in lines.items():
        done = settle(text, ["a.md"], {"a.md": now}.get, was={"a.md": was})
        assert done.text == ("- [A](a.md) — It opens on the 4th." if is_own else text)
        assert done.renewed == (("a.md",) if is_own else ())


def test_an_undo_gets_back_the_line_that_stood_there() -> None:
    by_hand = "* [Mine](a.md): my own hook"
    before = {one.file: one for one in parse_pointers(by_hand + "\n")}
    live = "prose, added since\n\n- [B](b.md) — by hand\n"
    done = settle(live, ["a.md", "b.md"], lambda file: before.get(file) or made(file))
    assert done.text == live.replace("- [B]", by_hand + "\n- [B]")
    small = Settings(index_max_lines=1)  # a line that came back is no line of code's
    again = settle(done.text, ["a.md", "b.md"], before.get, settings=small)
    assert again.text == done.text
    changed = settle(line("a.md"), ["a.md"], before.get, was={"a.md": made("a.md")})
    assert changed.text == by_hand + "\n"


@pytest.mark.behaviour("B5")
def test_of_two_lines_the_one_written_by_hand_stays() -> None:
    text = line("a.md") + "- [A](a.md) — by hand\n"
    assert settled(text, "a.md").text == "- [A](a.md) — by hand\n"
    both = "- [A](a.md) — by hand\n- [A](./a.md) — by hand, too\n"
    assert settled(both, "a.md").text == both
    edit = settle(both, ["a.md"], made, by_model=True)
    assert (edit.text, edit.double) == ("- [A](a.md) — by hand\n", ("a.md",))


@pytest.mark.behaviour("B2")
def test_a_full_index_loses_the_oldest_of_codes_own_lines() -> None:
    files = [f"m{number}.md" for number in range(6)]
    text = "- [M5](m5.md) — by hand\n" + "".join(map(line, files[1:5]))
    done = settled(text, *files, settings=Settings(index_max_lines=4))
    assert [one.file for one in parse_pointers(done.text)] == ["m0.md", "m5.md", "m1.md", "m2.md"]
    assert (done.added, done.unlisted) == (("m0.md",), ("m3.md", "m4.md"))
    tight = settled(text, *files, settings=Settings(index_max_bytes=100))
    assert len(tight.text.encode()) <= 100
    assert "by hand" in tight.text


def test_a_file_that_no_line_can_name_and_one_of_the_team_get_none() -> None:
    files = ["a\nb.md", "a.md) b.md", "team/c.md", "unreadable.md"]
    done = settle("", files, lambda file: made(file) if file[0] != "u" else None)
    assert (done.text, done.unlisted) == ("", ())


@pytest.mark.behaviour("B1", "B4")
def test_codes_lines_are_one_line_and_not_long() -> None:
    odd = pointer_to("a.md", "a](b) [c]\nd", "one <!--- x --->\r\ntwo\u2028three " + "word " * 60)
    text = settle("", ["a.md"], {"a.md": odd}.get).text
    assert text.startswith("- [a)(b) (c) d](a.md) — one <- x -> two three word")
    assert (text.count("\n"), len(text) <= 201) == (1, True)


@pytest.mark.behaviour("B2")
@pytest.mark.parametrize(
    ("text", "caps", "fired", "kept", "lost"),
    [
        ("- [A](a.md)\n- [B](b.md)\n", Caps(1, 99), "lines", 1, ("b.md",)),
        ("- [A](a.md)\n- [B](b.md)\n", Caps(9, 23), "bytes", 1, ("b.md",)),
        ("- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n", Caps(2, 12), "both", 1, ("b.md", "c.md")),
        ("---\nx: y\n---\n<!-- hidden\n-->\n- [A](a.md)\n", Caps(1, 12), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 41), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 21, UTF16.unit), "", 1, ()),
        ("🛶" * 10 + "\n", Caps(1, 19, UTF16.unit), "bytes", 0, ()),
    ],
)
def test_lines_are_cut_first_and_then_the_size(
    text: str, caps: Caps, fired: str, kept: int, lost: tuple[str, ...]
) -> None:
    shown = cut(text, caps)
    assert (shown.fired, shown.text.count("\n"), shown.fallen) == (fired, kept, lost)


def test_news_are_lines_that_a_conversation_has_not_seen() -> None:
    first = news({}, "- [A](a.md) — x\n- [B](b.md)\n", "team/")
    assert first.new == ["- [A](team/a.md) — x", "- [B](team/b.md)"]
    second = news(first.known, "- [A](a.md) — y\nprose\n", "team/")
    assert (second.new, second.gone) == (["- [A](team/a.md) — y"], ["team/b.md"])
    assert news(second.known, "- [A](a.md) — y\n", "team/")[1:] == ([], [])


def test_what_is_forgotten_is_in_no_image_of_the_index() -> None:
    text = "prose\n- [A](a.md) — x\n- [B](b.md)\n* [A](<a.md> 'x'): y\n- [[a]]"
    assert without(text, "a.md") == "prose\n- [B](b.md)\n"


HOSTILE = [
    "<!--" * 10_000,
    "- [" + "](" * 20_000,
    "- [a](<" + "b.md#" * 8_000,
    '- [a](b.md "' + 'b.md "' * 7_000,
    "- [a](b.md) — x\n" * 2_500,
    " x\n" * 13_000 + " - [a](b.md)\n",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_index_does_not_stall(text: str) -> None:
    def work() -> None:
        settled(text * 4, "a.md", "b.md")
        cut(text * 4, memlab_caps())

    assert does_not_stall(work)
