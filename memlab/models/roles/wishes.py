"""Remember and forget, by rules: what the main chat does with two plain wishes
about memory.

The wish is carried out by real tool calls, one step an answer, each from the
results of the steps before; what a check refuses is mended once, or told. Left
out: any other way to say it. A language model understands "that thing about
the boats can go"; these rules want the verb in front.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlab.memdir.path_safety import slug
from memlab.memdir.policy import find_live_facts
from memlab.models.request import ModelRequest, said_by_person
from memlab.models.wire import Reply, say
from memlab.text import as_blocks, block_text, fold_space, shorten, words

BY_RULES = "(rules, not a language model)"
MOST_WRITES = 3
_POLITE = (
    r"^(?:(?:please|ok(?:ay)?|oh|hey|and|so|also|now|then|by the way|one more"
    r" thing)[,:]? )*"
    r"(?:(?:can|could|will) you )?(?:please )?"
)
_REMEMBER = re.compile(
    _POLITE + r"(?:remember|note|keep in mind|don'?t forget|do not"
    r" forget|memori[sz]e)\b[,:]?"
    r"(?: that\b| to\b| this:| one thing:)? "
    r"(?!(?:when|what|how|who|where|why|if|me|us)\b)(?P<what>.{3,}[^?])$",
    re.IGNORECASE | re.DOTALL,
)
_FORGET = re.compile(
    _POLITE
    + r"forget\b(?: everything| anything| what (?:I|you) (?:said|know|told"
    r" you)| the memory"
    r"| your memory)?(?: about| of| that| how| where)? (?P<what>.{3,}[^?])$",
    re.IGNORECASE | re.DOTALL,
)
_ALL = re.compile(
    r"(?:everything|it all|all(?: (?:of|it|my|the|your|memories))*)", re.I
)
_DIRECTORY = re.compile(r"directory of Markdown files at `([^`\n]+)`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FILE = re.compile(r"[\w.-]+\.md\b")
_DATED = re.compile(
    r"'([^'\n]+)' is true only for a while|Write (\d{4}-\d\d-\d\d)"
)
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code)|api[ -]?key|access[ -]?token|secret|pin)\b"
    r"(?:\s+\w+){0,3}?[\s:='\"]+(?=\S*\d)\S{4,}",
    re.IGNORECASE,
)
_LITTLE = frozenset(
    words(
        """a about again all also am an and any are as at be but by can do does for from had has
    have how i if in into is it its just me my no not now of on or our please so some that the
    their them there these they thing things this those to us was we were what when where which who
    will with you your"""
    )
)
_KINDS: Sequence[tuple[str, str]] = (
    (
        "reference",
        r"https?://|\b(?:dashboard|tracker|wiki|runbook|channel|spreadsheet)\b",
    ),
    ("user", r"^(?:i|i'm|i've|my|call me)\b"),
    (
        "feedback",
        (
            r"^(?:always|never|don'?t|do not|use|prefer|avoid|when"
            r" you|ask|keep|stop|no)\b"
        ),
    ),
)


@dataclass(frozen=True)
class Step:
    """A tool call made since the person's newest words, and its result."""

    name: str
    given: Mapping[str, Any]
    result: str
    failed: bool


def answer_wish(request: ModelRequest) -> Reply | None:
    """Carry a wish to remember or forget one step further; None where there is
    no such wish.
    """
    place = _DIRECTORY.search(_system(request))
    if not place or "Write" not in request.tool_names:
        return None
    steps = steps_since(request)
    wish = find_wish(request.said)
    if wish is None:
        return None
    verb, what = wish
    if verb == "forget" and _ALL.fullmatch(what):
        told = (
            "I forget one thing at a time. Say what it is about, or type"
            " /forget and a word."
        )
        return Reply([say(f"{BY_RULES} {told}")])
    done = (_remember if verb == "remember" else _forget)(
        what, place[1], steps
    )
    if isinstance(done, str):
        return Reply([say(f"{BY_RULES} {done}")])
    call = f"toolu_{len(request.messages):03d}_01"
    return Reply(
        [{"type": "tool_use", "id": call, "name": done[0], "input": done[1]}]
    )


def find_wish(said: str) -> tuple[str, str] | None:
    """Find "remember" or "forget" at the head of a sentence, and what it is
    about.

    A message that begins with "remember" is about all that follows; a wish
    further on, or to forget, is about its own sentence.
    """
    for number, sentence in enumerate(_SENTENCE.split(said)):
        for verb, pattern in (("remember", _REMEMBER), ("forget", _FORGET)):
            found = pattern.match(sentence)
            if found and verb == "remember" and number == 0:
                found = pattern.match(said) or found
            if found:
                return verb, fold_space(found["what"]).rstrip(" .")
    return None


def steps_since(request: ModelRequest) -> list[Step]:
    """List what was done since the person's newest words."""
    calls: dict[str, Mapping[str, Any]] = {}
    steps: list[Step] = []
    for message in request.messages:
        if message["role"] == "user" and said_by_person(message):
            calls, steps = {}, []
        for block in as_blocks(message["content"]):
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif (
                block["type"] == "tool_result"
                and block["tool_use_id"] in calls
            ):
                call = calls[block["tool_use_id"]]
                failed = bool(block.get("is_error"))
                steps.append(
                    Step(
                        call["name"], call["input"], block_text(block), failed
                    )
                )
    return steps


def _system(request: ModelRequest) -> str:
    return "\n".join(
        block_text(block)
        for block in as_blocks(request.body.get("system") or ())
    )


Act = str | tuple[str, dict[str, Any]]


