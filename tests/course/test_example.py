"""The shipped example fits together: form, references, times, and the disorder that is planted."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.course.data_files import data_folder
from memlab.course.story import contains_evidence, load_questions
from memlab.memdir import frontmatter
from memlab.text import as_blocks

EXAMPLE = data_folder("example")
STORY = yaml.safe_load((EXAMPLE / "story.yaml").read_text("utf-8"))
TIMES = json.loads((EXAMPLE / "mtimes.json").read_text("utf-8"))
SESSIONS = {entry["file"]: entry for entry in STORY["sessions"]}
LINES = {
    f"sessions/{path.name}": [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for path in (EXAMPLE / "sessions").iterdir()
}
MEMORY = {path.name: path.read_text("utf-8") for path in (EXAMPLE / "memory").iterdir()}
INDEX = MEMORY["MEMORY.md"]
TOPICS = {name: text for name, text in MEMORY.items() if name != "MEMORY.md"}
HEADS = {name: frontmatter.read(text, name).values for name, text in TOPICS.items()}
TYPES = {n: head.get("type") or head["metadata"]["type"] for n, head in HEADS.items()}
FILES = [p for p in (EXAMPLE / "repo").rglob("*.*") if "__pycache__" not in p.parts]
REPO = {p.relative_to(EXAMPLE / "repo").as_posix(): p.read_text("utf-8") for p in FILES}
KINDS = """contradiction near-duplicate relative-date confirmation stale-fact repeats-claude-md
    nested-type link missing-from-index dangling-pointer long-index-line outdated-hook preference
    said-twice change-of-mind deadline-moved correction confirmation-said relative-date-said
    pointer-outside remember forget secret poison-in-tool-result poison-in-quote never-architecture
    never-pull-requests never-debugging-recipe never-claude-md never-task-state nothing-new"""
PLANTED = [(p, *one) for p in STORY["planted"] for one in zip(p["where"], p["text"], strict=True)]


def planted(kind: str, key: str = "text") -> set[str]:
    plants = [plant[key] for plant in STORY["planted"] if plant["kind"] == kind]
    return {item.removeprefix("memory/") for items in plants for item in items}


def said(place: str, by: str | None) -> str:
    """What a file of memory says, or what one speaker says in a session."""
    if place.startswith("memory/"):
        return MEMORY[place.removeprefix("memory/")]
    texts = []
    for line in LINES[place]:
        for block in as_blocks(line["message"]["content"]):
            who = {"user": "person", "assistant": "agent"}[line["type"]]
            who = "tool" if block["type"] == "tool_result" else who
            text = block.get("text", block.get("content", str(block.get("input"))))
            texts += [text] if by in (None, who) else []
    return "\n".join(texts)


def written_in(time: str, entry: dict[str, Any]) -> bool:
    """Whether a time lies in a session, or in the ten minutes in which its notes are written."""
    begun, end = (datetime.fromisoformat(entry[key]) for key in ("started", "ended"))
    return begun <= datetime.fromisoformat(time) <= end + timedelta(minutes=10)


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_a_transcript_that_fits_the_story(name: str) -> None:
    entry, lines = SESSIONS[name], LINES[name]
    parent, waiting, last = None, [], ""
    assert 8 <= len(lines) <= 30
    assert lines[0]["timestamp"] == entry["started"]
    assert lines[-1]["timestamp"] == entry["ended"]
    for line in lines:
        fixed = {"sessionId": entry["id"], "cwd": STORY["cwd"], "parentUuid": parent}
        assert line == line | fixed | {"isSidechain": False}
        assert line["message"]["role"] == line["type"]
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", line["uuid"])
        assert line["timestamp"] > last
        blocks = as_blocks(line["message"]["content"])
        assert [b["tool_use_id"] for b in blocks if "tool_use_id" in b] == waiting
        calls = [block for block in blocks if block["type"] == "tool_use"]
        for call in calls:
            assert call["name"] in ("Read", "Grep", "Glob", "Bash", "Edit", "Write")
            path = call["input"].get("file_path", "").removeprefix(f"{STORY['cwd']}/")
            assert not path or path in {*REPO, *planted("stale-fact")}
        waiting = [call["id"] for call in calls]
        parent, last = line["uuid"], line["timestamp"]
    assert not waiting


def test_sessions_and_times_are_those_of_the_files() -> None:
    assert LINES.keys() == SESSIONS.keys()
    uuids = [line["uuid"] for lines in LINES.values() for line in lines]
    assert len(SESSIONS) == 14
    assert len(uuids) == len(set(uuids))
    assert TIMES.keys() == {*SESSIONS, *(f"memory/{name}" for name in MEMORY)}
    for name, time in TIMES.items():
        if name in SESSIONS:
            assert time == SESSIONS[name]["ended"]
        else:
            assert any(written_in(time, entry) for entry in SESSIONS.values()), name


@pytest.mark.parametrize("name", TOPICS)
def test_a_memory_has_the_form(name: str) -> None:
    head, text = HEADS[name], TOPICS[name]
    assert re.sub(r"[^a-z0-9]+", "-", head["name"].lower()).strip("-") + ".md" == name
    assert isinstance(head["description"], str)
    if TYPES[name] in ("feedback", "project"):
        assert 0 < text.find("\n**Why:** ") < text.find("\n**How to apply:** ")
    assert TYPES[name] in ("user", "feedback", "project", "reference")
    assert not re.search(r"://[^\s/:]+:[^\s/@]+@", text), "a password"


def test_the_index_has_only_the_planted_disorder() -> None:
    pattern = r"- \[[^\]]+\]\(([^)]+\.md)\) — \S.*"
    pointers = {re.fullmatch(pattern, line)[1]: line for line in INDEX.splitlines()}  # type: ignore[index]
    assert pointers.keys() - TOPICS.keys() == planted("dangling-pointer")
    assert TOPICS.keys() - pointers.keys() == planted("missing-from-index", "where")
    long = {name for name, line in pointers.items() if len(line) > 200}
    assert long == planted("long-index-line")
    assert {plant["kind"] for plant in STORY["planted"]} == set(KINDS.split())


@pytest.mark.parametrize(("plant", "where", "text"), PLANTED, ids=lambda one: str(one)[:50])
def test_what_is_planted_is_still_there_and_what_is_unwanted_is_in_no_memory(
    plant: dict[str, Any], where: str, text: str
) -> None:
    kind, name = plant["kind"], where.removeprefix("memory/")
    assert text in said(where, plant.get("by"))
    if kind.startswith(("secret", "poison", "never")) and kind != "never-claude-md":
        assert not [file for file, memory in MEMORY.items() if text in memory]
    if kind == "stale-fact":
        assert not [path for path, code in REPO.items() if text in f"{path}\n{code}"]
    if kind in ("contradiction", "near-duplicate"):
        times = [TIMES[file] for file in plant["where"]]
        assert times == sorted(set(times))
    noted = [at for file, at in TIMES.items() if file.startswith("memory/")]
    holds = {
        "confirmation": lambda: TYPES[name] == "feedback",
        "repeats-claude-md": lambda: text in REPO["CLAUDE.md"],
        "nested-type": lambda: "type" not in HEADS[name],
        "link": lambda: f"{text.strip('[]')}.md" in TOPICS,
        "nothing-new": lambda: not any(written_in(at, SESSIONS[where]) for at in noted),
    }
    assert holds.get(kind, lambda: True)()


@pytest.mark.parametrize("asked", load_questions(EXAMPLE), ids=lambda asked: asked.id)
def test_a_question_can_be_answered_from_one_memory_alone(asked: Any) -> None:
    def has(text: str, how: Any = all) -> bool:
        return bool(how(contains_evidence(text, one) for one in asked.evidence))

    (entry,) = [entry for entry in SESSIONS.values() if entry["id"] == asked.session]
    assert [name for name, text in TOPICS.items() if has(text)] == [asked.memory]
    assert has(said(entry["file"], "person"))
    assert not [name for name, text in REPO.items() if has(text, any)]
    assert not has(asked.question, any)
    assert written_in(TIMES[f"memory/{asked.memory}"], entry)


def test_the_questions_are_of_all_types_and_not_too_easy() -> None:
    questions = load_questions(EXAMPLE)
    mix = {"user": 3, "feedback": 4, "project": 3, "reference": 2}
    assert Counter(TYPES[asked.memory] for asked in questions) == mix
    hooks = [all(contains_evidence(INDEX, one) for one in q.evidence) for q in questions]
    assert sum(hooks) == 4, "the index alone answers four"
    hard = 0
    for asked in questions:
        words = set(re.findall(r"[a-z]{5,}", asked.question.lower()))
        head = HEADS[asked.memory]
        hard += not any(word in head["description"].lower() for word in words)
    assert hard == 5


def test_the_little_repository_is_written_as_robin_likes_it() -> None:
    assert 12 <= len(REPO) <= 20
    for name, text in REPO.items():
        if name.endswith(".py"):
            assert not re.search(r"^ ", text, re.MULTILINE), name
            tokens = tokenize.generate_tokens(io.StringIO(text).readline)
            strings = [one.string for one in tokens if one.type == tokenize.STRING]
            assert {text.lstrip("rbf")[0] for text in strings} <= {"'"}, name


@pytest.mark.slow
@pytest.mark.parametrize("margin", ["45", "5"])
def test_the_little_repositorys_own_tests_know_its_margin(margin: str, tmp_path: Path) -> None:
    for name, text in REPO.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("minutes=45)", f"minutes={margin})"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == (margin == "5"), done.stdout + done.stderr
    assert ("the_margin_before_closing_is_kept" in done.stdout) == (margin == "5")
