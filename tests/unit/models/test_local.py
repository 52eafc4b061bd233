"""The local model, in front of a fake of llama.cpp's server: what it is sent, what comes back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic, BadRequestError
from pydantic import BaseModel

from memlab.clock import SystemClock
from memlab.errors import ModelError
from memlab.ledger import Ledger
from memlab.models import local
from memlab.models.connect import choose_model, connect_sync, make_runtime
from memlab.models.local import LocalModel, LocalResponder, LocalTransport
from memlab.models.meter import MeteredTransport
from memlab.models.server import OfflineServer
from memlab.models.tape import Tape
from memlab.settings import Settings

TIMINGS = {"cache_n": 30, "prompt_n": 12, "prompt_ms": 400, "predicted_n": 9, "predicted_ms": 600}
HELLO: dict[str, Any] = {
    "model": "any",
    "max_tokens": 50,
    "messages": [{"role": "user", "content": "hello"}],
}
SAVE = {
    "name": "save_note",
    "description": "Save a note.",
    "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
}
LOOK = {**SAVE, "name": "look"}


class FakeServer:
    """Says ``text`` word by word; keeps what it was sent, and counts who is there at once."""

    def __init__(self, text: str = "Hello there.", **ends: Any) -> None:
        self.text, self.ends = text, ends
        self.asked: list[Mapping[str, Any]] = []
        self.words = self.inside = self.most_inside = 0
        self.speaking = threading.Event()

    def handle_chat_completions(self, body: Mapping[str, Any], take: Any) -> object:
        self.asked.append(body)
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            self.speak(take)
        finally:
            self.inside -= 1
        return None

    def speak(self, take: Any) -> None:
        if "error" in self.ends:
            take({"error": self.ends["error"]})
            return
        if "raises" in self.ends:
            raise self.ends["raises"]
        for piece in [self.text[:3], self.text[3:]] if self.text else []:
            take({"choices": [{"delta": {"content": piece}}]})
        while self.ends.get("endless"):
            self.words += 1
            self.speaking.set()
            if take({"choices": [{"delta": {"content": "on and on "}}]}):
                return
        for number, (name, arguments) in enumerate(self.ends.get("calls", ())):
            for part in (
                {"name": name},
                {"arguments": arguments[:4]},
                {"arguments": arguments[4:]},
            ):
                calls = [{"index": number, "function": part}]
                take({"choices": [{"delta": {"tool_calls": calls}}]})
        take({"choices": [{"delta": {}, "finish_reason": self.ends.get("finish", "stop")}]})
        take({"choices": [], "timings": TIMINGS, "usage": {"prompt_tokens": 42}})


def client_of(
    server: FakeServer, ledger: Ledger | None = None, *, cache: bool = False
) -> Anthropic:
    transport = MeteredTransport(
        LocalTransport(LocalModel(server, "tiny.Q4"), cache=cache),
        Ledger() if ledger is None else ledger,
        SystemClock(),
    )
    return Anthropic(
        api_key="local",
        base_url="http://local.invalid",
        max_retries=0,
        http_client=httpx2.Client(transport=transport),
    )


@pytest.mark.parametrize("streamed", [False, True])
def test_a_plain_answer_names_the_model_and_counts_its_tokens(streamed: bool) -> None:
    server, ledger = FakeServer(), Ledger()
    client = client_of(server, ledger)
    if streamed:
        with client.messages.stream(**HELLO) as stream:
            answer: Any = stream.get_final_message()
    else:
        answer = client.messages.create(**HELLO)
    assert [block.text for block in answer.content] == ["Hello there."]
    assert (answer.model, answer.stop_reason) == ("tiny.Q4", "end_turn")
    [call] = ledger
    assert (call.uncached, call.read, call.output, call.seconds) == (12, 30, 9, 1.0)
    assert server.asked[0]["temperature"] == 0


def test_the_conversation_is_flattened_to_turns() -> None:
    server = FakeServer()
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"path": "a.md"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "tabs!"}
    client_of(server).messages.create(
        model="any",
        max_tokens=50,
        system=[{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}],
        messages=[
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": [call]},  # type: ignore[list-item]
            {"role": "user", "content": [result]},  # type: ignore[list-item]
            {"role": "user", "content": "and?"},
        ],
    )
    assert server.asked[0]["messages"] == [
        {"role": "system", "content": "One.\n\nTwo."},
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": '{"name": "look", "input": {"path": "a.md"}}'},
        {"role": "user", "content": "tabs!\n\nand?"},
    ]


def test_the_cache_is_used_where_it_was_chosen_and_asked_for(tmp_path: Path) -> None:
    """With it, an answer may depend on the request before: no recording, no comparison."""
    server = FakeServer()
    marked = {"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}
    for cache in (False, True):
        client = client_of(server, cache=cache)
        client.messages.create(**HELLO)
        client.messages.create(**HELLO, system=[marked])  # type: ignore[list-item]
    assert [asked["cache_prompt"] for asked in server.asked] == [False, False, False, True]
    chosen = [
        choose_model(mode, local_cache=True, tape=tmp_path / "t", environ={}).local_cache
        for mode in ("local", "record")
    ]
    assert chosen == [True, False]


def test_a_schema_limits_what_can_be_written() -> None:
    class Pick(BaseModel):
        helps: Literal["a.md", "b.md"]

    server = FakeServer('{"helps": "b.md"}')
    answer = client_of(server).messages.parse(**HELLO, output_format=Pick)
    assert answer.parsed_output == Pick(helps="b.md")
    sent = server.asked[0]["response_format"]["json_schema"]["schema"]
    assert sent["properties"]["helps"]["enum"] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("tools", "choice", "said", "called"),
    [
        ([SAVE, LOOK], {"type": "tool", "name": "save_note"}, '{"name": "x"}', "save_note"),
        ([SAVE], {"type": "any"}, '{"name": "x"}', "save_note"),
        ([SAVE, LOOK], {"type": "any"}, '{"name": "look", "input": {"name": "x"}}', "look"),
    ],
)
def test_a_tool_that_has_to_be_called_becomes_a_schema(
    tools: list[Any], choice: Any, said: str, called: str
) -> None:
    server = FakeServer(said)
    answer = client_of(server).messages.create(**HELLO, tools=tools, tool_choice=choice)
    [block] = answer.content
    assert block.type == "tool_use"
    assert (block.name, block.input) == (called, {"name": "x"})
    assert answer.stop_reason == "tool_use"
    assert "tools" not in server.asked[0]
    assert "response_format" in server.asked[0]


def test_a_forced_call_that_was_cut_is_no_call() -> None:
    server = FakeServer('{"name": "x', finish="length")
    answer = client_of(server).messages.create(
        **HELLO,
        tools=[SAVE],  # type: ignore[list-item]
        tool_choice={"type": "tool", "name": "save_note"},
    )
    assert answer.stop_reason == "max_tokens"
    assert [block.type for block in answer.content] == ["text"]


def test_tools_that_may_be_called_go_to_the_models_own_template() -> None:
    server = FakeServer("", calls=[("look", '{"name": "a"}'), ("save_note", '{"name": "b"}')])
    answer = client_of(server).messages.create(**HELLO, tools=[SAVE, LOOK])  # type: ignore[list-item]
    assert [(b.name, b.input) for b in answer.content if b.type == "tool_use"] == [
        ("look", {"name": "a"}),
        ("save_note", {"name": "b"}),
    ]
    sent = [tool["function"]["name"] for tool in server.asked[0]["tools"]]
    assert sent == ["save_note", "look"]


TOO_LONG = {
    "code": 400,
    "type": "exceed_context_size_error",
    "message": "request (9031 tokens) exceeds…",
    "n_prompt_tokens": 9031,
    "n_ctx": 8192,
}
PICTURE = {"type": "image", "source": {"type": "url", "url": "http://a"}}


@pytest.mark.parametrize(
    ("server", "changes", "message"),
    [
        (FakeServer(error=TOO_LONG), {}, "prompt is too long: 9031 tokens > 8192 maximum"),
        (FakeServer(raises=ValueError("JSON schema error")), {}, "JSON schema error"),
        (FakeServer(), {"max_tokens": 0}, "max_tokens: must be"),
        (
            FakeServer(),
            {"messages": [{"role": "user", "content": [PICTURE]}]},
            "messages.0: this model reads text only, and no image",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused_as_the_service_does(
    server: FakeServer, changes: Any, message: str
) -> None:
    with pytest.raises(BadRequestError) as caught:
        client_of(server).messages.create(**{**HELLO, **changes})
    assert caught.value.body["error"]["type"] == "invalid_request_error"  # type: ignore[index]
    assert message in caught.value.body["error"]["message"]  # type: ignore[index]


def test_one_request_at_a_time_and_a_cancelled_one_stops_at_its_next_word() -> None:
    server = FakeServer(endless=True)
    model = LocalModel(server, "tiny")

    async def ask() -> None:
        client = AsyncAnthropic(
            api_key="local",
            base_url="http://local.invalid",
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=LocalTransport(model)),
        )
        tasks = [asyncio.create_task(client.messages.create(**HELLO)) for _ in range(3)]
        await asyncio.to_thread(server.speaking.wait, 20)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(ask())  # ends only when every thread has
    assert server.words > 0
    assert server.most_inside == 1
    assert len(server.asked) == 1


def test_over_http_it_gives_the_same(tmp_path: Path) -> None:
    model = LocalModel(FakeServer("Same."), "tiny")
    server = OfflineServer(LocalResponder(model)).start()
    try:
        choice = choose_model("live", base_url=server.url, model_name="tiny", environ={})
        over_http = connect_sync(choice, environ={}).messages.create(**HELLO)
        with connect_sync(choice, environ={}).messages.stream(**HELLO) as stream:
            streamed = stream.get_final_message()
    finally:
        server.stop()
    direct = client_of(FakeServer("Same.")).messages.create(**HELLO)
    for answer in (over_http, streamed):
        assert [b.to_dict() for b in answer.content] == [b.to_dict() for b in direct.content]
        assert answer.usage.output_tokens == direct.usage.output_tokens
    assert make_runtime(choice, environ={}).settings.select_model == "tiny"


@pytest.fixture
def gguf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model file whose answers a fake gives."""
    path = tmp_path / "tiny.Q4.gguf"
    path.write_bytes(b"GGUF and so on")
    model = LocalModel(FakeServer("Same."), path.stem, path=path, about={"temperature": 0})
    monkeypatch.setattr(local, "find_spec", lambda name: object())
    monkeypatch.setattr(local, "_load", lambda path: model)
    return path


