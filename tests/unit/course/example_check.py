"""Checks that the running example in ``data/example`` fits together.

The checks are mechanical: form, references, dates, and that the disorder planted on purpose is
still there.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from memlab.course.story import Question, contains_evidence, load_questions
from memlab.errors import CourseError, MemoryFormatError
from memlab.memdir import frontmatter


@dataclass(frozen=True)
class Example:
    """Everything in an example's folder, as text or as parsed YAML and JSON."""

    folder: Path
    story: dict[str, Any]
    questions: tuple[Question, ...]
    mtimes: dict[str, str]
    memory: dict[str, str]
    repo: dict[str, str]
    sessions: dict[str, list[dict[str, Any]]]

    @cached_property
    def topics(self) -> dict[str, str]:
        """The memory files without the index."""
        return {name: text for name, text in self.memory.items() if name != "MEMORY.md"}

    @cached_property
    def heads(self) -> dict[str, dict[str, Any]]:
        """The frontmatter of each memory; empty where it does not parse."""
        return {name: _head(text) for name, text in self.topics.items()}

    @cached_property
    def entries(self) -> dict[str, dict[str, Any]]:
        """The story's sessions by file."""
        return {entry["file"]: entry for entry in self.story["sessions"]}

    def plants(self, kind: str) -> list[dict[str, Any]]:
        """Everything planted of one kind."""
        return [plant for plant in self.story["planted"] if plant["kind"] == kind]

    def type_of(self, name: str) -> Any:
        """The type of a memory, at the top level or under ``metadata``."""
        head = self.heads.get(name, {})
        return head.get("type") or (head.get("metadata") or {}).get("type")

    def words(self, place: str, by: str | None = None) -> str:
        """Give the text of ``memory/…`` or ``sessions/…``, of one speaker
        where ``by`` is set.
        """
        if place.startswith("memory/"):
            return self.memory.get(place.removeprefix("memory/"), "")
        said = [pair for line in self.sessions.get(place, ()) for pair in _speech(line)]
        return "\n".join(text for who, text in said if by in (None, who))


