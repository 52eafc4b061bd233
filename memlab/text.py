"""Text as the rest of memlab measures and shows it: tokens, bytes, words,
paths.

Tokens are estimated. The service does not publish its tokenizer; four bytes of
UTF-8 per token is the usual rule of thumb, it is the same on every machine,
and it is only compared with itself.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

BYTES_PER_TOKEN = 4
_REMINDER = "<system-reminder>"


def is_system_reminder(text: str) -> bool:
    """Tell whether a text is a reminder and not what a person typed."""
    return text.lstrip().startswith(_REMINDER)


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: its UTF-8 bytes divided by four, rounded
    up.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def block_text(block: Mapping[str, Any] | str) -> str:
    """Give the text a model reads in one content block, tool definition or
    string.
    """
    if isinstance(block, str):
        return block
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "tool_result":
        return "\n".join(
            block_text(part) for part in as_blocks(block.get("content") or "")
        )
    visible = {
        key: value
        for key, value in block.items()
        if key not in ("cache_control", "id")
    }
    return json.dumps(visible, ensure_ascii=False, sort_keys=True, default=str)


def as_blocks(content: str | Sequence[Any]) -> list[Mapping[str, Any]]:
    """Give message or system content as a list of blocks; a plain string is
    one text block.
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [
        {"type": "text", "text": part} if isinstance(part, str) else part
        for part in content
    ]


def persons_text(message: Mapping[str, Any]) -> str | None:
    """Give what the person typed; None for any other message.

    It is the last text of a message without tool results; attachments come
    before it.
    """
    blocks = as_blocks(message["content"])
    if message["role"] != "user" or any(
        block["type"] != "text" for block in blocks
    ):
        return None
    text = str(blocks[-1]["text"]) if blocks else ""
    return None if not text.strip() or is_system_reminder(text) else text


