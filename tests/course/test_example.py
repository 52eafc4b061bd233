"""The shipped example fits together: form, references, times, and the disorder that is planted."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
import yaml

from memlab.agent import load_transcript
from memlab.course.data_files import data_folder
from memlab.course.story import Question, contains_evidence, load_questions
from memlab.memdir import frontmatter
from memlab.models.request import find_fault
from memlab.text import as_blocks

EXAMPLE = data_folder("example")
STORY = yaml.safe_load((EXAMPLE / "story.yaml").read_text("utf-8"))
TIMES = json.loads((EXAMPLE / "mtimes.json").read_text("utf-8"))
SESSIONS = {entry["file"]: entry for entry in STORY["sessions"]}
MEMORY = {path.name: path.read_text("utf-8") for path in (EXAMPLE / "memory").iterdir()}
INDEX = MEMORY["MEMORY.md"]
TOPICS = {name: text for name, text in MEMORY.items() if name != "MEMORY.md"}
HEADS = {name: frontmatter.read(text, name).values for name, text in TOPICS.items()}
TYPES = {n: head.get("type") or head["metadata"]["type"] for n, head in HEADS.items()}
FILES = [p for p in (EXAMPLE / "repo").rglob("*.*") if "__pycache__" not in p.parts]
REPO = {p.relative_to(EXAMPLE / "repo").as_posix(): p.read_text("utf-8") for p in FILES}
PLANTED = [(p, *one) for p in STORY["planted"] for one in zip(p["where"], p["text"], strict=True)]


def planted(kind: str, key: str = "text") -> set[str]:
    plants = [plant[key] for plant in STORY["planted"] if plant["kind"] == kind]
    return {item.removeprefix("memory/") for items in plants for item in items}


def lines_of(session: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLE / session).read_text("utf-8").splitlines()]


def said(place: str, by: str | None) -> str:
    """What a file of memory says, or what one speaker says in a session."""
    if place.startswith("memory/"):
        return MEMORY[place.removeprefix("memory/")]
    texts = []
    for line in lines_of(place):
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
    entry, lines, loaded = SESSIONS[name], lines_of(name), load_transcript(EXAMPLE / name)
    assert loaded.notes == []
    assert find_fault({"model": "m", "max_tokens": 1, "messages": [*loaded.messages]}) == ""
    assert {(line["sessionId"], line["cwd"]) for line in lines} == {(entry["id"], STORY["cwd"])}
    uuids = [line["uuid"] for line in lines]
    assert [line["parentUuid"] for line in lines] == [None, *uuids[:-1]]
    times = [line["timestamp"] for line in lines]
    assert times == sorted({*times})
    assert (times[0], times[-1], TIMES[name]) == (entry["started"], entry["ended"], entry["ended"])
    for path in re.findall(rf'"file_path": "{STORY["cwd"]}/([^"]+)"', json.dumps(lines)):
        assert path in {*REPO, *planted("stale-fact")}


def test_memories_have_the_form_and_the_index_has_only_the_planted_disorder() -> None:
    assert TIMES.keys() == {*SESSIONS, *(f"memory/{name}" for name in MEMORY)}
    for name, text in TOPICS.items():
        assert any(written_in(TIMES[f"memory/{name}"], one) for one in SESSIONS.values()), name
        assert re.sub(r"[^a-z0-9]+", "-", HEADS[name]["name"].lower()).strip("-") + ".md" == name
        assert TYPES[name] in ("user", "feedback", "project", "reference")
        if TYPES[name] in ("feedback", "project"):
            assert 0 < text.find("\n**Why:** ") < text.find("\n**How to apply:** "), name
    pointers = dict(re.findall(r"(?m)^(- \[[^\]]+\]\(([^)]+\.md)\) — \S.*)$", INDEX))
    assert [*pointers] == INDEX.splitlines()
    assert {*pointers.values()} - TOPICS.keys() == planted("dangling-pointer")
    assert TOPICS.keys() - {*pointers.values()} == planted("missing-from-index", "where")
    long = {name for line, name in pointers.items() if len(line) > 200}
    assert long == planted("long-index-line")


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
    assert kind != "repeats-claude-md" or text in REPO["CLAUDE.md"]
    assert kind != "nested-type" or "type" not in HEADS[name]
    assert kind != "link" or f"{text.strip('[]')}.md" in TOPICS


@pytest.mark.parametrize("asked", load_questions(EXAMPLE), ids=lambda asked: asked.id)
def test_a_question_can_be_answered_from_one_memory_alone(asked: Question) -> None:
    def has(text: str, how: Any = all) -> bool:
        return bool(how(contains_evidence(text, one) for one in asked.evidence))

    (entry,) = [entry for entry in SESSIONS.values() if entry["id"] == asked.session]
    assert [name for name, text in TOPICS.items() if has(text)] == [asked.memory]
    assert has(said(entry["file"], "person"))
    assert not has("\n".join([*REPO.values(), asked.question]), any)
    assert written_in(TIMES[f"memory/{asked.memory}"], entry)


def test_the_questions_are_of_all_types() -> None:
    mix = {"user": 3, "feedback": 4, "project": 3, "reference": 2}
    assert Counter(TYPES[asked.memory] for asked in load_questions(EXAMPLE)) == mix
