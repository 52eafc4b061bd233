"""The two weeks with a language model: Robin's fourteen sessions, recorded once,
and the twelve questions that are asked afterwards.

The main agent says what it said in the transcripts, except where Robin asks it
to remember or to forget something. There, and as side-query, extractor and
dreamer, a model answers. The prompts show the story's time, which stands still
during a turn; the waiting is real. Each session begins when everything that
the one before has left running is done.

``data/recorded/weeks.jsonl`` has one line per session, with the memories after
it, and one per answered question. Run as ``python -m memlab.course.weeks`` to
print its tables, and with ``--base-url URL`` to record it. After a stop, the
same command goes on with the first session that has no line. For that, the
home directory after each session is kept in a folder, ``my/weeks``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from operator import add
from pathlib import Path
from textwrap import fill
from typing import Any

import httpx2
import yaml

from memlab.bench.recorded import (
    LABEL,
    MODEL,
    PATIENCE,
    Keeping,
    Recorded,
    append,
    patient_client,
    patient_settings,
    recorded,
    with_contexts,
)
from memlab.bench.tasks import CaseClock
from memlab.bench.variants import BASE, RECORDED, Variant, digest
from memlab.course import measuring
from memlab.course.baselines import nothing, recalled_from
from memlab.course.comparison import evidence_in, shown_memory
from memlab.course.data_files import CLONE
from memlab.course.lab import ROBINS_HOME, Lab
from memlab.course.measuring import Question, Row
from memlab.course.notebook_folder import NotebookFolder
from memlab.course.parts import without_parts
from memlab.course.replay import (
    StoryTurn,
    as_told,
    new_home,
    replay_story,
    story_script,
    story_sessions,
    story_turns,
)
from memlab.course.show import Table, table
from memlab.errors import MemlabError, ModelError
from memlab.events import Event
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.places import INDEX, Where
from memlab.memdir.toggles import Toggles
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.models.request import ModelRequest
from memlab.models.standin.scripts import Script
from memlab.models.wire import PURPOSE_HEADER
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from memlab.text import fold_space

NAME = "weeks"
SCRIPT, RULES, WITH_MODEL, NONE = "script", "rules", "model", "none"
PROMPTS = "agent dream extract memory reminders select select_request tools"
ANSWERS = "questions"
SAVING = ("Edit", "Write")
ANSWER_TOKENS = 1_000
KEPT_FIGURES = "attached by error files reason sessions_reviewed tool"
_READ_ME = (
    "Evidence counts if its words are in the request, and an answer counts if"
    " they are in the answer, so the same in other words does not count."
    " Nobody was asked just now: all of it was recorded, and"
    " data/recorded/README.md says what it is."
)
KEPT_EVENTS = (
    "extracted extract_skipped extract_failed recall dream_fired"
    " dream_completed dream_waits dream_failed stop_hook_failed drain_cut_off"
)


class StoryModel(OfflineModel):
    """Says what the agent said in the story; asks a server for the rest.

    After a call that failed, no other is made: ``failed`` says why.
    """

    def __init__(self, url: str, clock: CaseClock, script: Script) -> None:
        super().__init__(clock=clock, scripts=[script], latency={})
        self.kept = Keeping()
        self.failed = ""
        self._url = url.rstrip("/").removesuffix("/v1")
        asks = story_script().main
        self._asks = {fold_space(turn.user) for turn in asks}

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request of the SDK."""
        purpose = request.headers.get(PURPOSE_HEADER, "main")
        raw = await request.aread()
        said = ModelRequest(purpose, json.loads(raw)).said
        is_call = request.url.path.endswith("/messages")
        is_told = purpose == "main" and said not in self._asks
        if is_told or not is_call:
            return await super().handle_async_request(request)
        if self.failed:
            raise httpx2.ConnectError(self.failed)
        headers = request.headers.copy()
        del headers["host"]
        url = f"{self._url}{request.url.path}"
        sent = httpx2.Request("POST", url, headers=headers, content=raw)
        try:
            response = await self.kept.handle_async_request(sent)
        except httpx2.TransportError as error:
            self.failed = f"{type(error).__name__}: {error}"
            raise
        if response.status_code != httpx2.codes.OK:
            self.failed = f"status {response.status_code}"
        else:
            self.kept.calls[-1] = {"purpose": purpose, **self.kept.calls[-1]}
        return response

    def check(self, url: str) -> None:
        """Raise ModelError if a call failed."""
        if self.failed:
            raise ModelError(
                f"no answer came ({self.failed}), so nothing was recorded"
                " of this session",
                where=url,
                do="Start the server, or correct the address, and run the"
                " same command again",
            )


