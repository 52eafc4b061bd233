from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memlab.agent import is_read_only_command
from memlab.course import Case, case

RULES: dict[str, str] = {
    "program": "The programs that may run",
    "option": "is not among the options",
    "shell": "means something to a shell",
    "root": "leads elsewhere",
    "memory": "leads out of the memory directory",
    "link": "leads through a link",
    "tool": "cannot be used in the background",
}
_LAST = (
    "what counts stands behind the last 'extracted' whose files are not empty"
)
_MOST = (
    "count the reasons that hold a rule's text; the most frequent rule wins"
)


def cases(random: Random) -> list[Case]:
    """Give logs of a fork that stopped remembering, and of one that never did."""
    saved, nothing = (
        {"event": "extracted", "files": ["a.md"]},
        {"event": "extracted", "files": []},
    )
    fixed: list[tuple[list[dict[str, Any]], str]] = [
        ([saved], "nothing was refused since: the answer is ''"),
        ([saved, _denied("memory"), nothing], _MOST),
        (
            [
                _denied("memory"),
                _denied("memory"),
                saved,
                _denied("program"),
                nothing,
            ],
            _LAST,
        ),
        (
            [
                saved,
                _denied("program"),
                nothing,
                _denied("link"),
                _denied("link"),
                nothing,
            ],
            _LAST,
        ),
        ([{"event": "tool", "tool": "Read"}, _denied("link"), nothing], _LAST),
    ]
    found = [
        case((log, RULES), denying_rule(log, RULES), slip)
        for log, slip in fixed
    ]
    for _ in range(12):
        before = [
            _denied(random.choice(sorted(RULES)))
            for _ in range(random.randint(0, 6))
        ]
        often, seldom = random.sample(sorted(RULES), 2)
        after = [_denied(often)] * 3 + [_denied(seldom)] * 2 + [nothing]
        random.shuffle(after)
        log = [*before, saved, *after, {"event": "tool", "tool": "Grep"}]
        found.append(
            case((log, RULES), denying_rule(log, RULES), f"{_LAST}; {_MOST}")
        )
    return found


def denying_rule(
    log: Sequence[Mapping[str, Any]], rules: Mapping[str, str]
) -> str:
    """Name the rule that refused most since something was last saved; "" if none did."""
    saved = [number for number, line in enumerate(log) if line.get("files")]
    reasons = [
        line.get("reason", "") for line in log[saved[-1] + 1 if saved else 0 :]
    ]
    counts = {
        rule: sum(text in reason for reason in reasons)
        for rule, text in rules.items()
    }
    most = max(counts, key=lambda rule: counts[rule])
    return most if counts[most] else ""


def _denied(rule: str) -> dict[str, Any]:
    calls = {
        "program": ("Bash", is_read_only_command("rm a.md").reason),
        "option": ("Bash", is_read_only_command("find . -delete").reason),
        "shell": ("Bash", is_read_only_command("cat a > b").reason),
        "root": (
            "Read",
            "~/robin/.ssh/id_rsa leads elsewhere. Read in the project",
        ),
        "memory": (
            "Write",
            "'notes.md': it leads out of the memory directory. Give a plain path",
        ),
        "link": (
            "Write",
            "'team/a.md': it leads through a link, and those are not followed",
        ),
        "tool": (
            "Task",
            "Task cannot be used in the background. Use Read, Grep, Glob",
        ),
    }
    tool, reason = calls[rule]
    return {"event": "tool_denied", "tool": tool, "reason": reason}
