"""The exercises of notebook 07: judge a command, get past a deny-list, find the rule that refuses.

Left out: running anything. A command is a text here, and a log a list of dicts.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb07_cases import (
    allowed,
    hiding_cases,
    log_cases,
    verdict_cases,
)

_VERDICT = Exercise(
    name="my_is_read_only_command",
    notebook=7,
    kind="build",
    returns=bool,
    part="is_read_only_command",
    default=allowed,
    starter='''\
def my_is_read_only_command(command: str, options: dict) -> bool:
    """Tell whether a command can do nothing but read.

    options has the programs that may run, each with the options it may have. Programs
    may be joined by |. Refuse what you do not know: a text of over 4,000 characters,
    characters that are not printable, anything a shell would expand or obey.

    >>> my_is_read_only_command("ls -l | wc -l", {"ls": {"-l"}, "wc": {"-l"}})
    True
    >>> my_is_read_only_command("ls -l > a.md", {"ls": {"-l"}, "wc": {"-l"}})
    False
    """
    raise NotImplementedError
''',
    solution="""\
import shlex


def my_is_read_only_command(command: str, options: dict) -> bool:
    if len(command) > 4_000 or not command.isprintable() or set(command) & set(";&<>$`(){}~#!"):
        return False
    for stage in command.split("|"):
        try:
            words = shlex.split(stage)
        except ValueError:
            return False
        if not words or words[0] not in options:
            return False
        for word in words[1:]:
            if word.startswith(("-", "+")) and word not in options[words[0]]:
                return False
    return True
""",
    why=(
        "It lists what may pass and refuses the rest, quoted or not, so a trick nobody thought of "
        "is refused as well, at the price of a few harmless commands."
    ),
    hints=(
        "Begin with what is refused unread: too long, not printable, or holding a character such "
        "as > or $.",
        "Split at |, then split each stage with shlex.split, which takes the quotes away and "
        "raises ValueError where one is open.",
        "Compare words[0] with the keys of options, and every later word that begins with - or + "
        "with the set behind that key.",
    ),
    wrong=(
        Wrong(
            "def my_is_read_only_command(command, options):\n"
            "    return command.split()[:1] != [] and command.split()[0] in options\n",
            "look at every stage of a pipe",
        ),
        Wrong(
            "def my_is_read_only_command(command, options):\n    return False\n",
            "safe and useless",
        ),
        Wrong(
            "import shlex\n\n\n"
            "def my_is_read_only_command(command, options):\n"
            "    if set(command) & set(';&<>$`(){}~#!') or not command.isprintable():\n"
            "        return False\n"
            "    try:\n"
            "        stages = [shlex.split(stage) for stage in command.split('|')]\n"
            "    except ValueError:\n"
            "        return False\n"
            "    return all(stage and stage[0] in options for stage in stages)\n",
            "only if it is listed for its program",
        ),
        Wrong(
            "def my_is_read_only_command(command, options):\n"
            "    if set(command) & set(';&<>$`(){}~#!') or not command.isprintable():\n"
            "        return False\n"
            "    stages = [stage.split() for stage in command.split('|')]\n"
            "    return all(\n"
            "        stage and stage[0] in options\n"
            "        and '-delete' not in stage and '-f' not in stage\n"
            "        for stage in stages\n"
            "    )\n",
            "take quotes away before you compare",
        ),
    ),
    cases=verdict_cases,
)

_HIDDEN_DELETE = Exercise(
    name="my_hidden_delete",
    notebook=7,
    kind="break",
    returns=str,
    starter='''\
def my_hidden_delete(forbidden: list[str]) -> str:
    """Give a find command that deletes files and holds none of the forbidden texts.

    It deletes by -delete, or by -exec with rm. What counts are the words that find
    gets once quotes and backslashes are gone.

    >>> my_hidden_delete(["rm", ";", ">"])
    'find . -delete'
    """
    raise NotImplementedError
''',
    solution="""\