async def record_session(
    lab: Lab, number: int, url: str, homes: Path
) -> Recorded:
    """Play one session, from the home directory that the one before has left,
    with a model at ``url``. Raises ModelError if it does not answer.
    """
    paths = story_sessions(lab)
    session, turns = paths[number].stem, story_turns(paths[number])
    home = _begin_home(lab, homes, paths[number - 1].stem if number else "")
    clock = _StoryClock(turns[0].at, number)
    told = Script(title="told", main=as_told(turns, story_script()))
    model = StoryModel(url, clock, told)
    runtime = make_runtime("offline", model=model, settings=patient_settings())
    harness = Harness(
        home / "tidebook",
        HarnessOptions(
            runtime=runtime,
            base=home / ".memlab",
            where=Where(home, ROBINS_HOME),
            environ={},
            toggles=Toggles(auto_dream=True),
            session=session,
        ),
    )
    for turn in turns:
        clock.advance((turn.at - clock.now()).total_seconds())
        await harness.say(turn.words)
        await harness.drain(PATIENCE)
        model.check(url)
    await runtime.client.close()
    calls = Counter(call["purpose"] for call in model.kept.calls)
    events = [_kept(one, "main" in calls) for one in runtime.events]
    stored = {
        "at": clock.now().isoformat(),
        "memories": read_memory(NotebookFolder(home).memory),
        "events": [one for one in events if one],
        "notices": list(harness.notices),
        "calls": dict(calls),
    }
    shutil.rmtree(homes / session, ignore_errors=True)
    shutil.copytree(home, homes / session)
    return _line(session, turns, WITH_MODEL, stored, model.kept.calls)


class _StoryClock(CaseClock):
    """Gives other names in each session, so that a restart gives them again."""

    def __init__(self, start: datetime, number: int) -> None:
        super().__init__(start)
        self._named = number * 10_000


def _begin_home(lab: Lab, homes: Path, before: str) -> Path:
    """Give the home directory of a session, always at the same path."""
    home = homes / "home"
    if not before:
        return new_home(lab, str(home.resolve()))
    if not (homes / before).is_dir():
        raise MemlabError(
            f"the home directory after session {before} is not there",
            where=homes,
            do=f"Restore it, or remove the lines from {NAME}.jsonl",
        )
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(homes / before, home)
    return home.resolve()


def _line(
    case: str,
    turns: Sequence[StoryTurn],
    variant: str,
    stored: Mapping[str, Any],
    calls: Sequence[Mapping[str, Any]] = (),
) -> Recorded:
    prompts = Variant(BASE).version(PROMPTS.split()) if calls else ""
    label = digest([turn.words for turn in turns])
    return Recorded(
        case, NAME, variant, "a", "", prompts, label, calls, stored
    )


def _kept(event: Event, main: bool) -> dict[str, Any]:
    """Give what is kept of an event; nothing of most. ``main`` says whether
    the main agent was asked to remember or to forget something.
    """
    figures = event.figures
    is_refusal = event.name in ("tool_denied", "tool_failed") and (
        "by" in figures or (main and figures["tool"] in SAVING)
    )
    if not is_refusal and event.name not in KEPT_EVENTS.split():
        return {}
    kept = {
        key: figures[key] for key in KEPT_FIGURES.split() if key in figures
    }
    return {"event": event.name, **kept}


def read_memory(directory: Path) -> dict[str, dict[str, Any]]:
    """Read a memory directory as it is kept: the text of each file, and when
    it was written.
    """
    return {
        path.name: {
            "text": path.read_text(encoding="utf-8"),
            "mtime": path.stat().st_mtime_ns,
        }
        for path in sorted(directory.glob("*.md"))
    }


def write_memory(memories: Mapping[str, Any], directory: Path) -> Path:
    """Write a memory directory from what was kept; returns the directory."""
    directory.mkdir(parents=True)
    for name, kept in memories.items():
        path = directory / name
        path.write_bytes(kept["text"].encode())
        os.utime(path, ns=(kept["mtime"], kept["mtime"]))
    return directory


def session_lines(variant: str, folder: Path | None = None) -> list[Recorded]:
    """Read the sessions of the script, the rules or the model, with the text of
    every memory: in the file, a text has only a hash where it is not new.
    """
    texts: dict[str, str] = {}
    lines = []
    for one in recorded(NAME, folder or RECORDED):
        if one.half != NAME or one.variant != variant:
            continue
        memories = {}
        for name, kept in one.stored["memories"].items():
            text = texts.setdefault(kept["hash"], kept.get("text", ""))
            memories[name] = {"text": text, "mtime": kept["mtime"]}
        lines.append(replace(one, stored={**one.stored, "memories": memories}))
    return lines


