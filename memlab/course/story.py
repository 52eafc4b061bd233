"""The story's twelve questions, and in how many requests their evidence is.

A question counts if all its evidence is in the request. Whether a model would
make good use of what it reads is another measurement, and needs a model. The
rule compares words, so a paraphrase of the evidence does not count. Nothing is
sent and nothing is stored: every row is computed when it is shown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from memlab.course.notebook_folder import SHOWN_MEMORY, copy_part
from memlab.course.parts import without_parts
from memlab.course.show import Table, table
from memlab.memdir.instructions import memory_section
from memlab.memdir.scan import MemoryHeader, scan_memory_files
from memlab.models.standin.scripts import notebook_scripts
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from memlab.recall import keyword
from memlab.recall.attach import Surfaced, surface
from memlab.text import fold_space, request_text, request_tokens

if TYPE_CHECKING:
    from memlab.course.lab import Lab

SYSTEM = """\
You are a coding agent. You work in ~/tidebook, together with the developer who talks to you. Read \
before you change, keep changes small, and say what you did.

The project's CLAUDE.md:

"""


class Question(NamedTuple):
    """A question that a request can answer if it contains all the ``evidence``:
    said in ``session``, and stored in the file ``memory``.
    """

    id: str
    question: str
    evidence: tuple[str, ...]
    memory: str
    session: str
    why: str


def load_questions(folder: Path) -> tuple[Question, ...]:
    """Read the example's ``questions.yaml``; every value is text, such as the
    evidence 17:10.
    """
    text = (folder / "questions.yaml").read_text(encoding="utf-8")
    return tuple(
        Question(**{**entry, "evidence": tuple(entry["evidence"])})
        for entry in yaml.load(text, yaml.BaseLoader)
    )


def contains_evidence(text: str, evidence: str) -> bool:
    """Tell whether a text contains the evidence as whole words.

    Upper and lower case are the same, and so is any run of white space; no
    letter, digit or underscore may touch it. Empty evidence is never
    contained.
    """
    wanted = re.escape(fold_space(evidence).casefold())
    found = re.search(rf"(?<!\w){wanted}(?!\w)", fold_space(text).casefold())
    return bool(wanted) and found is not None


def agent_instructions(lab: Lab) -> str:
    """Return the system prompt of an agent without memory: who it is, and the
    project's CLAUDE.md.
    """
    claude_md = (lab.project / "CLAUDE.md").read_text(encoding="utf-8")
    return SYSTEM + claude_md.strip()


def summary_reminder(lab: Lab) -> str:
    """Return what compaction left of the example's first session, as a
    reminder's text.
    """
    summaries = [script.summary.strip() for script in notebook_scripts(0)]
    text = block("summary", next(filter(None, summaries)))
    return SHIPPED.section("reminders", "summary", summary=text)


def question_requests(
    lab: Lab,
    memory: Path | None = None,
    *,
    recalls: bool = True,
    reminder: str = "",
) -> list[dict[str, Any]]:
    """Build the request for each question, as an agent would send it that has
    no memory, or a memory directory: its index and what words recall from it.

    ``keyword_rank`` recalls, the learner's if it has passed, and not the
    side-query: a figure that needs no model is the same for everyone. Each
    question is a new session, so nothing has surfaced before.
    """
    settings = lab.settings
    headers: list[MemoryHeader] = []
    system = [agent_instructions(lab)]

    def show(path: Path) -> str:
        return (
            SHOWN_MEMORY if path == memory else f"{SHOWN_MEMORY}/{path.name}"
        )

    if memory is not None:
        headers = list(scan_memory_files(memory, settings))
        system.append(memory_section(memory, show=show, settings=settings))
    requests = []
    for one in lab.questions:
        texts: list[str] = []
        if reminder:
            texts.append(block("system-reminder", reminder))
        if recalls and headers:
            most = settings.select_max_memories
            chosen = keyword.keyword_rank(one.question, headers, most)
            shown = surface(
                chosen,
                Surfaced(),
                now=lab.clock.now(),
                settings=settings,
                known=headers,
                show=show,
            )
            texts += [attachment.text for attachment in shown.attachments]
        content = [_text(text) for text in (*texts, one.question)]
        requests.append(
            {
                "system": [_text(text) for text in system],
                "messages": [{"role": "user", "content": content}],
            }
        )
    return requests


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


class Row(NamedTuple):
    """In how many of the requests the evidence is, at how many tokens each on
    average; ``detail`` says for each question whether it is.
    """

    found: int
    of: int
    tokens_mean: int
    detail: tuple[bool, ...]


def evidence_in(
    lab: Lab, memory: Path | None = None, *, ours: bool = False, **more: Any
) -> Row:
    """Measure the requests that ``question_requests`` builds.

    The lab's parts choose and judge, the learner's where they have passed;
    with ``ours``, memlab's own.
    """
    if ours:
        with without_parts():
            return evidence_in(lab, memory, **more)
    requests = question_requests(lab, memory, **more)
    texts = [request_text(request) for request in requests]
    detail = tuple(
        all(contains_evidence(text, one) for one in question.evidence)
        for text, question in zip(texts, lab.questions, strict=True)
    )
    tokens = sum(map(request_tokens, requests)) / len(requests)
    return Row(sum(detail), len(detail), round(tokens), detail)


def scoreboard(lab: Lab, *, ours: bool = False) -> Table:
    """Measure every stage up to the lab's notebook: what would be sent there.

    Rule and ranking are the learner's, where ``contains_evidence`` and
    ``keyword_rank`` have passed. With ``ours``, memlab's own are used.
    """
    first = copy_state(lab)
    stages: list[tuple[int, str, Path | None, dict[str, Any]]] = [
        (0, "nothing", None, {}),
        (0, "after a summary", None, {"reminder": summary_reminder(lab)}),
        (2, "the hooks", first, {"recalls": False}),
        (4, "recall", first, {}),
        (8, "learned by itself", copy_state(lab, "learned"), {}),
        (11, "and put in order", copy_state(lab, "dreamt"), {}),
    ]
    rows = []
    for number, label, memory, more in stages:
        if number <= lab.number:
            row = evidence_in(lab, memory, ours=ours, **more)
            found = f"{row.found} / {row.of}"
            rows.append((f"{number:02d}", label, found, row.tokens_mean))
    heads = (
        "notebook",
        "what the request holds",
        "evidence in it",
        "tokens, mean",
    )
    return table(rows, heads)


def copy_state(lab: Lab, name: str = "") -> Path:
    """Copy a stored state of memory into the lab's home, with the times of its
    files, and return its directory.

    Without a name, it is the memory that every notebook begins with. ``learned``
    is what extraction alone has saved after two weeks, and ``dreamt`` is what
    dreams have made of it.
    """
    target: Path = lab.home / ".states" / (name or "first")
    shutil.rmtree(target, ignore_errors=True)
    if not name:
        copy_part(lab.example, "memory", target)
        return target
    source = lab.example / "states" / name
    shutil.copytree(source, target)
    times = json.loads((source / "times.json").read_text(encoding="utf-8"))
    for file, time in times.items():
        os.utime(target / file, ns=(time, time))
    return target