def my_hidden_delete(forbidden: list[str]) -> str:
    ways = (
        "find . -delete",
        "find . -exec rm {} +",
        'find . -d"elet"e',
        "find . -d'elet'e",
        "find . -d\\\\elete",
    )
    return next((way for way in ways if not any(text in way for text in forbidden)), "")
""",
    why=(
        "A deny-list looks at the text before quotes are taken away and a program at the words "
        "after, so one list would need every spelling of every harm."
    ),
    hints=(
        'How does a shell read -d"elet"e?',
        "Single quotes, double quotes and a backslash each split a word for a reader of text, and "
        "none of them does for a shell.",
        "If all three are forbidden, is -exec rm {} + as well?",
    ),
    wrong=(
        Wrong(
            "def my_hidden_delete(forbidden):\n    return 'find . -delete'\n",
            "quotes and backslashes vanish",
        ),
        Wrong(
            "def my_hidden_delete(forbidden):\n    return 'find . -d\"elet\"e'\n",
            "holds no forbidden text",
        ),
        Wrong(
            "def my_hidden_delete(forbidden):\n    return 'find . -name x'\n",
            "a find command that deletes",
        ),
    ),
    cases=hiding_cases,
)

_DENYING_RULE = Exercise(
    name="my_denying_rule",
    notebook=7,
    kind="diagnose",
    returns=str,
    starter='''\
def my_denying_rule(log: list[dict], rules: dict) -> str:
    """Name the rule that refused most since something was last saved, or give "".

    A line has "event". "extracted" has "files", which may be empty; "tool_denied" has
    "reason". rules maps each rule's name to a text that stands in its reasons alone.

    >>> my_denying_rule([{"event": "extracted", "files": []}], {"link": "through a link"})
    ''
    """
    raise NotImplementedError
''',
    solution="""\
def my_denying_rule(log: list[dict], rules: dict) -> str:
    counts = dict.fromkeys(rules, 0)
    for line in log:
        if line["event"] == "extracted" and line["files"]:
            counts = dict.fromkeys(rules, 0)
        elif line["event"] == "tool_denied":
            for rule, text in rules.items():
                counts[rule] += text in line["reason"]
    most = max(counts, key=counts.get)
    return most if counts[most] else ""
""",
    why=(
        "A refusal is an event with its reason, so a fork that stopped remembering says in its log "
        "since when and by which rule."
    ),
    hints=(
        "Walk through the log once, and begin to count anew whenever something was saved.",
        "A rule counts where its text stands in the reason of a tool_denied.",
        "max(counts, key=counts.get) gives the most frequent; what if all are 0?",
    ),
    wrong=(
        Wrong(
            "def my_denying_rule(log, rules):\n"
            "    reasons = [line.get('reason', '') for line in log]\n"
            "    counts = {r: sum(t in one for one in reasons) for r, t in rules.items()}\n"
            "    most = max(counts, key=counts.get)\n"
            "    return most if counts[most] else ''\n",
            "stands behind the last",
        ),
        Wrong(
            "def my_denying_rule(log, rules):\n"
            "    for line in reversed(log):\n"
            "        for rule, text in rules.items():\n"
            "            if text in line.get('reason', ''):\n"
            "                return rule\n"
            "    return ''\n",
            "stands behind the last",
        ),
        Wrong(
            "def my_denying_rule(log, rules):\n"
            "    found = ''\n"
            "    for line in log:\n"
            "        if line.get('files'):\n"
            "            found = ''\n"
            "        for rule, text in rules.items():\n"
            "            if text in line.get('reason', ''):\n"
            "                found = rule\n"
            "    return found\n",
            "most frequent rule wins",
        ),
    ),
    cases=log_cases,
)

EXERCISES: tuple[Exercise, ...] = (_VERDICT, _HIDDEN_DELETE, _DENYING_RULE)