def _without_old_texts(one: Recorded, earlier: Iterable[Recorded]) -> Recorded:
    before = {
        kept["text"]
        for line in earlier
        for kept in line.stored["memories"].values()
    }
    memories = {}
    for name, kept in one.stored["memories"].items():
        kept = {"hash": digest(kept["text"]), **kept}
        if kept["text"] in before:
            del kept["text"]
        memories[name] = kept
    return replace(one, stored={**one.stored, "memories": memories})


def measured(lab: Lab, one: Recorded) -> Row:
    """Ask the twelve questions of the memory after a session, as notebook 12
    does: the words of the evidence have to be in the request.
    """
    with tempfile.TemporaryDirectory() as scratch:
        memory = write_memory(one.stored["memories"], Path(scratch) / "memory")
        day = f"{datetime.fromisoformat(one.stored['at']):%d %b}"
        return evidence_in(lab, memory, f"12 {day}", ours=True)


def planted_in(lab: Lab, one: Recorded) -> dict[str, list[str]]:
    """Give what the story has planted in the sessions, by its kind, as far as
    it is in the memory after a session, word for word.
    """
    file = lab.example / "story.yaml"
    story = yaml.load(file.read_text("utf-8"), yaml.BaseLoader)
    texts = [kept["text"] for kept in one.stored["memories"].values()]
    memory = "\n".join(texts)
    found: dict[str, list[str]] = {}
    for plant in story["planted"]:
        for text in plant["text"] if "by" in plant else ():
            if measuring.contains_evidence(memory, text):
                found.setdefault(plant["kind"], []).append(text)
    return found


async def record(
    lab: Lab, url: str, contexts: Path | None, homes: Path, folder: Path
) -> None:
    """Record what is missing: the replays of script and rules, the sessions
    with the model, and the answers.
    """
    homes.mkdir(parents=True, exist_ok=True)
    for variant in (SCRIPT, RULES):
        if not session_lines(variant, folder):
            await _record_replay(lab, variant, folder)
    sessions = len(story_sessions(lab))
    for number in range(len(session_lines(WITH_MODEL, folder)), sessions):
        one = await record_session(lab, number, url, homes)
        _append_session(lab, with_contexts(one, contexts), folder)
        print(f"session {number + 1}: {dict(one.stored['calls'])}", flush=True)
    for variant in (NONE, RULES, WITH_MODEL):
        await _record_answers(lab, variant, url, contexts, folder)


async def _record_replay(lab: Lab, variant: str, folder: Path) -> None:
    paths = story_sessions(lab)
    with without_parts():
        replay = await replay_story(
            lab,
            f"{NAME}-{variant}",
            sessions=len(paths),
            scripted=variant == SCRIPT,
        )
    for end, path in zip(replay.session_ends, paths, strict=True):
        memories = read_memory(end.copy)
        stored = {"at": end.at.isoformat(), "memories": memories}
        line = _line(end.session, story_turns(path), variant, stored)
        _append_session(lab, line, folder)


def _append_session(lab: Lab, one: Recorded, folder: Path) -> None:
    row = measured(lab, one)
    found = [hit.question for hit in row.detail if hit.found]
    more = {"evidence": found, "planted": planted_in(lab, one)}
    one = replace(one, stored={**one.stored, **more})
    earlier = session_lines(one.variant, folder)
    append(NAME, _without_old_texts(one, earlier), folder)