def _remember(what: str, directory: str, steps: Sequence[Step]) -> Act:
    if _SECRET.search(what):
        return (
            "I keep no passwords and no keys. Tell me where it is kept, and I"
            " remember that."
        )
    if find_live_facts(f"{what}."):
        return (
            "The code tells that, and a note of it grows old. What about it"
            " was surprising?"
        )
    writes = [step for step in steps if step.name == "Write"]
    dated, last = _dated(what, writes), steps[-1] if steps else None
    path = f"{directory}/{slug(_parted(dated)[0][:60])}.md"
    write = "Write", {"file_path": path, "content": _draft(dated)}
    if not last or (last.name == "Read" and not last.failed):
        return write
    if not last.failed:
        file = str(last.given["file_path"]).removeprefix(f"{directory}/")
        return f"I saved that as {file}: “{dated}”."
    if "has not been read" in last.result and len(writes) < MOST_WRITES:
        return "Read", {"file_path": str(last.given["file_path"])}
    if len(writes) < MOST_WRITES and dated != _dated(what, writes[:-1]):
        return write
    reason = fold_space(last.result).rstrip(".")
    if "never stored" in reason or "CLAUDE.md says" in reason:
        return (
            f"I did not save that: {reason}. What about it was surprising?"
            " That I would keep."
        )
    return f"I did not save that: {reason}."


def _dated(what: str, writes: Sequence[Step]) -> str:
    """Put dates for the times that a check found relative; it names both, in
    one order.
    """
    for step in writes:
        found = _DATED.findall(step.result) if step.failed else []
        times = [time for time, _ in found if time]
        dates = [date for _, date in found if date]
        for time, date in zip(times, dates, strict=False):
            loose = r"\s+".join(map(re.escape, time.split()))
            what = re.sub(
                rf"\b(?:(?:on|by) )?{loose}\b",
                f"on {date}",
                what,
                flags=re.IGNORECASE,
            )
    return what


def _draft(what: str) -> str:
    """Write a memory in the person's words."""
    fact, reason = _parted(what)
    kind = next(
        (kind for kind, sign in _KINDS if re.search(sign, what, re.I)),
        "project",
    )
    title = fact[:1].upper() + fact[1:]
    why = (
        "**Why:**"
        f" {reason or 'The person asked for it to be remembered and gave no reason'}."
    )
    lines = ["---", f"name: {_quoted(shorten(title, 60))}"]
    lines += [
        f"description: {_quoted(shorten(title, 140))}",
        f"type: {kind}",
        "---",
        "",
    ]
    lines += [f"As the person told it: {fact}."]
    if kind in ("feedback", "project"):
        lines += [
            "",
            why,
            "",
            "**How to apply:** Whenever the work touches on this.",
        ]
    elif reason:
        lines += ["", why]
    return "\n".join(lines) + "\n"


def _parted(what: str) -> tuple[str, str]:
    """Split what is to be remembered into the fact and the reason, "" if none
    was given.
    """
    fact, _, reason = re.sub(
        r",? because (?:of )?", "\0", what, count=1
    ).partition("\0")
    return fact.strip(" ,."), reason.strip(" ,.")


def _forget(what: str, directory: str, steps: Sequence[Step]) -> Act:
    if not steps:
        named = _FILE.fullmatch(what)
        if named:
            return "Read", {"file_path": f"{directory}/{what}"}
        pattern = "|".join(
            rf"\b{re.escape(stem)}" for stem in _stems(what)
        ) or re.escape(what)
        given = {
            "pattern": pattern,
            "path": directory,
            "output_mode": "content",
            "-i": True,
        }
        return "Grep", given
    last = steps[-1]
    if last.failed:
        return f"I dropped nothing. {fold_space(last.result)}"
    if last.name == "Grep":
        best = _best(what, directory, last.result)
        if len(best) == 1:
            return "Read", {"file_path": f"{directory}/{best[0]}"}
        if not best:
            return "I looked through memory and found nothing about that."
        names = ", ".join(best)
        return (
            f"More than one memory fits: {names}. Say “forget {best[0]}” for"
            " one of them."
        )
    file = str(last.given["file_path"])
    if last.name == "Read":
        name = _field(last.result, "name") or file.rpartition("/")[2]
        grave = (
            f"---\nname: {_quoted(name)}\ndropped: the person asked to forget"
            " it\n---\n"
        )
        return "Write", {"file_path": file, "content": grave}
    read = next(step.result for step in reversed(steps) if step.name == "Read")
    told = _field(read, "description") or _field(read, "name")
    short = file.rpartition("/")[2]
    return (
        f"I found {short}, “{told}”, and dropped it. It can be brought back:"
        " /undo."
    )


def _best(what: str, directory: str, found: str) -> list[str]:
    """Name the files that hold the most of the words, half of them at least;
    none but the best.
    """
    stems = _stems(what)
    seen: dict[str, set[str]] = defaultdict(set)
    for line in found.splitlines():
        path, _, text = line.partition(".md:")
        file = f"{path.removeprefix(f'{directory}/')}.md"
        if file != "MEMORY.md":
            seen[file] |= {
                stem
                for stem in stems
                if re.search(rf"\b{re.escape(stem)}", text, re.I)
            }
    most = max((len(stems) for stems in seen.values()), default=0)
    return sorted(
        file
        for file, had in seen.items()
        if len(had) == most >= len(stems) / 2
    )


def _stems(what: str) -> list[str]:
    plain = dict.fromkeys(
        word for word in words(what) if word not in _LITTLE and len(word) > 1
    )
    return [re.sub(r"(?<=\w{3})(?:ing|ed|es|s)$", "", word) for word in plain]


def _field(numbered: str, key: str) -> str:
    """Read a key of the frontmatter out of a Read tool's result."""
    found = re.search(rf"^\s*\d+\t{key}: *(.+)$", numbered, re.MULTILINE)
    return found[1].strip().strip("\"'") if found else ""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