def request_blocks(
    request: Mapping[str, Any],
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Walk a request in the order its prefix is cached: tools, then system,
    then messages.
    """
    for tool in request.get("tools") or ():
        yield "tools", tool
    for block in as_blocks(request.get("system") or ()):
        yield "system", block
    for message in request.get("messages") or ():
        for block in as_blocks(message.get("content") or ""):
            yield f"messages/{message.get('role')}", block


def request_text(request: Mapping[str, Any]) -> str:
    """Join everything a model would read in a request, in order."""
    return "\n".join(block_text(block) for _, block in request_blocks(request))


def request_tokens(request: Mapping[str, Any]) -> int:
    """Estimate the input tokens of a request: the sum over its blocks."""
    return sum(
        count_tokens(block_text(block)) for _, block in request_blocks(request)
    )


def fold_space(text: str) -> str:
    """Replace each run of white space by one space and trim the ends."""
    return " ".join(text.split())


def text_lines(text: str) -> list[str]:
    """Cut a text into its lines, each with its end.

    A line ends with a line feed, as it does for git and for an editor.
    ``str.splitlines`` also ends one at U+2028, U+0085 or a form feed.
    """
    return list(StringIO(text, newline="\n"))


def clip_bytes(text: str, cap: int) -> str:
    """Cut a text to at most ``cap`` bytes of UTF-8, never inside a character."""
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= cap:
        return text
    return raw[:cap].decode("utf-8", "ignore")


def shorten(text: str, width: int) -> str:
    """Fold white space and cut to ``width`` characters, the last one an
    ellipsis when cut.
    """
    folded = fold_space(text)
    return (
        folded if len(folded) <= width else folded[: width - 1].rstrip() + "…"
    )


def visible(text: str) -> str:
    """Replace what could steer a terminal, or show a line in another order
    than it is read.
    """
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return "".join(
        (
            character
            if character in "\n\t"
            or unicodedata.category(character) not in hidden
            else "\ufffd"
        )
        for character in text
    )


def escape_hidden(line: str) -> str:
    """Escape in a line of JSON what ``visible`` replaces, so that the file can
    be read in a terminal, and half a character can be written at all.
    """
    if line.isprintable():
        return line
    return "".join(
        character
        if character == visible(character)
        else json.dumps(character)[1:-1]
        for character in line
    )


def expand_home(typed: str, home: Path | str) -> str:
    """Write the home in full where a text begins with ``~`` or ``~/``.

    Any other ``~`` is part of a name: ``~notes.md`` is a file, and no other
    user's home is meant.
    """
    if typed == "~" or typed.startswith("~/"):
        return f"{home}{typed[1:]}"
    return typed


def tilde(path: Path | str, home: Path | str) -> str:
    """Show a path as ``~/…`` when it lies below ``home``, with forward slashes
    everywhere.
    """
    shown, base = Path(path), Path(home)
    if shown == base:
        return "~"
    if shown.is_relative_to(base):
        return "~/" + shown.relative_to(base).as_posix()
    return shown.as_posix()


def words(text: str) -> list[str]:
    """Split a text into lower-case runs of letters and digits, in order."""
    return re.findall(r"[^\W_]+", text.lower())


STOP_WORDS = frozenset(
    words("""
    a about after again all also always am an and any are as at be been before being both but by can
    cannot could did do does doing don done down during each every few for from get gets go goes
    going got had has have having he her here him his how i if in into is isn it its just let like
    ll m many may me might more most much must my need never no nor not now of off ok on once one
    only or other our ours out over own please pls rather re s same shall she should so some still
    such t than thanks that the their them then there these they thing this those though to too
    under until up upon us use used using ve very via want was we well were what when where whether
    which while who whom whose why will with within without would yes yet you your
    """)
)
# Every text has these, so they do not count when texts are compared.
# STOP_WORDS, for searching, are more: a question has other empty words than a
# statement.
FUNCTION_WORDS = frozenset(
    words("""
    a an and are as at be been by each every for from had has have how if in into is it its of on or
    so such that the their them then there these they this to too was were what when where which who
    why will with you your apply
    """)
)
# Thai, Japanese and Chinese are written without spaces between words
_NO_SPACES = "\u0e01-\u0e5b\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_RUNS = re.compile(f"([{_NO_SPACES}]+)|([^{_NO_SPACES}]+)")
_ENDINGS = ("ment", "ion", "ing", "ed", "ly", "er", "es", "s", "e")


def content_words(text: str) -> frozenset[str]:
    """Give the words of a text without those that every text has."""
    return frozenset(words(text)) - FUNCTION_WORDS


def terms(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, without stop
    words.
    """
    return [word for word in words(text) if word not in STOP_WORDS]


def terms_of(text: str) -> list[str]:
    """Split a text into terms: words without accents and stop words, cut to a
    stem. A script without spaces gives pairs of characters that follow each
    other.
    """
    found = []
    for word in terms(without_accents(text)):
        runs = [("", word)] if word.isascii() else _RUNS.findall(word)
        for run, other in runs:
            if other:
                found.append(stem(other))
            else:
                last = max(1, len(run) - 1)
                found += [run[at : at + 2] for at in range(last)]
    return found


def without_accents(text: str) -> str:
    """Replace letters with accents by the plain ones: ``café`` → ``cafe``."""
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(
        letter for letter in apart if not unicodedata.combining(letter)
    )


def _without_endings(word: str) -> int:
    """Give the shortest length, three or more, behind which a word consists of
    endings.
    """
    cuts = {len(word)}
    if word.endswith(_ENDINGS):
        for at in range(len(word) - 1, 2, -1):
            if any(
                word.startswith(end, at) and at + len(end) in cuts
                for end in _ENDINGS
            ):
                cuts.add(at)
            elif min(cuts) - at > 4:  # no ending is longer
                break
    return min(cuts)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Cut an English word's endings down to three letters or more:
    ``printing`` → ``print``.

    Rules of two lines in place of a library: they find within one hundredth
    what Snowball finds, and Snowball in Python takes a tenth of a second to
    get going.
    """
    short = word[: _without_endings(word)]
    if len(short) > 3 and short[-1] in ("y", short[-2]):
        return short[:-1] + ("i" if short[-1] == "y" else "")
    return short
