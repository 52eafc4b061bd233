"""The record side of the example's check: transcripts, times, the
little repository.

Left out: memory, index and questions, which ``example.py`` checks.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from memlab.course.example_files import Example, blocks

TOOLS = frozenset({"Read", "Grep", "Glob", "Bash", "Edit", "Write"})
LINE_KEYS = frozenset(
    {
        "type",
        "uuid",
        "parentUuid",
        "sessionId",
        "timestamp",
        "cwd",
        "isSidechain",
        "message",
    }
)
_UUID4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)


def lint_sessions(example: Example) -> Iterator[str]:
    """The transcripts against the story, and how many stand on each side of
    the first dream.
    """
    entries = example.entries
    for name in sorted(entries.keys() ^ example.sessions.keys()):
        yield (
            f"{name}: stands in story.yaml or on the disk, not in both; add it"
            " or drop it"
        )
    seen: set[str] = set()
    for name in sorted(entries.keys() & example.sessions.keys()):
        entry, lines = entries[name], example.sessions[name]
        if not 8 <= len(lines) <= 30:
            yield f"{name}: has {len(lines)} lines; keep 8 to 30"
        if (lines[0]["timestamp"], lines[-1]["timestamp"]) != (
            entry["started"],
            entry["ended"],
        ):
            yield (
                f"{name}: begins or ends at another time than story.yaml says;"
                " make them equal"
            )
        yield from _lines(example, name, entry, seen)
        yield from _tool_calls(example, name)
    yield from _dreams(example)


def _dreams(example: Example) -> Iterator[str]:
    """Whether the dreams fall where five other transcripts are newer than the
    last one.
    """
    due: list[dict[str, Any]] = []
    waiting = 0
    for entry in sorted(
        example.entries.values(), key=lambda entry: str(entry["started"])
    ):
        if waiting >= 5:
            due.append({"night": entry["ended"][:10], "after": entry["id"]})
            waiting = -1
        waiting += 1
    if (
        len(example.entries) != 14
        or due != example.story["dreams"]
        or len(due) != 2
    ):
        yield (
            f"story.yaml: the gates open at {due}; keep 14 sessions and write"
            " these as dreams"
        )


def _lines(
    example: Example, name: str, entry: dict[str, Any], seen: set[str]
) -> Iterator[str]:
    parent, last = None, ""
    for number, line in enumerate(example.sessions[name], 1):
        where = f"{name}:{number}"
        datetime.fromisoformat(line["timestamp"])
        if (
            set(line) != LINE_KEYS
            or line["message"].get("role") != line["type"]
        ):
            yield (
                f"{where}: has not the keys of a transcript line; see"
                " data/README.md"
            )
        if (line["sessionId"], line["cwd"]) != (
            entry["id"],
            example.story["cwd"],
        ):
            yield (
                f"{where}: names another session or directory; use those of"
                " story.yaml"
            )
        if not _UUID4.fullmatch(line["uuid"]) or line["uuid"] in seen:
            yield (
                f"{where}: its uuid is malformed or used before; give it a"
                " new one"
            )
        if line["parentUuid"] != parent:
            yield (
                f"{where}: parentUuid is not the uuid of the line before;"
                " chain it"
            )
        if line["timestamp"] <= last:
            yield (
                f"{where}: its timestamp is not later than the line before;"
                " move it"
            )
        seen.add(line["uuid"])
        parent, last = line["uuid"], line["timestamp"]


def _tool_calls(example: Example, name: str) -> Iterator[str]:
    gone = {
        text
        for plant in example.plants("stale-fact")
        for text in plant["text"]
    }
    awaited: list[str] = []
    for number, line in enumerate(example.sessions[name], 1):
        where = f"{name}:{number}"
        given = [
            block["tool_use_id"]
            for block in blocks(line)
            if block["type"] == "tool_result"
        ]
        if given != awaited:
            yield (
                f"{where}: its tool results do not answer the calls before;"
                " answer each in order"
            )
        calls = [
            block for block in blocks(line) if block["type"] == "tool_use"
        ]
        awaited = [call["id"] for call in calls]
        for call in calls:
            path = str(call["input"].get("file_path", "")).removeprefix(
                example.story["cwd"] + "/"
            )
            if call["name"] not in TOOLS:
                yield (
                    f"{where}: calls {call['name']}; use"
                    f" {', '.join(sorted(TOOLS))}"
                )
            if path and path not in example.repo and path not in gone:
                yield f"{where}: {path} is not in repo/; name a file that is"
    if awaited:
        yield f"{name}: ends on a tool call; let the agent finish"


def lint_mtimes(example: Example) -> Iterator[str]:
    """The manifest of times against the files and the sessions that wrote
    them.
    """
    there = {f"memory/{name}" for name in example.memory} | set(
        example.sessions
    )
    for name in sorted(there ^ example.mtimes.keys()):
        yield (
            f"mtimes.json: {name} stands there or on the disk, not in both;"
            " add it or drop it"
        )
    for name, time in example.mtimes.items():
        entry = example.entries.get(name)
        if entry and time != entry["ended"]:
            yield (
                f"mtimes.json: {name} is not the time of its last line; write"
                f" {entry['ended']}"
            )
        if not entry and not any(
            written_in(time, one) for one in example.entries.values()
        ):
            yield (
                f"mtimes.json: {name} was written in no session; choose a time"
                " within one"
            )


def written_in(time: str, entry: dict[str, Any]) -> bool:
    """Whether a time lies in a session, or in the ten minutes in which its
    notes are written.
    """
    if not time:
        return False
    started, ended = (
        datetime.fromisoformat(entry[key]) for key in ("started", "ended")
    )
    return (
        started
        <= datetime.fromisoformat(time)
        <= ended + timedelta(minutes=10)
    )


def lint_repo(example: Example) -> Iterator[str]:
    """The little repository: its size, and Python as Robin types it that needs
    no package.
    """
    if not 12 <= len(example.repo) <= 20 or "CLAUDE.md" not in example.repo:
        yield (
            f"repo: {len(example.repo)} files; keep 12 to 20, CLAUDE.md among"
            " them"
        )
    known = sys.stdlib_module_names | {example.story["project"], "pytest"}
    for name, text in example.repo.items():
        if not name.endswith(".py"):
            continue
        if re.search(r"^ ", text, re.MULTILINE):
            yield f"repo/{name}: indented with spaces; Robin uses tabs"
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            quoted = tokenize.tok_name[token.type] in (
                "STRING",
                "FSTRING_START",
            )
            if quoted and token.string.lstrip("rbfRBF").startswith('"'):
                yield (
                    f"repo/{name}:{token.start[0]}: a double-quoted string;"
                    " Robin uses single"
                )
        for module in _imports(text):
            if module.split(".")[0] not in known:
                yield (
                    f"repo/{name}: imports {module} at the top; import it"
                    " where it is used"
                )


def _imports(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
