"""A language model's answers, which come with the course, and the code that
recorded them.

``data/recorded`` has one file per task, with one line per answer: hashes of
what was asked, what the model answered, and what was stored or chosen as a
result. Tables are computed from this result, so changing a word in a message
or a prompt never breaks them. ``stale`` finds the answers whose requests would
be different today. ``data/recorded/README.md`` says what the answers are, and
what they are not.

Run as ``python -m memlab.bench.recorded TASK --variant NAME --run NAME
--base-url URL`` to record more, or with ``--stale`` to list what is stale.
Existing answers are never replaced.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from memlab.bench.tasks import TASKS
from memlab.bench.tasks.task import Case, Judged, Task, ask_case
from memlab.bench.variants import BASE, Variant, digest
from memlab.clock import SystemClock
from memlab.errors import MemlabError, ModelError, PromptError
from memlab.events import EventLog
from memlab.models.wire import json_object, json_response, stream_events
from memlab.prompts import FOLDER as SHIPPED_FOLDER
from memlab.prompts import Prompts
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

FOLDER = Path(__file__).parents[2] / "data" / "recorded"
LABEL = "Claude, handed over 2026-12-01"
MODEL = "claude-handed-over"
TRIES = 60  # once a second, to reach a server that is busy
PATIENCE = 86_400.0  # seconds: a person, or a model, hands the answers over


@dataclass(frozen=True)
class Recorded:
    """One answer.

    ``prompts`` and ``label`` are versions: of the prompts that were sent, and
    of the case with its label. ``calls`` has, for each call, the hashes of its
    parts and the blocks of the answer. ``stored`` is the result. ``error``
    says why there is none.
    """

    case: str
    half: str
    variant: str
    run: str
    context: str
    prompts: str
    label: str
    calls: Sequence[Mapping[str, Any]]
    stored: Any
    error: str = ""


def recorded(task: str, folder: Path = FOLDER) -> list[Recorded]:
    """Read the answers of a task, in the order in which they were recorded."""
    path = folder / f"{task}.jsonl"
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Recorded(**json.loads(line)) for line in lines]


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

    If ``MEMLAB_RECORD`` is the URL of a server, it is asked for an answer that
    is not there yet. Raises ModelError if there is none, or if the request is
    not the one that was answered: the message names the parts that differ.
    """
    found = {one.case: one for one in recorded("notebooks")}.get(case)
    url = os.environ.get("MEMLAB_RECORD", "")
    if found is None and url:
        found = await _ask_once(case, body, url)
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


async def _ask_once(case: str, body: Mapping[str, Any], url: str) -> Recorded:
    kept = Keeping()
    async with httpx2.AsyncClient(transport=kept) as client:
        answer = await client.post(f"{url}/v1/messages", json=dict(body))
    if not kept.calls:
        raise ModelError("no answer came", where=url, do=answer.text)
    text = "\n".join(
        block.get("text") or json.dumps(block, ensure_ascii=False)
        for block in kept.calls[0]["answer"]
    )
    one = Recorded(case, "", "", "a", "", "", "", kept.calls, text)
    append(
        "notebooks", with_contexts(one, Path(os.environ["MEMLAB_CONTEXTS"]))
    )
    return one


def judged(task: Task, one: Recorded) -> Judged:
    """Judge what was stored, by today's label."""
    case = _cases(task.name)[one.case]
    assert task.judge
    return task.judge(case, one.stored, one.error)


@cache
def _cases(task: str) -> Mapping[str, Case]:
    return {case.id: case for case in TASKS[task].load()}


