"""Which commands only read: eight programs, the options known to be harmless,
and pipes; and four commands of git, where a setting allows them.

A parser of our own for the small part of a shell's language that can do no
harm; whatever it does not know is refused, and nothing is expanded but file
patterns, later. The verdict is about what a command can do. Where its operands
lead is decided when it runs (``command_run``), and so is what git may read of
a repository (``command_git``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


def is_read_only_command(command: str, *, git: bool = False) -> Verdict:
    """Judge a command by what it can do, whatever its operands; never raises.

    ``git`` allows ``git log``, ``show``, ``diff`` and ``status`` as well.
    """
    try:
        stages = [_stage(words, git) for words in _split(command)]
        return Verdict(True, pipeline=tuple(stages))
    except _Refusal as refusal:
        return Verdict(False, str(refusal))


class _Refusal(Exception):
    pass


def _table(text: str) -> dict[str, str]:
    """Read options, each with what follows it: "=" a text, ":" a file, "?" a
    text or nothing.

    The first word, if it begins with a letter or a digit, is a row of short
    ones; -# is a number.
    """
    found = re.findall(r"(?:^|\s)([^\w\s]\S*?)([=:?]?)(?!\S)", text)
    rows = re.findall(
        r"(\w)([=:]?)", text.split()[0] if text[0].isalnum() else ""
    )
    return dict(found) | {f"-{letter}": kind for letter, kind in rows}


_LINES = "qvzn=c= -# --lines= --bytes= --quiet --verbose --zero-terminated"
_OPTIONS = {
    program: _table(text)
    for program, text in {
        "ls": (
            """1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ --all --almost-all --color? --directory
            --file-type --format= --full-time --human-readable --hide= --ignore= --inode --literal
            --reverse --recursive --size --sort= --time= --time-style= --width= --block-size="""
        ),
        "find": (
            """-a -o -and -or -not ! ( ) , -print -print0 -printf= -ls -prune -quit -empty -true
            -false -depth -daystart -mount -xdev -readable -writable -executable -name= -iname=
            -path= -ipath= -wholename= -iwholename= -lname= -regex= -iregex= -regextype= -type=
            -size= -mtime= -atime= -ctime= -mmin= -amin= -cmin= -newermt= -newer: -anewer: -cnewer:
            -samefile: -maxdepth= -mindepth= -perm= -user= -group= -uid= -gid= -links= -inum="""
        ),
        "grep": (
            """EFGPivwxyclLoqshHnbTzZraIUe=f:m=A=B=C= -# --regexp= --file: --extended-regexp
            --fixed-strings --basic-regexp --perl-regexp --ignore-case --invert-match --word-regexp
            --line-regexp --count --files-with-matches --files-without-match --only-matching --text
            --quiet --silent --no-messages --no-filename --with-filename --line-number --recursive
            --max-count= --after-context= --before-context= --context= --include= --exclude=
            --exclude-dir= --exclude-from: --label= --color? --binary-files= --null"""
        ),
        "cat": (
            "AbeEnstTuv --show-all --number-nonblank --show-ends --number"
            " --squeeze-blank"
        ),
        "stat": "tc= --format= --printf= --terse",
        "wc": (
            "clmwL --bytes --chars --lines --words --max-line-length --total="
        ),
        "head": _LINES,
        "tail": _LINES,
    }.items()
}
_REVISIONS = """-n= -L= -i -# --max-count= --skip= --since= --until= --after=
    --before= --author= --committer= --grep= --all-match --invert-grep
    --regexp-ignore-case --merges --no-merges --first-parent --reverse
    --topo-order --date-order --author-date-order --graph --decorate?
    --no-decorate --all --branches? --tags? --remotes? --follow --left-right
    --full-history --ancestry-path --simplify-by-decoration"""
_SHOWN = """--oneline --format= --pretty? --abbrev? --abbrev-commit --date=
    --no-abbrev-commit --expand-tabs? --no-notes --parents --children"""
_CHANGES = """-p -u -s -w -b -z -a -m -c --cc -M? -C? -U= -R -S= -G= --patch
    --no-patch --stat? --shortstat --numstat --summary --name-only
    --name-status --raw --find-renames? --find-copies? --no-renames
    --diff-filter= --unified= --ignore-all-space --ignore-space-change
    --ignore-blank-lines --ignore-space-at-eol --word-diff? --minimal
    --patience --histogram --diff-algorithm= --no-color --full-index --text
    --relative --no-prefix --function-context -W --pickaxe-all
    --pickaxe-regex --exit-code --quiet"""
_GIT_OPTIONS = {
    "log": _table(f"{_REVISIONS} {_SHOWN} {_CHANGES}"),
    "show": _table(f"{_SHOWN} {_CHANGES}"),
    "diff": _table(f"{_CHANGES} --cached --staged --merge-base"),
    "status": _table(
        """-s -b -z -u? --short --branch --porcelain? --long --no-renames
        --untracked-files? --ignored? --show-stash --ahead-behind
        --no-ahead-behind"""
    ),
}
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
        "is not expanded here. Give the path relative to the project folder,"
        " or use Read"
    ),
}
_Word = list[tuple[str, bool]]
"""The characters of a word, and whether each was quoted."""


def _split(command: str) -> list[list[Argument]]:
    """Split a command into stages of words; raises _Refusal where a shell
    would do more.
    """
    _check_characters(command)
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
    return [[_word(word) for word in stage] for stage in stages]


def _check_characters(command: str) -> None:
    """Refuse a command that is too long, or has a character that is not
    seen.
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


