"""Made-up commands and paths for the fuzzer: pieces of attacks, put together in any order."""

from __future__ import annotations

from hypothesis import strategies as st

_PROGRAMS = ("ls", "find", "grep", "cat", "stat", "wc", "head", "tail")
_OTHERS = ("touch", "sh", "./ls", "tools/cat", "xargs", "/bin/cat", "tee", "env", "'ls'", "\\cat")
_NAMES = (
    *(
        "notes.md",
        "'my notes.md'",
        "tests",
        "README.md",
        "logs/desk.log",
        ".",
        "..",
        "-",
        "no-such",
    ),
    *("patterns.txt", "starts.list", "sql/schema.sql", "deep/er/still/notes.md", "[x]", "many"),
    *("@MEMORY@", "@MEMORY@/MEMORY.md", "@SESSIONS@", "@PROJECT@/tidebook", "evil.sh"),
)
_LEADING_OUT = (
    *("gate", "gate/", "gate.txt", "gate/harbour-code.txt", "tests/gate", "top", "top/etc/passwd"),
    *("@OUTSIDE@", "@OUTSIDE@/harbour-code.txt", "../../outside", "../..", "/", "~", "~root"),
    *("tests/../../../outside", "/etc/passwd", "/proc/self/environ", "/dev/zero", "loop"),
    *("@PROJECT@/../../outside/harbour-code.txt", "//etc/passwd", "tests/../gate/harbour-code.txt"),
)
_ENDLESS = ("endless.bin", "long.txt", "desk.pipe")
_GLOBS = (
    *("*", "*/*", ".*", "../*", "-*", "[a-n]*", "[[:alpha:]]*", "[z-a]", "'*'", "\\*", "*/*/*/*"),
    *("gate/*", "*/gate*", "gat*/no-such*", "@OUTSIDE@/*", "/*", "*.md", "many/?.txt", "[!a]*"),
    *("*[", "[]a]*", "[^a-z]*", "t*/g*/*", "**", "--*", "+*", "top/*", ".[.]/*", "..*/..*/*"),
)
_OPTIONS = (
    *("-r", "-R", "-la", "-L", "-f", "-F", "-e", "-n", "2", "-c", "-5", "-nr", "--", "-i", "-P"),
    *("-name", "'*.md'", "-newer", "-samefile", "-path", "-exec", "'{}'", "\\;", "-delete", "-o"),
    *("!", "-printf", "'%p %l'", "-ls", "-follow", "-maxdepth", "-type", "f", "'('", "')'", "-not"),
    *(
        "-files0-from",
        "--files0-from=starts.list",
        "--file=gate.txt",
        "--file=patterns.txt",
        "-fgate",
    ),
    *(
        "--include=*.md",
        "--exclude-from=gate.txt",
        "--dereference",
        "--follow",
        "--foll",
        "--retry",
    ),
    *(
        "-fprint",
        "-execdir",
        "-okdir",
        "+1f",
        "-qf",
        "-d[e]lete",
        "total",
        "ERROR",
        "''",
        "--color",
    ),
)
_SHELL = (
    *(">", ">>hit.txt", "<", "$(touch hit)", "`touch hit`", ";", "&", "&&", "||", "|&", "\n", "\t"),
    *("$HOME", '"$x"', "${x@P}", "$IFS", "{a,b}", "'", '"', "\\", "!!", "#", "hit.txt", "a=b", "("),
    *(
        "\u3000",
        "\u200b",
        "\u00a0",
        "\u2028",
        "\x00",
        "\r",
        "\x1b",
        "\uff1b",
        "\u2216",
        "caf\u00e9",
    ),
)
_words = st.one_of(
    *map(st.sampled_from, (_NAMES, _NAMES, _OPTIONS, _OPTIONS, _GLOBS, _LEADING_OUT))
)
_word = st.one_of(_words, _words, _words, st.sampled_from((*_SHELL, *_ENDLESS, *_PROGRAMS)))
_program = st.sampled_from((*_PROGRAMS, *_PROGRAMS, *_PROGRAMS, *_OTHERS))
_tame = st.tuples(
    st.sampled_from(_PROGRAMS), st.lists(st.sampled_from(_NAMES + _GLOBS[:8]), max_size=3)
)
_stage = st.one_of(_tame, st.tuples(_program, st.lists(_words, max_size=4)))
_wild = st.tuples(_program, st.lists(_word, max_size=6))


def _joined(stages: list[tuple[str, list[str]]]) -> str:
    return " | ".join(" ".join([program, *words]) for program, words in stages)


_glued = st.lists(
    st.tuples(
        st.sampled_from((*_PROGRAMS, *_OPTIONS, *_GLOBS, *_SHELL, *_NAMES, "|", "'a b'", '"c"')),
        st.sampled_from(("", " ", " ")),
    ),
    max_size=14,
).map(lambda pairs: "".join(piece + blank for piece, blank in pairs))

pipelines = st.one_of(
    st.lists(_stage, min_size=1, max_size=3).map(_joined),
    st.lists(st.one_of(_stage, _wild), min_size=1, max_size=3).map(_joined),
    _glued,
)
any_text = st.one_of(st.text(max_size=80), _glued)

_PIECES = (
    *("..", ".", "/", "//", "notes.md", "notes", ".md", "team", "team/notes.md", "\\", ":", "C:"),
    *("~", "%", "%2e", "%252f", "%20", "%25", "%c0%af", "crew", "crew/secret.md", "diary.md"),
    *("\u2024", "\u2025", "\uff0e", "\uff0f", "\u2100", "\u200d", "\ufe0f", "\u200b", "\x00", "\n"),
    *(".memlab", "MEMLAB~1", ".consolidate-lock", "nul", "com1", " ", "\u00e4", "a\u0308", "x"),
    *("\U0001f469", "outside", "/etc/passwd", "MEMORY.md", "\ud800", "\u017f", "\u212a", "desk.md"),
)
_likely = st.lists(
    st.sampled_from(("team", "notes.md", "MEMORY.md", ".", "", "crew", "..", "diary.md", "new.md")),
    min_size=1,
    max_size=4,
).map("/".join)
paths = st.one_of(
    st.text(max_size=40), _likely, st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
)