def load_example(folder: Path) -> Example:
    """Read a whole example; raises CourseError naming the file that cannot be
    read.
    """
    path = folder
    try:
        story = yaml.safe_load((path := folder / "story.yaml").read_text(encoding="utf-8"))
        mtimes = json.loads((path := folder / "mtimes.json").read_text(encoding="utf-8"))
        memory = _texts(path := folder / "memory")
        repo = _texts(path := folder / "repo")
        sessions = {}
        for name, text in _texts(path := folder / "sessions").items():
            path = folder / "sessions" / name
            sessions[f"sessions/{name}"] = [json.loads(line) for line in text.splitlines()]
    except (OSError, ValueError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise CourseError(f"cannot be read: {what}", where=path.name, do="Repair it") from error
    return Example(folder, story, load_questions(folder), mtimes, memory, repo, sessions)


def blocks(line: dict[str, Any]) -> list[dict[str, Any]]:
    """The content blocks of a transcript line; a plain string counts as one
    text block.
    """
    content = line["message"]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _speech(line: dict[str, Any]) -> Iterator[tuple[str, str]]:
    speaker = "person" if line["type"] == "user" else "agent"
    for block in blocks(line):
        if block["type"] == "text":
            yield speaker, block["text"]
        elif block["type"] == "tool_result":
            yield "tool", block["content"]
        else:
            yield speaker, json.dumps(block["input"], ensure_ascii=False)


def _head(text: str) -> dict[str, Any]:
    try:
        return frontmatter.read(text, "").values
    except MemoryFormatError:
        return {}


def _texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


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
_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def lint_sessions(example: Example) -> Iterator[str]:
    """The transcripts against the story, and how many stand on each side of
    the first dream.
    """
    entries = example.entries
    for name in sorted(entries.keys() ^ example.sessions.keys()):
        yield (f"{name}: is in story.yaml or on the disk, not in both; add it or drop it")
    seen: set[str] = set()
    for name in sorted(entries.keys() & example.sessions.keys()):
        entry, lines = entries[name], example.sessions[name]
        if not 8 <= len(lines) <= 30:
            yield f"{name}: has {len(lines)} lines; keep 8 to 30"
        if (lines[0]["timestamp"], lines[-1]["timestamp"]) != (
            entry["started"],
            entry["ended"],
        ):
            yield (f"{name}: begins or ends at another time than story.yaml says; make them equal")
        yield from _lines(example, name, entry, seen)
        yield from _tool_calls(example, name)
    yield from _dreams(example)


def _dreams(example: Example) -> Iterator[str]:
    """Whether the dreams fall where five other transcripts are newer than the
    last one.
    """
    due: list[dict[str, Any]] = []
    waiting = 0
    for entry in sorted(example.entries.values(), key=lambda entry: str(entry["started"])):
        if waiting >= 5:
            due.append({"night": entry["ended"][:10], "after": entry["id"]})
            waiting = -1
        waiting += 1
    if len(example.entries) != 14 or due != example.story["dreams"] or len(due) != 2:
        yield (f"story.yaml: the gates open at {due}; keep 14 sessions and write these as dreams")


def _lines(example: Example, name: str, entry: dict[str, Any], seen: set[str]) -> Iterator[str]:
    parent, last = None, ""
    for number, line in enumerate(example.sessions[name], 1):
        where = f"{name}:{number}"
        datetime.fromisoformat(line["timestamp"])
        if set(line) != LINE_KEYS or line["message"].get("role") != line["type"]:
            yield (f"{where}: has not the keys of a transcript line; see data/README.md")
        if (line["sessionId"], line["cwd"]) != (
            entry["id"],
            example.story["cwd"],
        ):
            yield (f"{where}: names another session or directory; use those of story.yaml")
        if not _UUID4.fullmatch(line["uuid"]) or line["uuid"] in seen:
            yield (f"{where}: its uuid is malformed or used before; give it a new one")
        if line["parentUuid"] != parent:
            yield (f"{where}: parentUuid is not the uuid of the line before; chain it")
        if line["timestamp"] <= last:
            yield (f"{where}: its timestamp is not later than the line before; move it")
        seen.add(line["uuid"])
        parent, last = line["uuid"], line["timestamp"]


def _tool_calls(example: Example, name: str) -> Iterator[str]:
    gone = {text for plant in example.plants("stale-fact") for text in plant["text"]}
    awaited: list[str] = []
    for number, line in enumerate(example.sessions[name], 1):
        where = f"{name}:{number}"
        given = [block["tool_use_id"] for block in blocks(line) if block["type"] == "tool_result"]
        if given != awaited:
            yield (
                f"{where}: its tool results do not answer the calls before; answer each in order"
            )
        calls = [block for block in blocks(line) if block["type"] == "tool_use"]
        awaited = [call["id"] for call in calls]
        for call in calls:
            path = str(call["input"].get("file_path", "")).removeprefix(example.story["cwd"] + "/")
            if call["name"] not in TOOLS:
                yield (f"{where}: calls {call['name']}; use {', '.join(sorted(TOOLS))}")
            if path and path not in example.repo and path not in gone:
                yield f"{where}: {path} is not in repo/; name a file that is"
    if awaited:
        yield f"{name}: ends on a tool call; let the agent finish"


def lint_mtimes(example: Example) -> Iterator[str]:
    """The manifest of times against the files and the sessions that wrote
    them.
    """
    there = {f"memory/{name}" for name in example.memory} | set(example.sessions)
    for name in sorted(there ^ example.mtimes.keys()):
        yield (f"mtimes.json: {name} is there or on the disk, not in both; add it or drop it")
    for name, time in example.mtimes.items():
        entry = example.entries.get(name)
        if entry and time != entry["ended"]:
            yield (f"mtimes.json: {name} is not the time of its last line; write {entry['ended']}")
        if not entry and not any(written_in(time, one) for one in example.entries.values()):
            yield (f"mtimes.json: {name} was written in no session; choose a time within one")


def written_in(time: str, entry: dict[str, Any]) -> bool:
    """Whether a time lies in a session, or in the ten minutes in which its
    notes are written.
    """
    if not time:
        return False
    started, ended = (datetime.fromisoformat(entry[key]) for key in ("started", "ended"))
    return started <= datetime.fromisoformat(time) <= ended + timedelta(minutes=10)


def lint_repo(example: Example) -> Iterator[str]:
    """The little repository: its size, and Python as Robin types it that needs
    no package.
    """
    if not 12 <= len(example.repo) <= 20 or "CLAUDE.md" not in example.repo:
        yield (f"repo: {len(example.repo)} files; keep 12 to 20, CLAUDE.md among them")
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
                yield (f"repo/{name}:{token.start[0]}: a double-quoted string; Robin uses single")
        for module in _imports(text):
            if module.split(".")[0] not in known:
                yield (f"repo/{name}: imports {module} at the top; import it where it is used")


def _imports(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


MIX = {"user": 3, "feedback": 4, "project": 3, "reference": 2}
PLANTED = frozenset(
    re.findall(
        r"\S+",
        """
    contradiction near-duplicate relative-date confirmation stale-fact repeats-claude-md nested-type
    link missing-from-index dangling-pointer long-index-line outdated-hook preference said-twice
    change-of-mind deadline-moved correction confirmation-said relative-date-said pointer-outside
    remember forget secret poison-in-tool-result poison-in-quote never-architecture
    never-pull-requests never-debugging-recipe never-claude-md never-task-state nothing-new
    """,
    )
)
_MALFORMED = (
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    SyntaxError,
    tokenize.TokenError,
    yaml.YAMLError,
)
_POINTER = re.compile(r"- \[[^\]]+\]\((?P<file>[^)]+\.md)\) — \S.*")
_PASSWORD = re.compile(r"://[^\s/:]+:[^\s/@]+@")


def lint_example(folder: Path) -> list[str]:
    """List what does not fit in an example, one line each: file, what, what to
    do.
    """
    try:
        example = load_example(folder)
    except CourseError as error:
        return [str(error)]
    problems: list[str] = []
    for check in (
        _memory,
        _index,
        _planted,
        _questions,
        lint_sessions,
        lint_mtimes,
        lint_repo,
    ):
        try:
            for problem in check(example):
                problems.append(problem)
        except _MALFORMED as error:
            part = check.__name__.removeprefix("check").strip("_")
            what = " ".join(repr(error).split())
            problems.append(f"{part}: cannot be checked: {what}; restore the form of its files")
    return problems


def _memory(example: Example) -> Iterator[str]:
    secrets = [text for plant in example.plants("secret") for text in plant["text"]]
    if not 16 <= len(example.topics) <= 20:
        yield f"memory: {len(example.topics)} topic files; keep 16 to 20"
    for name, text in example.memory.items():
        if any(secret in text for secret in secrets) or _PASSWORD.search(text):
            yield f"memory/{name}: holds a secret; take it out"
    for name, text in example.topics.items():
        head, kind = example.heads[name], example.type_of(name)
        if not head:
            yield (f"memory/{name}: its frontmatter does not parse; give name, description, type")
            continue
        if kind not in MIX or not isinstance(head.get("description"), str):
            yield f"memory/{name}: lacks a known type or a description; add it"
        slug = re.sub(r"[^a-z0-9]+", "-", str(head.get("name")).lower()).strip("-")
        if f"{slug}.md" != name:
            yield (f"memory/{name}: is not named after its name; call it {slug}.md")
        why, how = text.find("\n**Why:** "), text.find("\n**How to apply:** ")
        if kind in ("feedback", "project") and not 0 < why < how:
            yield (f"memory/{name}: {kind} without **Why:**, then **How to apply:**; add them")


def _index(example: Example) -> Iterator[str]:
    pointed: set[str] = set()
    long: set[str] = set()
    for number, line in enumerate(example.memory["MEMORY.md"].splitlines(), 1):
        if not (found := _POINTER.fullmatch(line)):
            yield (f"memory/MEMORY.md:{number}: is no pointer; write - [Title](file.md) — hook")
            continue
        pointed.add(found["file"])
        if len(line) > 200:
            long.add(found["file"])
    for kind, there, key in (
        ("dangling-pointer", pointed - example.topics.keys(), "text"),
        ("missing-from-index", example.topics.keys() - pointed, "where"),
        ("long-index-line", long, "text"),
    ):
        wanted = {item.removeprefix("memory/") for p in example.plants(kind) for item in p[key]}
        if there != wanted:
            yield (
                f"memory/MEMORY.md: {kind}: {sorted(there)}, but story.yaml"
                f" plants {sorted(wanted)}; make them equal"
            )


def _planted(example: Example) -> Iterator[str]:
    planted = example.story["planted"]
    for kind in sorted(PLANTED ^ {plant["kind"] for plant in planted}):
        yield (f"story.yaml: {kind} is not planted, or not a known kind; plant it or rename it")
    everything = "\n".join(example.memory.values())
    for plant in planted:
        kind, where, texts = plant["kind"], plant["where"], plant["text"]
        for place, text in zip(where, texts, strict=True):
            said = example.words(place, plant.get("by"))
            if text not in said or not _still_planted(example, kind, place, text):
                yield (f"{place}: planted {kind} {text!r} is not there any more; plant it again")
            unwanted = kind.startswith(("secret", "poison", "never"))
            if unwanted and kind != "never-claude-md" and text in everything:
                yield f"memory: holds the {kind} {text!r}; take it out"
        times = [example.mtimes.get(place, "") for place in where]
        if kind in ("contradiction", "near-duplicate") and times != sorted(set(times)):
            yield (f"mtimes.json: the {kind} in {where} must be older, then newer; order it")


def _still_planted(example: Example, kind: str, place: str, text: str) -> bool:
    """Whether the thing still is of its kind, beyond the text that is
    there.
    """
    name = place.removeprefix("memory/")
    match kind:
        case "stale-fact":
            return not any(text in f"{path}\n{code}" for path, code in example.repo.items())
        case "confirmation":
            return bool(example.type_of(name) == "feedback")
        case "repeats-claude-md":
            return text in example.repo["CLAUDE.md"]
        case "nested-type":
            return "type" not in example.heads[name] and bool(example.type_of(name))
        case "link":
            return f"{text.strip('[]')}.md" in example.topics
        case "nothing-new":
            entry = example.entries[place]
            notes = [time for file, time in example.mtimes.items() if file.startswith("memory/")]
            return not any(written_in(time, entry) for time in notes)
    return True


def _questions(example: Example) -> Iterator[str]:
    asked = example.questions
    mix = Counter(example.type_of(item.memory) for item in asked)
    if mix != MIX or len({item.id for item in asked}) != len(asked):
        yield (f"questions.yaml: {dict(mix)}; keep {MIX}, each with an id of its own")
    hooks = sum(_all(_needles(item), example.memory["MEMORY.md"]) for item in asked)
    if not 3 <= hooks <= 5:
        yield f"questions.yaml: the index alone answers {hooks}; keep 3 to 5"
    if (paraphrased := sum(_is_paraphrased(example, item) for item in asked)) < 2:
        yield (f"questions.yaml: {paraphrased} share no word with their memory; keep 2 or more")
    ids = {entry["id"]: entry for entry in example.entries.values()}
    for item in asked:
        where = f"questions.yaml: {item.id}"
        if item.session in ids and item.memory in example.topics and item.evidence:
            yield from _evidence(example, item, ids[item.session])
        else:
            yield (f"{where}: no evidence, or a file or session that is not there; correct it")


def _evidence(example: Example, item: Question, entry: dict[str, Any]) -> Iterator[str]:
    where = f"questions.yaml: {item.id}"
    holders = [name for name, text in example.topics.items() if _all(_needles(item), text)]
    if holders != [item.memory]:
        yield (f"{where}: its evidence is in {holders}; put it into {item.memory} alone")
    if not _all(_needles(item), example.words(entry["file"], "person")):
        yield (
            f"{where}: the person does not say its evidence in {entry['file']}; let Robin say it"
        )
    spoilt = [f"repo/{name}" for name, text in example.repo.items() if _any(_needles(item), text)]
    if spoilt or _any(_needles(item), item.question):
        yield (f"{where}: its evidence is in the question or in {spoilt}; choose rarer words")
    if not written_in(example.mtimes.get(f"memory/{item.memory}", ""), entry):
        yield (f"{where}: {item.memory} was not written in its session; correct mtimes.json")


def _is_paraphrased(example: Example, item: Question) -> bool:
    head = example.heads.get(item.memory, {})
    content = re.findall(r"[a-z]{5,}", item.question.lower())
    return not _any(content, f"{head.get('name')} {head.get('description')}")


def _all(needles: list[str], text: str) -> bool:
    return all(contains_evidence(text, needle) for needle in needles)


def _any(needles: list[str], text: str) -> bool:
    return any(needle in text.lower() for needle in needles)


def _needles(item: Question) -> list[str]:
    return [text.lower() for text in item.evidence]
