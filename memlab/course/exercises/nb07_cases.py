"""The cases of notebook 07's exercises: commands, lists of forbidden texts, logs of refusals.

Left out: what the exercises say, which stands in ``nb07``.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from memlab.agent.command_policy import Verdict, is_read_only_command
from memlab.course.exercise import Case, case

OPTIONS: dict[str, set[str]] = {
    "ls": {"-l", "-a", "-la", "-1", "-R"},
    "find": {"-name", "-type", "-mtime", "-maxdepth"},
    "grep": {"-n", "-r", "-rn", "-i", "-c", "-l"},
    "cat": {"-n"},
    "head": {"-n", "-5"},
    "tail": {"-n", "-5"},
    "wc": {"-l", "-c"},
}
RULES: dict[str, str] = {
    "program": "The programs that may run",
    "option": "is not among the options",
    "shell": "means something to a shell",
    "root": "leads elsewhere",
    "memory": "leads out of the memory directory",
    "link": "leads through a link",
    "tool": "cannot be used in the background",
}

_FINE = (
    *(
        "ls",
        "ls -la tidebook",
        "cat notes.md CLAUDE.md",
        "grep -rn ferry tidebook",
        "wc -l notes.md",
    ),
    *("find . -name board.py", "ls | wc -l", "grep -rn ERROR logs | grep -i card | head -5"),
    *("cat 'my notes.md'", 'grep -n "late parties" notes.md', "find . -type f -mtime 7"),
)
_HARM = {
    "rm notes.md": "a program may run only if it is a key of options",
    "./ls": "the name of a program is compared whole: ./ls is another program",
    "cat evil.sh | sh": "look at every stage of a pipe, the last one too",
    "ls;touch hit.txt": "; ends a command, with or without blanks around it",
    "ls & touch hit.txt": "& ends a command too",
    "cat notes.md>hit.txt": "> writes a file",
    "cat < /etc/passwd": "< reads a file that no operand names",
    "ls $(touch hit.txt)": "$( runs a command to make a word",
    'grep "`touch hit.txt`" notes.md': "a backtick runs a command, in double quotes too",
    "find . $ACTION": "$ hides a word: nobody knows what it will be",
    "cat {notes,README}.md": "{ makes two words of one",
    "cat ~/.ssh/id_rsa": "~ becomes another place",
    "ls\ntouch hit.txt": "a second line is a second command",
    "cat notes.md # quiet": "what # begins is read in two ways: refuse it",
    "find . -delete": "an option may be used only if it is listed for its program",
    'find . -del"ete"': "take quotes away before you compare: shlex.split does",
    "find . -d[e]lete": "an option with a pattern in it is none that is listed",
    "tail -f logs/desk.log": "an option may be used only if it is listed for its program",
    "tail +1f logs/desk.log": "a word that begins with + is an option of tail",
    "ls -R --dereference": "an option may be used only if it is listed for its program",
    "PATH=. ls": "PATH=. is no program, and so no key of options",
    "c\u200bat notes.md": "str.isprintable tells characters that nobody sees",
    "ls\u3000-la": "str.isprintable tells blanks of other kinds",
    "cat 'notes.md": "shlex.split raises ValueError for an open quote",
    "ls |": "an empty stage has no program",
    "": "no command is no reading command",
    "cat " + "notes.md " * 1_000: "over 4,000 characters a command is refused unread",
}
_FINE_SLIP = "a guard that refuses everything is safe and useless: this one only reads"
_HIDE = (
    "a find command that deletes, by -delete or by -exec … rm …, and holds no forbidden text; "
    "quotes and backslashes vanish before find sees its words"
)
_LAST = "what counts stands behind the last 'extracted' whose files are not empty"
_MOST = "count the reasons that hold a rule's text; the most frequent rule wins"


def allowed(command: str, options: Mapping[str, set[str]]) -> bool:
    """Tell whether a command only reads, by the machine's own verdict and its own tables."""
    return is_read_only_command(command).allowed


def both(mine: Callable[[str, Mapping[str, set[str]]], bool]) -> Callable[[str], Verdict]:
    """Give a judge that allows what the machine's verdict and ``mine`` both allow."""

    def judge(command: str) -> Verdict:
        verdict = is_read_only_command(command)
        if not verdict.allowed or mine(command, OPTIONS):
            return verdict
        return Verdict(False, "Your own verdict refuses it")

    return judge


