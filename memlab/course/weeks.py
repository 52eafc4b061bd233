"""The two weeks with a language model: Robin's fourteen sessions, recorded
once, and the twelve questions that are asked afterwards.

The main agent says what it said in the transcripts, except where Robin asks it
to remember or to forget something. There, and as side-query, extractor and
dreamer, a model answers. The story's time stands still while it does.

``data/recorded/weeks.jsonl`` has one line per session, with the memories after
it, and one per answered question. ``python -m memlab.course.weeks URL`` records
what is missing, with the server at a URL.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2

from memlab.bench.recorded import Recorded, append, hashes, recorded
from memlab.bench.variants import RECORDED, digest
from memlab.course.lab import Lab
from memlab.course.own_parts import parts_folder
from memlab.course.replay import replay_story, story_script
from memlab.course.story import Row, evidence_in, question_requests
from memlab.models.offline import OfflineModel
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import answer
from memlab.models.wire import PURPOSE_HEADER, Reply
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from memlab.text import fold_space

NAME, ANSWERS = "weeks", "questions"
VARIANTS = ("script", "rules", "model")
PURPOSES = ("main", "select", "extract", "dream")
MODEL = "claude-handed-over"


def session_lines(variant: str) -> list[Recorded]:
    """Read the sessions of the script, the rules or the model, with the text of
    every memory: in the file, a text has only a hash where it is not new.
    """
    texts: dict[str, str] = {}
    lines = []
    for line in _lines(NAME, variant):
        memories = {}
        for name, kept in line.stored["memories"].items():
            text = texts.setdefault(kept["hash"], kept.get("text", ""))
            memories[name] = {"text": text, "mtime": kept["mtime"]}
        lines.append(
            replace(line, stored={**line.stored, "memories": memories})
        )
    return lines


def answers(variant: str) -> list[Recorded]:
    """Read the answers that were given with no memory ("none"), or with that
    of the rules or the model.
    """
    return _lines(ANSWERS, variant)


def _lines(half: str, variant: str) -> list[Recorded]:
    lines = recorded(NAME, RECORDED)
    return [
        line for line in lines if (line.half, line.variant) == (half, variant)
    ]


def write_memory(memories: Mapping[str, Any], directory: Path) -> Path:
    """Write a memory directory from what was kept, in place of one that is
    there; returns the directory.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for name, kept in memories.items():
        path = directory / name
        path.write_bytes(kept["text"].encode())
        os.utime(path, ns=(kept["mtime"], kept["mtime"]))
    return directory


def evidence_rows(lab: Lab) -> dict[str, list[Row]]:
    """Ask the twelve questions of each memory after each session: those of the
    script, of the rules and of the model.
    """
    rows: dict[str, list[Row]] = {}
    for variant in VARIANTS:
        rows[variant] = []
        for line in session_lines(variant):
            memory = write_memory(line.stored["memories"], lab.home / "kept")
            rows[variant].append(evidence_in(lab, memory, ours=True))
    return rows


# recording


class Server:
    """Asks a server, and keeps what it answered in a file, so that nothing is
    asked twice if the recording stops and begins again.
    """

    def __init__(self, url: str, file: Path) -> None:
        self.url = url.rstrip("/").removesuffix("/v1")
        self.file = file
        self.kept: dict[str, Any] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                self.kept.update(json.loads(line))

    def ask(self, body: Mapping[str, Any], purpose: str = "main") -> list[Any]:
        """Return the blocks of an answer, however long it takes; ends the
        program if none comes.
        """
        sent = {**body, "model": MODEL, "stream": False}
        key = digest(sent)
        if key not in self.kept:
            url, named = f"{self.url}/v1/messages", {PURPOSE_HEADER: purpose}
            try:
                response = httpx2.post(
                    url, json=sent, headers=named, timeout=None
                )
                self.kept[key] = response.raise_for_status().json()["content"]
            except httpx2.HTTPError as error:
                sys.exit(f"no answer came, so the recording stops: {error}")
            with self.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({key: self.kept[key]}) + "\n")
        return list(self.kept[key])


async def record_sessions(lab: Lab, variant: str, server: Server) -> None:
    """Replay the two weeks, and keep what is remembered after each session."""
    asks = {fold_space(turn.user) for turn in story_script([]).main}
    calls: list[list[dict[str, Any]]] = []

    def before_session(model: OfflineModel) -> None:
        def by_server(request: ModelRequest) -> Reply:
            if request.purpose == "main" and request.said not in asks:
                return answer(request, model.scripts, model.settings).reply
            blocks = server.ask(request.body, request.purpose)
            asked = {"purpose": request.purpose, **hashes(request.body)}
            calls[-1].append({**asked, "answer": blocks})
            return Reply(blocks)

        calls.append([])
        if variant == "model":
            model.latency = {}
            model.roles |= dict.fromkeys(PURPOSES, by_server)

    replay = await replay_story(
        lab,
        variant,
        before_session=before_session,
        scripted=variant == "script",
    )
    known = set[str]()
    for end, made in zip(replay.session_ends, calls, strict=True):
        memories = {}
        for path in sorted(end.copy.glob("*.md")):
            text = path.read_text(encoding="utf-8")
            kept = {"hash": digest(text), "mtime": path.stat().st_mtime_ns}
            memories[path.name] = (
                kept if text in known else {**kept, "text": text}
            )
            known.add(text)
        stored = {"at": end.at.isoformat(), "memories": memories}
        stored["notices"] = list(end.notices)
        _append(end.copy.name, NAME, variant, made, stored)


def record_answers(lab: Lab, variant: str, server: Server) -> None:
    """Ask the questions, all at once, with the story's date before each."""
    memory = None
    if variant != "none":
        memories = session_lines(variant)[-1].stored["memories"]
        memory = write_memory(memories, lab.home / "asked")
    now = lab.clock.now()
    date = block("date", f"{now:%Y-%m-%d}", weekday=f"{now:%A}")
    today = SHIPPED.section("reminders", "date", date=date, zone=f"{now:%Z}")
    requests = question_requests(lab, memory, reminder=today)
    bodies = [{"max_tokens": 1_000, **request} for request in requests]
    with ThreadPoolExecutor(len(bodies)) as pool:
        asked = zip(
            lab.questions, bodies, pool.map(server.ask, bodies), strict=True
        )
        for question, body, blocks in asked:
            text = "\n".join(
                one["text"] for one in blocks if one["type"] == "text"
            )
            made = [{**hashes(body), "answer": blocks}]
            _append(question.id, ANSWERS, variant, made, text)


def _append(
    case: str, half: str, variant: str, calls: Any, stored: Any
) -> None:
    line = Recorded(case, half, variant, "a", "", "", "", calls, stored)
    append(NAME, line, RECORDED)


async def record(url: str) -> None:
    """Record what is missing."""
    lab = Lab(12, "offline")
    server = Server(url, parts_folder().parent / "weeks_answers.jsonl")
    for variant in VARIANTS:
        if not session_lines(variant):
            await record_sessions(lab, variant, server)
    for variant in ("none", "rules", "model"):
        if not answers(variant):
            record_answers(lab, variant, server)


if __name__ == "__main__":
    asyncio.run(record(sys.argv[1]))
