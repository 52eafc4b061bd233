"""Which commands only read: eight programs, the options known to be harmless,
and pipes.

A parser of our own for the small part of a shell's language that can do no
harm; whatever it does not know is refused, and nothing is expanded but file
patterns, later. The verdict is about what a command can do. Where its operands
lead is decided when it runs (``shell_run``). git is not among the programs,
because a repository's configuration can name programs that git then runs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

from memlab.settings import Settings

MAX_CHARACTERS = Settings.command_max_characters
MAX_STAGES = Settings.command_max_programs


@dataclass(frozen=True)
class Argument:
    """One word for a program; ``path`` is the file it names, ``glob`` a
    pattern to be expanded.
    """

    text: str
    path: str | None = None
    glob: str = ""


@dataclass(frozen=True)
class Stage:
    """One program of a pipeline and its words."""

    program: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether a command only reads; the reason if not, or the pipeline to run.
    A no is falsy.
    """

    allowed: bool
    reason: str = ""
    pipeline: tuple[Stage, ...] = ()

    def __bool__(self) -> bool:
        return self.allowed


def is_read_only_command(command: str) -> Verdict:
    """Judge a command by what it can do, whatever its operands; never
    raises.
    """
    try:
        stages = tuple(map(_stage, _split(command)))
    except _Refusal as refusal:
        return Verdict(False, str(refusal))
    return Verdict(True, pipeline=stages)


class _Refusal(Exception):
    pass


def _options(text: str) -> dict[str, str]:
    """Read a row of the table: what follows each option."""
    letters, *others = text.split()
    short = re.findall(r"(\w)([=:]?)", letters)
    long = (re.match("(.+?)([=:?]?)$", other) for other in others)
    return {f"-{letter}": kind for letter, kind in short} | {
        found[1]: found[2] for found in long if found
    }


_TABLE = tomllib.loads(
    Path(__file__).with_name("shell.toml").read_text("utf-8")
)
_OPTIONS = {program: _options(text) for program, text in _TABLE.items()}
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+) | (?P<pipe>\|(?![|&])) | '(?P<single>[^']*)'
      | "(?P<double>(?:[^"\\]|\\.)*)" | \\(?P<escaped>.) | (?P<odd>[|'"\\;&<>(){}`$~!#])
      | (?P<plain>[^ \t|'"\\;&<>(){}`$~!#]+)""",
    re.VERBOSE,
)
_EXPANDED_IN_QUOTES = re.compile(r"`|\$(?=[\w{(\[@*#?$!-])|!(?![ \t=]|$)")
_MEANS = (
    "has a special meaning in a shell. To use it as text, put it in single"
    " quotes. Only a single | may join two programs"
)
_ODD = dict.fromkeys("'\"", "opens a quote that is never closed") | {
    "\\": "is the last character, so there is nothing for it to quote",
    "~": (
        "is not expanded here. Use Glob, Grep or Read, which take ~/…, or give"
        " the path relative to the project folder"
    ),
}
_Word = list[tuple[str, bool]]
"""The characters of a word, and whether each was quoted."""


def _split(command: str) -> list[list[Argument]]:
    """Split a command into stages of words; raises _Refusal where a shell
    would do more.
    """
    if len(command) > MAX_CHARACTERS:
        raise _Refusal(
            f"The command is longer than {MAX_CHARACTERS:,} characters"
        )
    for character in command:
        if category(character)[0] in "CZ" and character not in " \t":
            raise _Refusal(
                f"{character!a} may not be in a command. A command is one"
                " line of visible characters"
            )
    stages: list[list[_Word]] = [[]]
    in_word = False
    for token in _TOKEN.finditer(command):
        if token["pipe"]:
            stages.append([])
        elif not token["blank"]:
            if not in_word:
                stages[-1].append([])
            word = stages[-1][-1]
            word += _unquote(token, word)
        in_word = not (token["pipe"] or token["blank"])
    if len(stages) > MAX_STAGES:
        raise _Refusal(
            f"There are more than {MAX_STAGES} programs in this pipe"
        )
    return [[_argument(word) for word in stage] for stage in stages]


