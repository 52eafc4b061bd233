"""The scoreboard: the same twelve questions, asked at every stage of the
course.

A stage builds, for a question, the request that a system of that stage would
send. A new stage is one line in ``STAGES``. Nothing is sent and nothing is
stored: every row is computed when it is shown. A request is a dict with
``system`` and ``messages``, ready for ``client.messages.create(model=…,
max_tokens=…, **request)``.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlab.course.lab import Lab
from memlab.course.measuring import Builder, Question, Row, measure
from memlab.course.notebook_folder import SHOWN_MEMORY, copy_part
from memlab.course.parts import without_parts
from memlab.course.show import Table, table
from memlab.errors import CourseError
from memlab.memdir.instructions import memory_section
from memlab.memdir.scan import scan_memory_files
from memlab.models.standin.scripts import notebook_scripts
from memlab.prompts import SHIPPED
from memlab.prompts.blocks import block
from memlab.recall import keyword
from memlab.recall.attach import Surfaced, surface
from memlab.recall.selection import Rank

_TIMES = "times.json"


def copy_state(lab: Lab, name: str) -> Path:
    """Copy a stored state of memory into the lab's home, and return its
    directory.

    ``learned`` is what extraction alone has saved after two weeks, and
    ``dreamt`` is what dreams have made of it. The files keep the times they
    had. Raises CourseError if ``data`` does not contain the state.
    """
    source, target = lab.example / "states" / name, lab.home / ".states" / name
    if not (source / _TIMES).is_file():
        do = "Restore it: git checkout -- data"
        raise CourseError("there is no such state", where=name, do=do)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file, nanoseconds in json.loads(
        (source / _TIMES).read_text(encoding="utf-8")
    ).items():
        shutil.copyfile(source / file, target / file)
        os.utime(target / file, ns=(nanoseconds, nanoseconds))
    return target


def copy_first_state(lab: Lab) -> Path:
    """Copy the story's memory as every notebook finds it into the lab's home,
    and return its directory.

    What a notebook has changed in its own memory directory is not in it, so a
    row of the scoreboard has the same figures everywhere.
    """
    target = lab.home / ".states" / "first"
    shutil.rmtree(target, ignore_errors=True)
    copy_part(lab.example, "memory", target)
    return target


def show_state(path: Path) -> str:
    """Show a path of a state as the story's memory directory would show it."""
    inside = path.parts[path.parts.index(".states") + 2 :]
    return "/".join((SHOWN_MEMORY, *inside))


SYSTEM = """\
You are a coding agent. You work in ~/tidebook, together with the developer who talks to you. Read \
before you change, keep changes small, and say what you did.

The project's CLAUDE.md:

"""


@dataclass(frozen=True)
class Stage:
    """One stage: its name, as ``00 nothing``, and how to get its builder from
    a lab.
    """

    name: str
    builder: Callable[[Lab], Builder]


def agent_instructions(lab: Lab) -> str:
    """Return the system prompt of an agent without memory: who it is, and the
    project's CLAUDE.md.
    """
    claude_md = (lab.project / "CLAUDE.md").read_text(encoding="utf-8")
    return SYSTEM + claude_md.strip()


def build_request(
    lab: Lab,
    words: str,
    *reminders: str,
    section: str = "",
    attached: Iterable[str] = (),
) -> dict[str, Any]:
    """Build the request for a person's words; each reminder is a block in
    front of them.

    ``section`` joins the system prompt, ``attached`` are blocks that are
    reminders already. Without any of these this is an agent without memory: it
    knows the project's CLAUDE.md, and what is asked.
    """
    blocks = [block("system-reminder", text) for text in reminders]
    system = [agent_instructions(lab), *([section] if section else [])]
    return {
        "system": [{"type": "text", "text": text} for text in system],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": text}
                    for text in (*blocks, *attached, words)
                ],
            }
        ],
    }


def summary_reminder(lab: Lab) -> str:
    """Return what compaction left of the example's first session, as a
    reminder's text.
    """
    for script in notebook_scripts(0):
        if script.summary:
            return SHIPPED.section(
                "reminders",
                "summary",
                summary=block("summary", script.summary.strip()),
            )
    raise CourseError(
        "no script contains a summary",
        where="data/scripts",
        do="Restore it: git checkout -- data",
    )


