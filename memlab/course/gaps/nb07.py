"""The gaps of notebook 07: guards of paths and commands."""

from __future__ import annotations

import atexit
import functools
import os
import shlex
import shutil
import string
import tempfile
from contextlib import suppress

from memlab.agent.shell import Verdict
from memlab.course.gap import Case, Gap

MEMORY = ".memlab/memory"
FOLDERS = ("tidebook/docs", "keys/deep", f"{MEMORY}/.memlab", f"{MEMORY}/team")
LINKS = {
    "tidebook/gate": "keys/deep",
    "tidebook/lost.md": "keys/new.md",
    "tidebook/remembered": MEMORY,
    "keys/home": "tidebook/docs",
    f"{MEMORY}/project": "tidebook",
    f"{MEMORY}/log": f"{MEMORY}/.memlab",
    f"{MEMORY}/inside": f"{MEMORY}/team",
    f"{MEMORY}/plain.md": f"{MEMORY}/run.sh",
    f"{MEMORY}/plain.txt": f"{MEMORY}/team/plain.md",
}


@functools.cache
def tree():
    """Make folders and links that stay as long as Python runs, so that a learner
    can make the call of a case by hand.
    """
    top = os.path.realpath(tempfile.mkdtemp(prefix="memlab-"))
    atexit.register(shutil.rmtree, top, ignore_errors=True)
    for name in FOLDERS:
        os.makedirs(f"{top}/{name}")
    for name, target in LINKS.items():
        with suppress(OSError):  # a system without links
            os.symlink(f"{top}/{target}", f"{top}/{name}")
    return top


def full(path):
    return os.path.join(tree(), path.replace("{top}", tree()))


def path_call(name, *paths):
    shown = f"{name}({', '.join(repr(full(path)) for path in paths)})"
    for link, target in LINKS.items():
        if any(f"{path}/".startswith(f"{link}/") for path in paths):
            shown += f"\nwhere {full(link)} is a link to {full(target)}"
    return shown


def listed(cases, prefix, usual):
    """Read ``path`` or ``path=folder``, several in a line."""
    for rule, some in cases.items():
        for one in some.split(" "):
            path, equals, folder = one.partition("=")
            given = (path, folder) if equals else (prefix + path, usual)
            yield Case(given, rule)


INSIDE = {
    "whatever is below the folder is inside it": "tidebook/README.md tidebook/docs/a.md"
    " tidebook/new/deep/a.md tidebook/README.md=/ tidebook/..notes.md",
    "the folder itself is inside, too": "tidebook tidebook/ tidebook/docs/..",
    "what is above or beside the folder is not inside": "=tidebook tidebook/docs=tidebook/x",
    "whole names are compared, from the beginning of the path": "tidebook-old/a.md tide/a.md"
    " tidebook/a.md=tide Tidebook/a.md robin/tidebook/a.md keys{top}/tidebook/a.md",
    "'..' leads to the folder above": "tidebook/../keys/a tidebook/new/../../keys/a tidebook/.."
    " keys/../tidebook/a.md tidebook/a.md=keys/../tidebook",
    "a link leads somewhere else: follow it": "tidebook/gate/a tidebook/gate keys/home/a.md"
    " tidebook/lost.md keys/home tidebook/docs/a.md=keys/home",
    "'..' after a link leads to the parent of its target": "tidebook/gate/../a keys/home/../a.md",
}


def insides(rng):
    yield from listed(INSIDE, "", "tidebook")
    parts = ("tidebook", "tidebook-old", "docs", "..", "gate", "a.md")
    for _ in range(12):
        path = "/".join(["tidebook", *rng.choices(parts, k=rng.randint(1, 4))])
        yield Case((path, rng.choice(("tidebook", "tidebook/docs"))))


is_inside = Gap(
    name="is_inside",
    place="memlab.agent.permissions.is_inside",
    guard=True,
    cases=insides,
    watch=lambda mine, *paths: mine(*map(full, paths)),
    call=functools.partial(path_call, "is_inside"),
    hints=(
        "`os.path.realpath` gives you two strings. Why isn't `startswith` enough to compare them?",
        "`PurePath` compares paths name by name: look at its method `is_relative_to`.",
    ),
    why="`realpath` leaves no link and no `..` in a path; `is_relative_to` compares whole names.",
    wrong=(
        ("place.is_relative_to(", "str(place).startswith(", "whole names"),
        ("return place", "return os.path.exists(path) and place", "below"),
        ("return place", "return path != folder and place", "folder itself"),
        ("os.path.realpath(path)", "os.path.abspath(path)", "a link leads"),
        ("realpath(path)", "realpath(os.path.normpath(path))", "after a link"),
    ),
)

WRITES = {
    "Markdown below the memory directory, at any depth": "ferry.md MEMORY.md x.md new/deep/a.md"
    " v1..v2.md f\u00e4hre(1).md a.md/b.md",
    "what comes before the memory directory doesn't matter": "tidebook/docs/a.md=tidebook"
    " .memlab/other/a.md=.memlab/other",
    "the place is below the memory directory": "../a.md ../../tidebook/a.md ../memory.md"
    f" ../memory-evil/a.md tidebook/a.md={MEMORY}",
    "the directory itself doesn't count": f". team/.. {MEMORY}/a.md={MEMORY}/a.md",
    "no folder below the memory directory is called .memlab": ".memlab/a.md .memlab/new/a.md"
    " team/.memlab/a.md a/b/.memlab/c/d.md .memlab-notes/a.md memlab/a.md x.memlab/a.md"
    " tidebook/.memlab/a.md=tidebook",
    "the name ends with .md, in lower case": "run.sh ferry ferrymd ferry.MD ferry.Md ferry.md~"
    " ferry.md.sh ferry.md\n a.md/run.sh .memlab",
    "at least one character of any kind comes before .md": ".md team/.md ..md .a.md .memlab.md",
    "every rule is about the place where the path really leads": "team/../a.md log/a.md"
    " inside/a.md plain.md plain.txt project/a.md project/../a.md .memlab/../a.md"
    f" tidebook/remembered/a.md={MEMORY} {MEMORY}/a.md=tidebook/remembered",
}