def _unquote(token: re.Match[str], word: _Word) -> _Word:
    """Return the characters that a shell would read, each with whether it was
    quoted.
    """
    kind = token.lastgroup or ""
    text = token[kind]
    if kind == "odd":
        rest = token.string[token.end() :]
        if not _literal(text, word, rest):
            raise _Refusal(f"{text} {_ODD.get(text, _MEANS)}")
    if kind == "double":
        escapes_hidden = re.sub(r'\\[\\$`"]', ".", text)
        expanded = _EXPANDED_IN_QUOTES.search(escapes_hidden)
        if expanded:
            raise _Refusal(f"{expanded[0]} {_MEANS}")
        text = re.sub(r'\\([\\$`"])', r"\1", text)
    quoted = kind not in ("plain", "odd")
    return [(character, quoted) for character in text]


def _literal(char: str, word: _Word, rest: str) -> bool:
    """Tell whether a shell leaves this character as it is, although it is not
    quoted.
    """
    if char == "~":
        return bool(word) and word[-1][0] not in "=:"
    if char == "!":
        negates = word[-1:] == [("[", False)] and "]" in rest
        return negates or not rest or rest[0] in " \t="
    return (char == "#" and bool(word)) or (
        char == "$" and rest[:1] in ("", " ", "\t", "|")
    )


def _argument(word: _Word) -> Argument:
    """Take a word as the name of a file; in a pattern, what was quoted is
    escaped.
    """
    text = "".join(char for char, _ in word)
    glob = "".join(
        f"[{char}]" if quoted and char in "*?[" else char
        for char, quoted in word
    )
    is_pattern = any(char in "*?[" and not quoted for char, quoted in word)
    return Argument(text, text, glob if is_pattern else "")


def _stage(words: list[Argument]) -> Stage:
    program = words[0].text if words else ""
    if program not in _OPTIONS:
        what = f"{program} is not among them"
        if not program:
            what = "There is none in one place"
        raise _Refusal(
            f"The programs that may run are {', '.join(_OPTIONS)}. {what}"
        )
    return Stage(program, tuple(_arguments(program, words[1:])))


def _arguments(program: str, words: Sequence[Argument]) -> Iterator[Argument]:
    """Tell options, their values and files apart, in any order, as GNU
    programs do.
    """
    rest, table = iter(words), _OPTIONS[program]
    named = any(
        re.match(r"-[a-zA-Z]*[ef]|--(regexp|file)(=|$)", word.text)
        for word in words
    )
    pattern_first = program == "grep" and not named
    ended = tests = False
    for word in rest:
        text = word.text
        # after places to begin at
        tests = program == "find" and (tests or text in table)
        if program == "tail" and text.startswith("+"):
            raise _Refusal(
                f"{text} may be an option of tail. Write tail -n {text}, or"
                f" ./{text}"
            )
        if ended or not (tests or re.match("-.", text)):
            yield Argument(text) if pattern_first else word
            pattern_first = False
        elif text == "--" and program != "find":
            ended = True
            yield Argument(text)
        else:
            name, value = (text, "")
            if program != "find":
                name, value = _option(word, table)
            kind = table.get(name)
            if kind is None or (value and not kind):
                option = text if kind == "" else name
                raise _Refusal(
                    f"{option} is not among the options of {program} that may"
                    " be used"
                )
            attached = value.removeprefix("=")
            yield Argument(text, attached if value and kind == ":" else None)
            if not value and kind in ("=", ":"):
                following = next(rest, None)
                if following is None:
                    raise _Refusal(f"A value for {name} is missing")
                path = following.path if kind == ":" else None
                yield Argument(following.text, path)


def _option(word: Argument, table: Mapping[str, str]) -> tuple[str, str]:
    """Return the name of an option, and the value that is attached to it: for
    a long one with its ``=``.
    """
    text, letters = word.text, word.text[1:]
    if text.startswith("--"):
        name, equals, value = text.partition("=")
        return name, equals + value
    if word.glob:
        raise _Refusal(
            f"{text} is an option with a pattern in it. Write the option out"
        )
    if letters.isdecimal():
        return "-#" if "-#" in table else text, ""
    for number, letter in enumerate(letters):
        if table.get(f"-{letter}") != "":
            return f"-{letter}", letters[number + 1 :]
    return f"-{letters[-1]}", ""