def verdict_cases(chance: random.Random) -> Sequence[Case]:
    """Give commands that only read, commands that do not, and drawn ones of both kinds."""
    cases = [case((command, OPTIONS), True, _FINE_SLIP) for command in _FINE]
    cases += [case((command, OPTIONS), False, slip) for command, slip in _HARM.items()]
    for _ in range(20):
        stages = [_reader(chance) for _ in range(chance.randint(1, 3))]
        fine = " | ".join(stages)
        cases.append(case((fine, OPTIONS), True, _FINE_SLIP))
        bad, slip = chance.choice(
            (
                ("tee out.txt", "look at every stage of a pipe, the last one too"),
                ("wc --files0-from=list.txt", "an option may be used only if it is listed"),
                ("cat > out.txt", "> writes a file"),
                ("find . -exec rm x", "an option may be used only if it is listed"),
            )
        )
        stages.insert(chance.randint(0, len(stages)), bad)
        cases.append(case((" | ".join(stages), OPTIONS), False, slip))
    return cases


def _reader(chance: random.Random) -> str:
    program = chance.choice(("ls", "cat", "wc", "grep"))
    option = chance.choice(sorted(OPTIONS[program]))
    word = chance.choice(("tide", "board", "late", "boats"))
    operands = f"{word} notes.md" if program == "grep" else f"{word}.md"
    return f"{program} {option} {operands}"


def hiding_cases(chance: random.Random) -> Sequence[Case]:
    """Give lists of forbidden texts, each with a way left to delete through find."""
    usual = ["rm -", "sudo", ";", "&&", ">"]
    fixed = [
        ["-delete"],
        ["-delete", "-exec"],
        ["-delete", "-exec", '"', "''"],
        ["-delete", "-exec", "'", '"'],
        ["-delete", "-exec", "\\", '"'],
        ["-delete", '"', "'", "\\"],
        ["-exec", "delete", "'", "\\"],
    ]
    spellings = ['"', "'", "\\"]
    for _ in range(8):
        kept = chance.choice(spellings)
        fixed.append(["-delete", "-exec", *(one for one in spellings if one != kept)])
    return [
        Case(
            (chance.sample([*usual, *more], len(usual) + len(more)),),
            f"a find command that deletes, with none of {', '.join(more)} in it",
            partial(_deletes_unseen, frozenset([*usual, *more])),
            _HIDE,
        )
        for more in fixed
    ]


def _deletes_unseen(forbidden: frozenset[str], command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    acts = "-delete" in words or {"-exec", "rm"} <= set(words) or {"-execdir", "rm"} <= set(words)
    return words[:1] == ["find"] and acts and not any(text in command for text in forbidden)


def log_cases(chance: random.Random) -> Sequence[Case]:
    """Give logs of a fork that stopped remembering, and of one that never did."""
    saved, nothing = {"event": "extracted", "files": ["a.md"]}, {"event": "extracted", "files": []}
    fixed: list[tuple[list[dict[str, Any]], str]] = [
        ([saved], "nothing was refused since: the answer is ''"),
        ([saved, _denied("memory"), nothing], _MOST),
        ([_denied("memory"), _denied("memory"), saved, _denied("program"), nothing], _LAST),
        ([saved, _denied("program"), nothing, _denied("link"), _denied("link"), nothing], _LAST),
        ([{"event": "tool", "tool": "Read"}, _denied("link"), nothing], _LAST),
    ]
    cases = [case((log, RULES), denying_rule(log, RULES), slip) for log, slip in fixed]
    for _ in range(12):
        before = [_denied(chance.choice(sorted(RULES))) for _ in range(chance.randint(0, 6))]
        often, seldom = chance.sample(sorted(RULES), 2)
        after = [_denied(often)] * 3 + [_denied(seldom)] * 2 + [nothing]
        chance.shuffle(after)
        log = [*before, saved, *after, {"event": "tool", "tool": "Grep"}]
        cases.append(case((log, RULES), denying_rule(log, RULES), f"{_LAST}; {_MOST}"))
    return cases


def denying_rule(log: Sequence[Mapping[str, Any]], rules: Mapping[str, str]) -> str:
    """Name the rule that refused most since something was last saved; "" if none did."""
    saved = [number for number, line in enumerate(log) if line.get("files")]
    reasons = [line.get("reason", "") for line in log[saved[-1] + 1 if saved else 0 :]]
    counts = {rule: sum(text in reason for reason in reasons) for rule, text in rules.items()}
    most = max(counts, key=lambda rule: counts[rule])
    return most if counts[most] else ""


def _denied(rule: str) -> dict[str, Any]:
    told = {
        "program": ("Bash", is_read_only_command("rm a.md").reason),
        "option": ("Bash", is_read_only_command("find . -delete").reason),
        "shell": ("Bash", is_read_only_command("cat a > b").reason),
        "root": ("Read", "~/robin/.ssh/id_rsa leads elsewhere. Read in the project"),
        "memory": ("Write", "'notes.md': it leads out of the memory directory. Give a plain path"),
        "link": ("Write", "'team/a.md': it leads through a link, and those are not followed"),
        "tool": ("Task", "Task cannot be used in the background. Use Read, Grep, Glob"),
    }
    tool, reason = told[rule]
    return {"event": "tool_denied", "tool": tool, "reason": reason}