async def _record_answers(
    lab: Lab, variant: str, url: str, contexts: Path | None, folder: Path
) -> None:
    """Ask the questions that have no answer yet, all at once."""
    there = {one.case for one in answers(variant, folder)}
    left = [one for one in lab.questions if one.id not in there]
    if not left:
        return
    print(f"questions, {variant}: {len(left)} to ask", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        builder = nothing(lab)
        if variant != NONE:
            after = session_lines(variant, folder)[-1].stored["memories"]
            memory = write_memory(after, Path(scratch) / "memory")
            builder = recalled_from(lab, memory, shown_memory)
        bodies = {one.id: _dated(lab, builder(one)) for one in left}
    asked = [_ask(name, variant, body, url) for name, body in bodies.items()]
    labels = {one.id: digest(one.model_dump()) for one in left}
    for done in asyncio.as_completed(asked):
        one = with_contexts(await done, contexts)
        append(NAME, replace(one, label=labels[one.case]), folder)


def _dated(lab: Lab, body: Mapping[str, Any]) -> dict[str, Any]:
    """Put the story's date before the question, as a conversation has it."""
    today = lab.clock.now()
    date = block("date", f"{today:%Y-%m-%d}", weekday=f"{today:%A}")
    text = SHIPPED.reminder("date", date=date, zone=f"{today:%Z}")
    (message,) = body["messages"]
    content = [{"type": "text", "text": text}, *message["content"]]
    return {**body, "messages": [{**message, "content": content}]}


async def _ask(
    case: str, variant: str, body: Mapping[str, Any], url: str
) -> Recorded:
    from anthropic import APIError

    kept = Keeping()
    client = patient_client(url, kept)
    try:
        await client.messages.create(
            model=MODEL, max_tokens=ANSWER_TOKENS, **body
        )
    except APIError as error:
        raise ModelError(
            f"no answer came ({error})",
            where=url,
            do="Start the server, or correct the address, and run the same"
            " command again",
        ) from error
    finally:
        await client.close()
    said = kept.calls[0]["answer"]
    text = "\n".join(one["text"] for one in said if one["type"] == "text")
    version = Variant(BASE).version(("memory", "reminders"))
    return Recorded(
        case, ANSWERS, variant, "a", "", version, "", kept.calls, text
    )


def answers(variant: str, folder: Path | None = None) -> list[Recorded]:
    """Read the answers that were given with one of the three memories."""
    return [
        one
        for one in recorded(NAME, folder or RECORDED)
        if (one.half, one.variant) == (ANSWERS, variant)
    ]


def is_answered(question: Question, answer: str) -> bool:
    """Tell whether an answer has the words of the evidence, all of them."""
    return all(
        measuring.contains_evidence(answer, one) for one in question.evidence
    )


def evidence_rows(
    lab: Lab, folder: Path | None = None
) -> dict[str, list[Row]]:
    """Ask the twelve questions of each memory after each session: those of the
    script, of the rules and of the model.
    """
    return {
        variant: [measured(lab, one) for one in session_lines(variant, folder)]
        for variant in (SCRIPT, RULES, WITH_MODEL)
    }


def evidence_table(lab: Lab, folder: Path | None = None) -> Table:
    """List after each session how many memories there are, and for how many
    questions the evidence is in the request.
    """
    found = evidence_rows(lab, folder)
    days = [row.label for row in found[SCRIPT]]
    columns: list[Sequence[object]] = [days]
    for variant, rows in found.items():
        lines = session_lines(variant, folder)
        counts = [len({*one.stored["memories"]} - {INDEX}) for one in lines]
        columns += [counts, [f"{row.found} / {row.of}" for row in rows]]
    heads = [
        f"{what} ({variant})"
        for variant in found
        for what in ("memories", "evidence")
    ]
    return table(zip_longest(*columns, fillvalue=""), ("after", *heads))


def answer_table(lab: Lab, folder: Path | None = None) -> Table:
    """List for each question with which memories the model's answer has the
    words of the evidence.
    """
    said = {
        variant: {one.case: one.stored for one in answers(variant, folder)}
        for variant in (NONE, RULES, WITH_MODEL)
    }
    rows: list[tuple[object, ...]] = []
    totals = [0] * len(said)
    for question in lab.questions:
        found = [
            is_answered(question, texts.get(question.id, ""))
            for texts in said.values()
        ]
        totals = list(map(add, totals, found))
        rows.append((question.question, *found))
    rows.append(("all", *totals))
    return table(rows, ("question", *said))


def tables_text(lab: Lab, folder: Path | None = None) -> str:
    """Give what the command prints; raises MemlabError without a record."""
    if not session_lines(WITH_MODEL, folder):
        raise MemlabError(
            "the two weeks are not recorded",
            where=f"data/recorded/{NAME}.jsonl",
            do="Record them, with --base-url",
        )
    return "\n".join(
        [
            f"The two weeks: {LABEL}\n",
            f"{evidence_table(lab, folder)!r}\n",
            "Answered with no memory, and with what the rules or the model"
            " had saved:\n",
            f"{answer_table(lab, folder)!r}\n",
            fill(_READ_ME, 80),
        ]
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables, or record, from the command line."""
    parser = argparse.ArgumentParser(prog="python -m memlab.course.weeks")
    parser.add_argument("--base-url", default="")
    parser.add_argument("--contexts", type=Path)
    parser.add_argument("--homes", type=Path, default=CLONE / "my" / NAME)
    parser.add_argument("--folder", type=Path, default=RECORDED)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["MEMLAB_COURSE_HOME"] = scratch
        lab = Lab(12, "offline")
        try:
            if args.base_url:
                work = record(
                    lab, args.base_url, args.contexts, args.homes, args.folder
                )
                asyncio.run(work)
            print(tables_text(lab, args.folder))
        except MemlabError as error:
            parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