@cache
def variant_table() -> Mapping[str, Mapping[str, Any]]:
    """Read the variants: what each leaves out of a prompt, or replaces it with,
    and which cases this can affect.
    """
    text = (FOLDER / "variants.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def recorded_variant(name: str, scratch: Path) -> Variant:
    """Make a variant from the table, with its prompt in a scratch folder.

    Raises PromptError if a text to be left out does not occur exactly once.
    """
    if name in (BASE, "without"):
        return Variant(name, memory=name == BASE)
    row = variant_table()[name]
    file = f"{row['prompt']}.md"
    text = (SHIPPED_FOLDER / file).read_text(encoding="utf-8")
    for part in row.get("removes", ()):
        if text.count(part) != 1:
            raise PromptError(
                f"{part!r} is not there exactly once", where=file
            )
        text = text.replace(part, "")
    (scratch / name).mkdir()
    (scratch / name / file).write_text(row.get("text", text), encoding="utf-8")
    return Variant(name, Prompts(scratch / name))


def stale(task: Task) -> Iterator[Recorded]:
    """Give the answers whose prompts or labels have changed since."""
    version = Variant(BASE).version(task.prompts)
    for one in recorded(task.name):
        case = _cases(task.name).get(one.case)
        changed = one.variant == BASE and one.prompts != version
        if changed or case is None or case.version != one.label:
            yield one


class Keeping(httpx2.AsyncBaseTransport):
    """Passes requests on to a server, without streaming, and keeps the answers."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self._inner = httpx2.AsyncHTTPTransport(verify=False)

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Pass one request on, and keep its answer."""
        body = json.loads(await request.aread())
        headers = request.headers.copy()
        del headers["content-length"]
        sent = httpx2.Request(
            request.method,
            request.url,
            headers=headers,
            json={**body, "stream": False},
            extensions={"timeout": {"read": PATIENCE}},
        )
        for tries in range(TRIES, -1, -1):
            try:
                response = await self._inner.handle_async_request(sent)
                data = await response.aread()
                break
            except httpx2.TransportError:  # too many at once
                if not tries:
                    raise
                await asyncio.sleep(1)
        await response.aclose()
        message = json_object(data)
        if message.get("type") != "message":
            return httpx2.Response(response.status_code, content=data)
        self.calls.append(
            {**hashes(body), "id": message["id"], "answer": message["content"]}
        )
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
    if isinstance(value, dict):
        named = {k: v for k, v in value.items() if k != "cache_control"}
        if "content" in named:
            named["content"] = as_blocks(named["content"])
        return {name: _bare(one) for name, one in named.items()}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def patient_client(url: str, kept: Keeping) -> AsyncAnthropic:
    """Make a client that waits for answers, and asks nothing twice."""
    from anthropic import AsyncAnthropic

    return AsyncAnthropic(
        api_key="handed-over",
        base_url=url,
        max_retries=0,
        timeout=PATIENCE,
        http_client=httpx2.AsyncClient(transport=kept),
    )


def patient_settings() -> Settings:
    """Give the settings with which a program waits for such answers."""
    return Settings().with_changes(
        main_model=MODEL,
        select_model=MODEL,
        prefetch_wait_seconds=PATIENCE,
        select_timeout_seconds=PATIENCE,
        main_timeout_seconds=PATIENCE,
        extract_timeout_seconds=PATIENCE,
        dream_timeout_seconds=PATIENCE,
        dream_max_minutes=PATIENCE / 60,
    )


async def ask_server(
    task: Task, case: Case, variant: Variant, url: str
) -> Recorded:
    """Ask the server at ``url`` about one case."""
    kept = Keeping()
    client = patient_client(url, kept)
    settings = patient_settings()
    clock = SystemClock()
    runtime = Runtime(client, clock, settings, EventLog(clock))
    runtime = runtime.with_changes(prompts=variant.prompts)
    judgement = await ask_case(task, case, runtime, variant.memory)
    await client.close()
    if not kept.calls:
        raise ModelError(
            f"no answer came ({judgement.error}), so nothing was recorded of"
            f" {case.id}",
            where=url,
            do="Start the server, or correct the address",
        )
    return Recorded(
        case.id,
        case.half,
        variant.name,
        "",
        "",
        variant.version(task.prompts),
        case.version,
        kept.calls,
        judgement.stored,
        judgement.error,
    )


def chosen_cases(task: Task, variant: str, half: str) -> list[Case]:
    """Give the cases that a variant is asked: all of them, or only those that
    it can affect, spread evenly if there are too many.
    """
    cases = list(task.cases(half))
    row = variant_table().get(variant, {})
    if kinds := row.get("kinds"):
        cases = [one for one in cases if kind_of(one) in kinds]
    if ids := row.get("cases"):
        cases = [one for one in cases if one.id in ids]
    most = row.get("most", len(cases))
    step = max(len(cases) / most, 1)
    return [cases[int(n * step)] for n in range(min(most, len(cases)))]


def kind_of(case: Case) -> str:
    """Give the kind of a case; empty if its task has no kinds."""
    entry = case.entry[0] if isinstance(case.entry, tuple) else case.entry
    return str(getattr(entry, "kind", ""))


async def record(
    task: Task,
    cases: Sequence[Case],
    variant: Variant,
    run: str,
    url: str,
    contexts: Path | None = None,
) -> None:
    """Ask all at once the cases that this run has no answer to yet, and save
    each answer as it arrives.
    """
    there = {
        one.case
        for one in recorded(task.name)
        if (one.variant, one.run) == (variant.name, run)
    }
    left = [case for case in cases if case.id not in there]
    print(
        f"{task.name}, {variant.name}, {run}: {len(left)} to ask", flush=True
    )
    asked = [ask_server(task, case, variant, url) for case in left]
    for done in asyncio.as_completed(asked):
        one = with_contexts(replace(await done, run=run), contexts)
        append(task.name, one)


def append(name: str, one: Recorded, folder: Path | None = None) -> None:
    """Write an answer behind those that a file has already."""
    line = json.dumps(asdict(one), ensure_ascii=False)
    with ((folder or FOLDER) / f"{name}.jsonl").open(
        "ab", buffering=0
    ) as file:
        file.write(f"{line}\n".encode())


def with_contexts(one: Recorded, folder: Path | None) -> Recorded:
    """Add the name of the context that answered, which is found in the
    server's files, and leave out the server's ids.
    """
    names = set[str]()
    ids = {call["id"].removeprefix("msg_") for call in one.calls}
    for path in sorted(folder.glob("*.jsonl")) if folder else ():
        lines = path.read_text(encoding="utf-8").splitlines()
        if ids & {json.loads(line)["key"] for line in lines}:
            names.add(path.stem)
    calls = [
        {name: value for name, value in call.items() if name != "id"}
        for call in one.calls
    ]
    return replace(one, context=", ".join(sorted(names)), calls=calls)


def main() -> None:
    """Record, from the command line."""
    import tempfile

    parser = argparse.ArgumentParser(prog="python -m memlab.bench.recorded")
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--stale", action="store_true", help="list them")
    askable = [name for name, row in variant_table().items() if row]
    names = [BASE, "without", *askable]
    parser.add_argument("--variant", default=BASE, choices=names)
    parser.add_argument("--run", default="a")
    parser.add_argument("--half", default="work", choices=("work", "final"))
    parser.add_argument("--base-url", default="")
    parser.add_argument("--contexts", type=Path)
    args = parser.parse_args()
    if args.stale:
        for one in stale(TASKS[args.task]):
            print(one.case, one.variant, one.run)
        return
    if not args.base_url:
        parser.error("--base-url names the server that answers")
    with tempfile.TemporaryDirectory() as scratch:
        variant = recorded_variant(args.variant, Path(scratch))
        task = TASKS[args.task]
        cases = chosen_cases(task, args.variant, args.half)
        work = record(
            task, cases, variant, args.run, args.base_url, args.contexts
        )
        try:
            asyncio.run(work)
        except MemlabError as error:
            parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