def writes(rng):
    yield from listed(WRITES, f"{MEMORY}/", MEMORY)
    parts = ("team", "..", ".memlab", "inside", "a.md", "log", "run.sh", "new")
    for _ in range(12):
        name = "/".join(rng.choices(parts, k=rng.randint(1, 3)))
        yield Case((f"{MEMORY}/{name}", MEMORY))


may_write = Gap(
    name="may_write",
    place="memlab.agent.permissions.may_write",
    guard=True,
    cases=writes,
    watch=lambda mine, *paths: mine(*map(full, paths)),
    call=functools.partial(path_call, "may_write"),
    hints=(
        "`names` is empty for the directory itself, so ask that before you look at `names[-1]`.",
        "`names` has the folders on the way, too: `.memlab` may be any of them.",
    ),
    why="Only the names below the memory directory are compared with `.memlab`, because Robin's"
    " memory directory is itself in a folder of that name.",
    wrong=(
        ("os.path.realpath(path)", "os.path.normpath(path)", "really leads"),
        ("not names or ", "", "the directory itself"),
        ("in names", "in place.parts", "at any depth"),
        ("in names", "in names[:1]", "no folder below"),
        ('.endswith(".md")', '.lower().endswith(".md")', "in lower case"),
        (' and names[-1] != ".md"', "", "at least one character"),
    ),
)


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
    if len(command) > 4_000 or not set(command) <= ALLOWED:
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

    def judge(command):
        verdict = own(command)
        if not verdict or mine(command, COMMAND_OPTIONS):
            return verdict
        return Verdict(False, "Your own verdict refuses it")

    return judge


def command_call(command, options):
    shown = "COMMAND_OPTIONS" if options == COMMAND_OPTIONS else repr(options)
    if len(command) <= 100:
        return f"is_read_only_command({command!r}, {shown})"
    return f"is_read_only_command({command[:40]!r} + …, {shown}), {len(command):,} characters"


COMMANDS = {
    "the command breaks no rule, so it is allowed": "ls · ls   -l   · ls -l -a · ls '' ·"
    " cat a-b.md a=b:a,b · grep 'a b' A_1 · cat -n a|cat|cat -n · grep -rn a . | wc -l",
    "only the characters in ALLOWED are allowed, even in quotes": "grep 'a > b' a ·"
    " grep 'a;b' a · cat {a,b} · cat a? · ls ~ · ls a^b · ls a@b ·"
    " ls a+b · cat größe · cat ² · ls\t-l · ls\n · \nls · ls\u00a0-l · ls # · ls a% · cat a\\ b ·"
    " ls ! · cat a[b] · ls (a) · ls $A · ls `a` · ls & · ls * · ls < a",
    "a stage without words is refused": " ·    · ls | · | ls · ls | | wc · ls || wc",
    "a command with a quote that isn't closed is refused": "cat 'a · ls | cat a'",
    "the command is split at every |, even in quotes": "grep 'a|b' a · cat \"a | ls\" · cat 'a|ls'",
    "the first word of every stage has to be a key of options": "rm a · ./ls · LS · lsx · l · ''"
    " · '' ls · 'ls -l' · -l ls · x=1 ls · ls | rm a | wc · rm a | ls",
    "a word that begins with - has to be, as a whole, an option of its own program": "ls -n ·"
    " ls -al · wc -n a · find . -delete · ls --all · cat - · head -55 a · head -n3 a ·"
    " ls -l=1 · find . -nam a · grep -- -n a · ls | wc -l | head -l · stat -c a",
    "shlex.split removes the quotes first": "find . -del'ete' · find . \"-delete\" · 'rm' a ·"
    " find . ''-delete · cat my' 'a · l\"s\" · ls '-l'",
}


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
        yield Case((command, mine), "options is an argument, so it may differ")
    # the other half stays unseen until the notebook measures with it
    some = [one.command for one in load_shell_cases() if one.half == "work"]
    for command in rng.sample(some, 60):
        if "@" not in command:
            yield Case((command, COMMAND_OPTIONS))


read_only = Gap(
    name="is_read_only_command",
    place="memlab.agent.tool.is_read_only_command",
    answer=is_read_only_command,
    enters=combined,
    cases=commands,
    call=command_call,
    hints=(
        "Write a loop over `stages`. Call `shlex.split` in a `try`.",
        "Look for the whole word in `options[words[0]]`, the set of the program's options.",
    ),
    why="`ALLOWED` excludes nearly every character that means something special to a shell, and"
    " `shlex.split` treats spaces and quotes as a shell does.",
    wrong=(
        ("> 4_000", "> 100_000", "more than 4,000"),
        ("set(command) <=", "set(command.strip()) <=", "in ALLOWED"),
        ('split("|")', 'split("|")[:1]', "without words"),
        ("shlex.split(stage)", "stage.split()", "isn't closed"),
        ("options[words[0]]:", "set.union(*options.values()):", "its own"),
        ("word not in", "word[:2] not in", "as a whole"),
    ),
)
