"""Answers in files: those of a language model that come with the course, and
those of your own runs.

``data/recorded`` has one file per task, with one line per answer: hashes of
what was asked, what the model answered, and what was stored or chosen as a
result. Tables are computed from this result by today's labels, so changing a
word in a message or a prompt never breaks them. ``data/recorded/README.md``
says what the answers are, and what they are not.

Set ``MEMLAB_RECORD`` to the URL of a server to record more, in a notebook or
with ``python3 -m memlab bench``. Lines that are there are never changed; of two
answers to the same question, the newer counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2

from memlab.bench.variants import BASE, RECORDED, digest
from memlab.errors import ModelError
from memlab.memdir.folder import append_durably
from memlab.text import as_blocks

LABEL = "Claude, handed over 2026-11-30"
PARTS = ("system", "tools", "messages", "options")
PATIENCE = 86_400.0  # seconds: a person, or a model, hands the answers over
_OPTIONS = ("max_tokens", "output_config", "thinking", "tool_choice")


@dataclass(frozen=True)
class Recorded:
    """One answer.

    ``prompts`` is the version of the prompts that were sent, ``run`` tells
    repeats apart, and ``context`` says who answered. ``calls`` has, for each
    call, the hashes of its parts and the blocks of the answer. ``stored`` is
    the result; ``error`` says why there is none. ``context`` and ``label`` are
    not written any more: an answer is judged by today's label.
    """

    case: str
    half: str = ""
    variant: str = ""
    run: str = "a"
    context: str = ""
    prompts: str = ""
    label: str = ""
    calls: Sequence[Mapping[str, Any]] = ()
    stored: Any = None
    error: str = ""
    tokens: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Which question it answers: the case, the repeat and the prompts."""
        return self.case, self.run, self.prompts


def recorded(task: str, folder: Path = RECORDED) -> list[Recorded]:
    """Read the answers in a file, in the order in which they were recorded.

    A line that a killed process left unfinished is passed over.
    """
    path = folder / f"{task}.jsonl"
    found = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError):
            found.append(Recorded(**json.loads(line)))
    return found


def append(task: str, one: Recorded, folder: Path = RECORDED) -> None:
    """Add an answer to a file; it is on the disk when this returns."""
    folder.mkdir(parents=True, exist_ok=True)
    line = json.dumps(asdict(one), ensure_ascii=False)
    with (folder / f"{task}.jsonl").open("ab") as file:
        append_durably(file.fileno(), f"{line}\n".encode())


def results(task: str) -> dict[str, Any]:
    """Give what was stored for each case with memlab's own prompts, in the
    first recording.
    """
    own = [one for one in recorded(task) if one.variant == BASE]
    return {one.case: one.stored for one in own if one.run == "a"}


async def reply(case: str, body: Mapping[str, Any]) -> str:
    """Give the recorded answer to a notebook's own request, as text.

    If ``MEMLAB_RECORD`` is set, an answer that is not there yet is recorded.
    Raises ModelError if there is none, or if the request is not the one that
    was answered: the message names the parts that differ.
    """
    answers = {one.case: one for one in recorded("notebooks")}
    url = os.environ.get("MEMLAB_RECORD")
    if case not in answers and url:
        answers[case] = _record(case, body, url)
    what = "no answer was recorded"
    if case in answers:
        (was, *_), now = answers[case].calls, hashes(body)
        differ = [part for part in PARTS if now[part] != was.get(part)]
        if not differ:
            return str(answers[case].stored)
        what = f"these parts are not as recorded: {', '.join(differ)}"
    raise ModelError(
        what,
        where=case,
        do="Record it again: remove its line from"
        " data/recorded/notebooks.jsonl, and run the notebook with"
        " MEMLAB_RECORD=URL",
    )


def _record(case: str, body: Mapping[str, Any], url: str) -> Recorded:
    asked = {**body, "stream": False}
    answer = httpx2.post(f"{url}/v1/messages", json=asked, timeout=PATIENCE)
    blocks = answer.raise_for_status().json()["content"]
    said = [one.get("text") or json.dumps(one) for one in blocks]
    calls = [{**hashes(body), "answer": blocks}]
    one = Recorded(case, calls=calls, stored="\n".join(said))
    append("notebooks", one)
    return one


def hashes(body: Mapping[str, Any]) -> dict[str, str]:
    """Give the hashes of a request's parts, ignoring cache marks."""
    parts = {name: body.get(name) for name in ("system", "tools", "messages")}
    parts["options"] = {name: body[name] for name in _OPTIONS if name in body}
    return {name: digest(_bare(value)) for name, value in parts.items()}


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(each) for each in value]
    if not isinstance(value, dict):
        return value
    bare = {k: _bare(v) for k, v in value.items() if k != "cache_control"}
    if "content" in bare:
        bare["content"] = as_blocks(bare["content"])
    return bare
