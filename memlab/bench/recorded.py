"""Answers in files: those of a language model that come with the course, and
those of your own runs.

``data/recorded`` has one file per task, with one line per answer: hashes of
what was asked, what the model answered, and what was stored or chosen as a
result. Tables are computed from this result by today's labels, so changing a
word in a message or a prompt never breaks them. ``data/recorded/README.md``
says what the answers are, and what they are not.

Set ``MEMLAB_RECORD`` to the URL of a server to record more, in a notebook or
with ``python3 -m memlab bench``; ``MEMLAB_CONTEXTS`` names the folder in which
that server writes which context answered. Lines that are there are never
changed; of two answers to the same question, the newer counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from memlab.bench.variants import BASE, RECORDED, digest
from memlab.errors import MemlabError, ModelError
from memlab.ledger import Tokens
from memlab.memdir.folder import append_durably
from memlab.models.wire import json_object, json_response, stream_events
from memlab.settings import Settings
from memlab.text import as_blocks

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

LABEL = "Claude, handed over 2026-11-30"
MODEL = "claude-handed-over"
PARTS = ("system", "tools", "messages", "options")
_WHO = ("main", "select", "extract", "dream")
PATIENCE = 86_400.0  # seconds: a person, or a model, hands the answers over


@dataclass(frozen=True)
class Recorded:
    """One answer.

    ``prompts`` is the version of the prompts that were sent, ``run`` tells
    repeats apart, and ``context`` says who answered. ``calls`` has, for each
    call, the hashes of its parts and the blocks of the answer. ``stored`` is
    the result; ``error`` says why there is none. ``label`` is not written any
    more: an answer is judged by today's label.
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

    A last line that a killed process left unfinished is passed over. Raises
    MemlabError for any other line that cannot be read.
    """
    path = folder / f"{task}.jsonl"
    if not path.exists():
        return []
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(True), 1):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(Recorded(**json.loads(line)))
        except (TypeError, ValueError) as error:
            raise MemlabError(
                f"this line is no recorded answer ({error})",
                where=f"{path}:{number}",
                do="Remove the line, or move the file away",
            ) from None
    return found


def append(task: str, one: Recorded, folder: Path = RECORDED) -> None:
    """Add an answer to a file; it is on the disk when this returns."""
    folder.mkdir(parents=True, exist_ok=True)
    line = json.dumps(asdict(one), ensure_ascii=False)
    with (folder / f"{task}.jsonl").open("a+b", buffering=0) as file:
        file.seek(0)
        data = file.read()
        file.truncate(data.rfind(b"\n") + 1)
        append_durably(file.fileno(), f"{line}\n".encode())


def results(task: str) -> dict[str, Any]:
    """Give what was stored for each case with memlab's own prompts, in the
    first recording.
    """
    return {
        one.case: one.stored
        for one in recorded(task)
        if (one.variant, one.run) == (BASE, "a")
    }


async def reply(case: str, body: Mapping[str, Any]) -> str:
    """Give the recorded answer to a notebook's own request, as text.

    If ``MEMLAB_RECORD`` is set, an answer that is not there yet is recorded.
    Raises ModelError if there is none, or if the request is not the one that
    was answered: the message names the parts that differ.
    """
    found = {one.case: one for one in recorded("notebooks")}.get(case)
    url = os.environ.get("MEMLAB_RECORD", "")
    if found is None and url:
        found = await _record_reply(case, body, url)
    now = hashes(body)
    was = found.calls[0] if found else {}
    differ = [part for part in now if now[part] != was.get(part)]
    if found is None or differ:
        what = f"these parts are not as recorded: {', '.join(differ)}"
        raise ModelError(
            what if found else "no answer was recorded",
            where=case,
            do="Record it again: remove its line from"
            " data/recorded/notebooks.jsonl, and run the notebook with"
            " MEMLAB_RECORD=URL",
        )
    return str(found.stored)


async def _record_reply(
    case: str, body: Mapping[str, Any], url: str
) -> Recorded:
    kept = Keeping()
    async with httpx2.AsyncClient(transport=kept) as client:
        answer = await client.post(f"{url}/v1/messages", json=dict(body))
    if not kept.calls:
        raise ModelError("no answer came", where=url, do=answer.text)
    text = "\n".join(
        block.get("text") or json.dumps(block, ensure_ascii=False)
        for block in kept.calls[0]["answer"]
    )
    one = with_contexts(Recorded(case, calls=kept.calls, stored=text))
    append("notebooks", one)
    return one


def with_contexts(one: Recorded, folder: Path | None = None) -> Recorded:
    """Add the name of the context that answered, which is found in the
    server's files, and leave out the server's ids.
    """
    calls = [dict(call) for call in one.calls]
    ids = {call.pop("id").removeprefix("msg_") for call in calls}
    where = folder or os.environ.get("MEMLAB_CONTEXTS", "")
    names = {
        path.stem
        for path in (Path(where).glob("*.jsonl") if where else ())
        for line in path.read_text(encoding="utf-8").splitlines()
        if json.loads(line).get("key") in ids
    }
    return replace(one, context=", ".join(sorted(names)), calls=calls)


class BudgetReached(BaseException):
    """The next call could need more tokens than are left.

    It is not an Exception, so that neither the SDK's retries nor recall's
    fallback take it for a failed call.
    """


class Budget:
    """The tokens that are ``left``; None is no limit."""

    def __init__(self, tokens: int | None = None) -> None:
        self.left = tokens

    def take(self, tokens: int) -> None:
        """Take what a call needs, or give back what it has not needed; raises
        BudgetReached.
        """
        if self.left is not None:
            if tokens > self.left:
                raise BudgetReached
            self.left -= tokens


class Keeping(httpx2.AsyncBaseTransport):
    """Passes requests on to ``inner``, without streaming, and keeps each
    answer beside the hashes of its request.

    ``tokens`` counts those that were needed. ``failed`` says why the last call
    gave no answer. With a budget, no call starts that could exceed it.
    """

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.calls: list[dict[str, Any]] = []
        self.tokens = 0
        self.failed = ""
        self._inner = inner or httpx2.AsyncHTTPTransport()
        self._budget = budget or Budget()

    def forget(self) -> None:
        """Begin anew, with the next answer."""
        self.calls, self.tokens, self.failed = [], 0, ""

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Pass one request on, and keep its answer."""
        body = json.loads(await request.aread())
        # no tokenizer in use makes more tokens of ordinary text
        most = len(request.content) // 2 + body.get("max_tokens", 0)
        self._budget.take(most)
        headers = request.headers.copy()
        headers.pop("content-length", None)
        sent = httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            json={**body, "stream": False},
            extensions={"timeout": {"read": PATIENCE}},
        )
        self.failed = "the connection broke"
        response = await self._inner.handle_async_request(sent)
        data = await response.aread()
        await response.aclose()
        message = json_object(data)
        if message.get("type") != "message":
            self.failed = f"status {response.status_code}"
            return httpx2.Response(response.status_code, content=data)
        self.failed = ""
        usage = Tokens.from_usage(message.get("usage") or {})
        used = usage.input + usage.output
        self.tokens += used
        self._budget.take(used - most)
        answer = {"id": message.get("id", ""), "answer": message["content"]}
        self.calls.append({**hashes(body), **answer})
        if not body.get("stream"):
            return json_response(200, message)
        events = b"".join(event for _, event in stream_events(message))
        kind = {"content-type": "text/event-stream"}
        stream = httpx2.ByteStream(events)
        return httpx2.Response(200, headers=kind, stream=stream)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def hashes(body: Mapping[str, Any]) -> dict[str, str]:
    """Give the hashes of a request's parts, ignoring cache marks."""
    parts = {name: body.get(name) for name in ("system", "tools", "messages")}
    options = ("max_tokens", "output_config", "thinking", "tool_choice")
    parts["options"] = {name: body[name] for name in options if name in body}
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


def patient_client(
    url: str, kept: Keeping, key: str = "handed-over"
) -> AsyncAnthropic:
    """Make a client that waits for answers; without an address, those of
    rules.
    """
    from anthropic import AsyncAnthropic

    return AsyncAnthropic(
        api_key=key or "none",
        base_url=url or "http://rules.invalid",
        timeout=PATIENCE,
        http_client=httpx2.AsyncClient(transport=kept),
    )


def patient_settings(
    settings: Settings | None = None, seconds: float = PATIENCE
) -> Settings:
    """Give the settings with which a program waits for answers, by default for
    those that are handed over.
    """
    handed = Settings().with_changes(main_model=MODEL, select_model=MODEL)
    waits = ("prefetch_wait", *(f"{who}_timeout" for who in _WHO))
    return (settings or handed).with_changes(
        **{f"{wait}_seconds": seconds for wait in waits},
        dream_max_minutes=seconds / 60,
    )