def nothing(lab: Lab) -> Builder:
    """Send the question alone."""
    return lambda question: build_request(lab, question.question)


def after_a_summary(lab: Lab) -> Builder:
    """Send the question after what compaction left of an earlier session."""
    summary = summary_reminder(lab)
    return lambda question: build_request(lab, question.question, summary)


def the_hooks(lab: Lab) -> Builder:
    """Send the question with the memory section in the system prompt: the
    rules, and the index.
    """
    return hooks_in(lab, copy_first_state(lab), show_state)


def hooks_in(
    lab: Lab, directory: Path, show: Callable[[Path], str]
) -> Builder:
    """Do the same with the index of a memory directory."""
    section = memory_section(directory, show=show, settings=lab.settings)
    return lambda question: build_request(
        lab, question.question, section=section
    )


def recalled(lab: Lab) -> Builder:
    """Send the question with the memory section, and with the memories that
    words recall for it.

    ``keyword_rank`` chooses, the learner's if it has passed, and not the
    side-query: a figure that needs no model is the same for everyone. Each
    question is a new session, so nothing has surfaced before.
    """
    return recalled_from(lab, copy_first_state(lab), show_state)


def from_state(name: str) -> Callable[[Lab], Builder]:
    """Do the same with a memory directory that the machine has made by itself."""
    return lambda lab: recalled_from(lab, copy_state(lab, name), show_state)


def recalled_from(
    lab: Lab,
    directory: Path,
    show: Callable[[Path], str],
    rank: Rank | None = None,
    section: str = "",
) -> Builder:
    """Send the question with what is recalled from a memory directory; without
    ``rank``, ``keyword_rank`` chooses.

    ``section`` is what the system prompt says of memory; without it, what it
    says of a private memory.
    """
    section = section or memory_section(
        directory, show=show, settings=lab.settings
    )
    headers = list(scan_memory_files(directory, lab.settings))
    rank = rank or keyword.keyword_rank

    def build(question: Question) -> dict[str, Any]:
        chosen = rank(
            question.question, headers, lab.settings.select_max_memories
        )
        now = lab.clock.now()
        shown = surface(
            chosen,
            Surfaced(),
            now=now,
            settings=lab.settings,
            known=headers,
            show=show,
        )
        texts = [attachment.text for attachment in shown.attachments]
        return build_request(
            lab, question.question, section=section, attached=texts
        )

    return build


STAGES: tuple[Stage, ...] = (
    Stage("00 nothing", nothing),
    Stage("00 after a summary", after_a_summary),
    Stage("02 the hooks", the_hooks),
    Stage("04 recall", recalled),
    Stage("08 learned by itself", from_state("learned")),
    Stage("11 and put in order", from_state("dreamt")),
)


@dataclass(frozen=True, repr=False)
class Scoreboard:
    """The rows so far, shown as one table."""

    rows: tuple[Row, ...]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        return table(
            [
                (
                    f"{row.notebook:02d}",
                    row.label,
                    f"{row.found} / {row.of}",
                    row.tokens_mean,
                )
                for row in self.rows
            ],
            (
                "notebook",
                "what the request holds",
                "evidence in it",
                "tokens, mean",
            ),
        )

    @property
    def detail(self) -> Table:
        """Every question on its own: in which stages the request contained its
        evidence.
        """
        stages = [f"{row.notebook:02d} {row.label}" for row in self.rows]
        hits = zip(*(row.detail for row in self.rows), strict=True)
        lines = [
            (each[0].question, *(hit.found for hit in each)) for each in hits
        ]
        return table(lines, ("question", *stages))

    def _repr_markdown_(self) -> str:
        return self.table.markdown

    def __repr__(self) -> str:
        return repr(self.table)


def scoreboard(lab: Lab, *, ours: bool = False) -> Scoreboard:
    """Measure every stage up to the lab's notebook.

    Rule and ranking are the learner's, where ``contains_evidence`` and
    ``keyword_rank`` have passed. With ``ours``, memlab's own are used.
    """
    if ours:
        with without_parts():
            return scoreboard(lab)
    last = lab.number
    due = [stage for stage in STAGES if int(stage.name.split()[0]) <= last]
    rows = [
        measure(stage.name, stage.builder(lab), lab.questions) for stage in due
    ]
    return Scoreboard(tuple(rows))