@pytest.mark.behaviour("M1")
def test_recorded_from_a_local_model_the_tape_says_so_and_gives_the_same(
    gguf: Path, tmp_path: Path
) -> None:
    tape = tmp_path / "t.jsonl"
    environ = {
        "MEMLAB_MODEL": "record",
        "MEMLAB_RECORD_FROM": "local",
        "MEMLAB_LOCAL_MODEL": str(gguf),
        "MEMLAB_TAPE": str(tape),
    }
    recorded = make_runtime(environ=environ)
    assert recorded.settings.main_model == recorded.settings.select_model == "tiny.Q4"
    choice = choose_model(environ=environ)
    before = connect_sync(choice, settings=recorded.settings).messages.create(**HELLO)
    replay = choose_model("replay", environ=environ)
    assert connect_sync(replay).messages.create(**HELLO).to_json() == before.to_json()
    header = Tape.read(tape).header
    assert (header.model, header.settings["from"]) == ("tiny.Q4", "local")
    assert len(header.settings["sha256"]) == 64
    assert replay.settings(Settings()).main_model == "tiny.Q4"
    assert replay.in_words(Settings()).startswith("Replay: answers of tiny.Q4, recorded 20")
    assert choice.in_words(Settings()).startswith("Local: tiny.Q4 answers, on this machine.")
    assert not choice.costs_money()


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("", r"not installed \(about 130 MB.*python3 -m memlab models install local"),
        ("none.gguf", r"none\.gguf: there is no such model file"),
        ("text.gguf", r"text\.gguf: this file is no GGUF model"),
        ("good.gguf", r"xllamacpp, which runs the model, is not installed.*install local"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(
    chosen: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    (tmp_path / "text.gguf").write_text("hello")
    (tmp_path / "good.gguf").write_bytes(b"GGUF and so on")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=message):
        connect_sync(choose_model("local", gguf=chosen, environ={}))


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"MEMLAB_MODEL": "replay"}, "MEMLAB_TAPE: replay needs the path of a tape"),
        ({"MEMLAB_MODEL": "record"}, "MEMLAB_TAPE: record needs"),
        (
            {"MEMLAB_MODEL": "record", "MEMLAB_TAPE": "t", "MEMLAB_RECORD_FROM": "dreams"},
            "MEMLAB_RECORD_FROM: there is nobody 'dreams' to record. Use one of: live, local",
        ),
    ],
)
def test_a_mode_that_lacks_something_says_what(environ: dict[str, str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make_runtime(environ=environ)