def _word(word: _Word) -> Argument:
    """Take a word as the name of a file; in a pattern, what was quoted is
    escaped.
    """
    text, special = "".join(char for char, _ in word), "*?["
    glob = "".join(
        f"[{one}]" if quoted and one in special else one
        for one, quoted in word
    )
    return Argument(
        text,
        text,
        glob * any(one in special and not quoted for one, quoted in word),
    )


def _stage(words: list[Argument], git: bool) -> Stage:
    program = words[0].text if words else ""
    if git and program == "git":
        return Stage(program, tuple(_git_arguments(words[1:])))
    if program not in _OPTIONS:
        what = (
            f"{program} is not among them"
            if program
            else "There is none in one place"
        )
        programs = [*_OPTIONS, *(["git"] if git else [])]
        raise _Refusal(
            f"The programs that may run are {', '.join(programs)}. {what}"
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
            name, value = (
                (text, None) if program == "find" else _option(word, table)
            )
            if (kind := table.get(name)) is None:
                raise _Refusal(
                    f"{name} is not among the options of {program} that may be"
                    " used"
                )
            if value is not None and not kind:
                raise _Refusal(f"{name} takes no value")
            yield Argument(text, value if kind == ":" else None)
            if value is None and kind in ("=", ":"):
                if (word := next(rest, Argument(""))).path is None:
                    raise _Refusal(f"A value for {name} is missing")
                yield Argument(word.text, word.path if kind == ":" else None)


def _git_arguments(words: Sequence[Argument]) -> Iterator[Argument]:
    """Tell git's command, options, revisions and files apart.

    What is in front of ``--`` can only be a revision, and what comes after it
    can only be a file, so that no word is read in two ways.
    """
    command = words[0].text if words else ""
    if command not in _GIT_OPTIONS:
        known = ", ".join(_GIT_OPTIONS)
        raise _Refusal(
            f"The commands of git that may be used are {known}, each directly"
            " after the word git"
        )
    yield Argument(command)
    texts = [word.text for word in words]
    split = texts.index("--") if "--" in texts else len(texts)
    table = _GIT_OPTIONS[command]
    rest = iter(words[1:split])
    for word in rest:
        text = word.text
        if not text.startswith("-"):
            if command == "status":
                raise _Refusal(f"Write -- in front of the file {text}")
            yield Argument(text)
            continue
        name, value = _git_option(text)
        kind = table.get(name)
        if kind is None:
            raise _Refusal(
                f"{name} is not among the options of git {command} that may"
                " be used"
            )
        if value is not None and not kind:
            raise _Refusal(f"{name} takes no value")
        yield Argument(text)
        if value is None and kind == "=":
            following = next(rest, Argument("-")).text
            if following.startswith("-"):
                raise _Refusal(f"Attach the value to {name}")
            yield Argument(following)
    yield Argument("--")
    yield from words[split + 1 :]


def _git_option(text: str) -> tuple[str, str | None]:
    """Return the name of an option, and the value that is attached to it. Git
    does not join short options, so only the first letter is one.
    """
    if text.startswith("--"):
        name, attached, value = text.partition("=")
        return name, value if attached else None
    if text[1:].isdecimal():
        return "-#", None
    return text[:2], text[2:] or None


def _option(
    word: Argument, table: Mapping[str, str]
) -> tuple[str, str | None]:
    """Return the name of an option, and the value that is attached to it, if
    any.
    """
    text, letters = word.text, word.text[1:]
    if text.startswith("--"):
        name, attached, value = text.partition("=")
        return name, value if attached else None
    if word.glob:
        raise _Refusal(
            f"{text} is an option with a pattern in it. Write the option out"
        )
    if letters.isdecimal():
        return "-#" if "-#" in table else text, None
    last = next(
        (n for n, one in enumerate(letters) if table.get(f"-{one}") != ""), -1
    )
    return f"-{letters[last]}", (
        letters[last + 1 :] or None if last >= 0 else None
    )
