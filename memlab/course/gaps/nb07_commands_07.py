"""The gap of notebook 07 about commands."""

from __future__ import annotations

import shlex
import string

from memlab.agent.command_policy import Verdict
from memlab.course.gap import Case, Gap

COMMAND_OPTIONS = {
    "ls": {"-l", "-a", "-la", "-1", "-R"},
    "find": {"-name", "-type", "-mtime", "-maxdepth"},
    "grep": {"-n", "-r", "-rn", "-i", "-c", "-l"},
    "cat": {"-n"},
    "head": {"-n", "-5"},
    "stat": set(),
    "tail": {"-n", "-3", "-5"},
    "wc": {"-l", "-c"},
}
"""The programs, with their options, that a learner's verdict on commands gets to know."""

ALLOWED = set(string.ascii_letters + string.digits + " ._-/,:=|'\"")


def is_read_only_command(command: str, options: dict[str, set[str]]) -> bool:
    """Tell whether a command can do nothing but read."""
    if len(command) > 4_000:
        return False
    if not set(command) <= ALLOWED:
        return False
    for stage in command.split("|"):
        try:
            words = shlex.split(stage)
        except ValueError:
            return False
        if not words or words[0] not in options:
            return False
        for word in words[1:]:
            if word.startswith("-") and word not in options[words[0]]:
                return False
    return True


def combined(mine, own):
    """Let a part judge what memlab allows."""

    def judge(command, **more):
        verdict = own(command, **more)
        if not verdict or mine(command, COMMAND_OPTIONS):
            return verdict
        return Verdict(False, "Your own verdict refuses it")

    return judge


def command_call(command, options):
    shown = "COMMAND_OPTIONS" if options == COMMAND_OPTIONS else repr(options)
    if len(command) <= 100:
        return f"is_read_only_command({command!r}, {shown})"
    size = f"{len(command):,} characters: {command[:40]!r} …"
    return f"is_read_only_command(command, {shown}), and command has {size}"


CHARACTER = "only the characters of rule 2 are allowed, even in quotes"
PROGRAM = "the first word of every stage has to be a key of options"
OPTION = "a word that begins with - has to be, as a whole, one of the options of its own program"
COMMANDS = {
    "the command obeys all five rules, so it is allowed": "ls · ls   -l   · ls -l -a · ls '' ·"
    " cat a-b.md a=b:a,b · grep 'a b' A_1 · cat -n a|cat|cat -n · grep -rn a . | wc -l",
    CHARACTER: "grep 'a > b' a · grep 'a;b' a · cat {a,b} · cat a? · ls ~ · ls a^b · ls a@b ·"
    " ls a+b · cat größe · cat ² · ls\t-l · ls\n · \nls · ls\u00a0-l · ls # · ls a% · cat a\\ b ·"
    " ls ! · cat a[b] · ls (a) · ls $A · ls `a` · ls & · ls * · ls < a",
    "a stage without words is refused": " ·    · ls | · | ls · ls | | wc · ls || wc",
    "a quote that isn't closed": "cat 'a · ls | cat a'",
    "the command is split at every |, even in quotes": "grep 'a|b' a · cat \"a | ls\" · cat 'a|ls'",
    PROGRAM: "rm a · ./ls · LS · lsx · l · '' · '' ls · 'ls -l' · -l ls · x=1 ls · ls | rm a | wc ·"
    " rm a | ls",
    OPTION: "find . -delete · ls -n · wc -n a · ls -al · ls --all · cat - · head -55 a ·"
    " head -n3 a · ls -l=1 · find . -nam a · grep -- -n a · ls | wc -l | head -l · stat -c a",
    "shlex.split removes the quotes first": "find . -del'ete' · find . \"-delete\" · 'rm' a ·"
    " find . ''-delete · cat my' 'a · l\"s\" · ls '-l'",
}
FAMILIES = {
    CHARACTER: "redirection separator command-substitution newline brace parameter background"
    " look-alike control-character",
    PROGRAM: "other-program wrapper builtin path-as-name",
    OPTION: "find-action follow link-following hidden-operands",
    "a command of more than 4,000 characters is refused": "size",
}
"""By rule: families of ``data/attacks`` whose commands break it."""


def commands(rng):
    from memlab.evals.attacks import load_shell_cases

    for rule, some in COMMANDS.items():
        for command in some.split(" · "):
            yield Case((command, COMMAND_OPTIONS), rule)
    for size in (3_996, 3_997):
        given = "cat " + "a" * size, COMMAND_OPTIONS
        yield Case(given, "a command of more than 4,000 characters is refused")
    mine = {"sort": {"-n", "--all"}, "rm": {"-"}, "ls": set()}
    for command in ("sort --all | rm - a", "sort --al", "ls -n", "cat a"):
        yield Case((command, mine), "options is an argument, and may differ")
    # the other half stays unseen until the notebook measures with it
    for rule, families in FAMILIES.items():
        some = [
            one.command
            for one in load_shell_cases()
            if one.half == "work"
            and not one.allow
            and one.family in families.split()
            and "@" not in one.command
            and (rule == CHARACTER) != (set(one.command) <= ALLOWED)
        ]
        for command in rng.sample(some, min(len(some), 12)):
            yield Case((command, COMMAND_OPTIONS), rule)


read_only = Gap(
    name="is_read_only_command",
    place="memlab.agent.fork.is_read_only_command",
    answer=is_read_only_command,
    enters=combined,
    cases=commands,
    call=command_call,
    hints=(
        "The first two rules look at characters. `string.ascii_letters` and `string.digits` are"
        " the letters and digits of rule 2; `str.isalnum` accepts many more.",
        'For rules 3 to 5, write a loop over `command.split("|")`. Call `shlex.split` in a `try`.',
        "`words[0]` is the program, and `options[words[0]]` is the set of its options. Look for"
        " the whole word in this set.",
    ),
    why="Nearly every character that means something to a shell is missing from rule 2, and"
    " `shlex.split` treats spaces and quotes as a shell does. So the words that the solution"
    " judges are the words that a shell would give to the program.",
    wrong=(
        ("> 4_000", "> 100_000", "more than 4,000"),
        ("set(command) <=", "set(command.strip()) <=", "rule 2"),
        ('split("|")', 'split("|")[:1]', "without words"),
        ("shlex.split(stage)", "stage.split()", "isn't closed"),
        (
            "options[words[0]]:",
            "sum(map(list, options.values()), []):",
            "its own program",
        ),
        ("word not in", "word[:2] not in", "as a whole"),
    ),
)
