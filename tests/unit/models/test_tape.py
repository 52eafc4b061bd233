"""Tapes: what is written, what is never written, and what a miss says at every level."""

from __future__ import annotations

import asyncio
import errno
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import (
    Anthropic,
    APIConnectionError,
    APIError,
    BadRequestError,
    RateLimitError,
)
from filelock import FileLock

from memlab.agent.request import RequestPrefix, ask_model
from memlab.errors import ModelError, TapeMiss, tape_miss
from memlab.ledger import Ledger
from memlab.memdir.secrets import find_secrets, remove_secrets
from memlab.models import OfflineModel
from memlab.models.connect import (
    ModelChoice,
    choose_model,
    connect,
    connect_sync,
    make_runtime,
)
from memlab.models.prices import price_table
from memlab.models.redact import Redactor
from memlab.models.tape import (
    REPEAT_HEADER,
    Asked,
    Exchange,
    RecordTransport,
    ReplayTransport,
    Tape,
    new_header,
)
from memlab.models.wire import Reply, say
from memlab.settings import Settings
from tests.model_server import ModelServer
from tests.platforms import needs_file_modes

LONG = "You answer kindly and in short sentences. " * 10
ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "system": LONG,
    "messages": [{"role": "user", "content": "hello"}],
}
TOOL = {"type": "tool_use", "id": "toolu_7", "name": "look", "input": {"path": "a.md"}}


class Counting:
    """A model whose every answer is another one, and which counts them."""

    def __init__(self) -> None:
        self.model = OfflineModel()
        self.model.roles["main"] = self.answer
        self.asked = 0

    def answer(self, request: Any) -> Reply:
        self.asked += 1
        return Reply([say(f"Answer {self.asked}. {'word ' * 30}"), TOOL])


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def server(counting: Counting) -> Iterator[ModelServer]:
    server = ModelServer(counting.model).start()
    yield server
    server.stop()


@pytest.fixture
def recording(server: ModelServer, tmp_path: Path) -> ModelChoice:
    return choose_model(
        "record",
        base_url=server.url,
        tape=tmp_path / "first.jsonl",
        what="a test",
        command="python3 -m memlab bench again",
        environ={},
    )


def replaying(choice: ModelChoice) -> ModelChoice:
    return choose_model("replay", tape=choice.tape, environ={})


def lines_of(choice: ModelChoice) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(choice.tape).read_text().splitlines()]


def whole(client: Anthropic, **more: Any) -> Any:
    return client.messages.create(**ASK, **more)


def streamed(client: Anthropic, **more: Any) -> Any:
    with client.messages.stream(**ASK, **more) as stream:
        return stream.get_final_message()


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize("recorded", [whole, streamed])
@pytest.mark.parametrize("replayed", [whole, streamed])
def test_a_replay_gives_what_was_recorded_streamed_or_not(
    recorded: Callable[..., Any],
    replayed: Callable[..., Any],
    recording: ModelChoice,
    counting: Counting,
) -> None:
    before = recorded(connect_sync(recording))
    ledger = Ledger()
    after = replayed(connect_sync(replaying(recording), ledger=ledger))
    assert [block.to_dict() for block in after.content] == [
        block.to_dict() for block in before.content
    ]
    assert (after.id, after.stop_reason, after.usage) == (
        before.id,
        before.stop_reason,
        before.usage,
    )
    assert after.usage.output_tokens > 1
    assert counting.asked == 1
    [recorded_line] = [line for line in lines_of(recording) if "key" in line]
    [call] = ledger
    assert call.seconds == pytest.approx(recorded_line["seconds"], abs=0.001)


def test_the_asynchronous_client_records_and_replays_too(recording: ModelChoice) -> None:
    async def ask(choice: ModelChoice) -> str:
        async with connect(choice) as client, client.messages.stream(**ASK) as stream:
            return (await stream.get_final_message()).to_json()

    assert asyncio.run(ask(recording)) == asyncio.run(ask(replaying(recording)))


@needs_file_modes
def test_a_new_tape_is_for_its_owner_alone(recording: ModelChoice) -> None:
    connect_sync(recording).messages.create(**ASK)
    assert Path(recording.tape).stat().st_mode & 0o077 == 0


def test_a_tape_can_be_read_and_has_each_long_text_once(recording: ModelChoice) -> None:
    client = connect_sync(recording, settings=Settings())
    whole(client)
    client.messages.create(**{**ASK, "messages": [{"role": "user", "content": "again"}]})
    header, text, first, second = lines_of(recording)
    assert header["tape"] == 1
    assert header["what"] == "a test"
    assert header["model"] == "claude-opus-5-5"
    assert header["settings"]["models"]["select_model"] == Settings().select_model
    assert text["value"] == LONG
    assert first["request"]["system"] == [{"type": "text", "text": {"$text": text["text"]}}]
    assert first["reply"]["content"][1] == TOOL
    assert first["parts"]["system"] == second["parts"]["system"]
    assert first["parts"]["messages"] != second["parts"]["messages"]
    tape = Tape.read(recording.tape)
    assert tape.request(tape.exchanges[0]).parts["system"][0]["text"] == LONG
    assert tape.label.startswith("claude-opus-5-5, recorded 20")


def test_marks_and_metadata_do_not_matter_and_repeats_do(
    recording: ModelChoice, counting: Counting
) -> None:
    marked = {
        **ASK,
        "system": [{"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}],
        "metadata": {"user_id": "someone"},
    }
    client = connect_sync(recording)
    first, second = whole(client), client.messages.create(**marked)
    third = whole(client, extra_headers={REPEAT_HEADER: "3"})
    assert counting.asked == 3
    again = connect_sync(replaying(recording))
    named = {n: whole(again, extra_headers={REPEAT_HEADER: str(n)}) for n in (3, 1, 2)}
    assert [named[n].id for n in (1, 2, 3)] == [first.id, second.id, third.id]
    assert [whole(again).id for _ in range(3)] == [first.id, second.id, third.id]
    with pytest.raises(APIConnectionError) as caught:
        whole(again)
    assert "recorded 3 times only, and it is asked for the 4th time" in str(caught.value.__cause__)


def test_what_is_on_the_tape_is_not_asked_again(recording: ModelChoice, counting: Counting) -> None:
    first = whole(connect_sync(recording))
    with Path(recording.tape).open("a") as file:
        file.write('{"key": "cut off wh')
    client = connect_sync(recording)
    other = {**ASK, "system": "Another one."}
    assert whole(client).id == first.id
    client.messages.create(**other)
    assert counting.asked == 2
    assert connect_sync(replaying(recording)).messages.create(**other).content


def test_two_clients_of_one_process_share_the_tape(
    recording: ModelChoice, counting: Counting
) -> None:
    one, other = connect_sync(recording), connect_sync(recording)
    assert whole(one).id == whole(other).id
    assert counting.asked == 1
    assert sum("tape" in line for line in lines_of(recording)) == 1


@pytest.mark.parametrize(
    ("changes", "changed", "words"),
    [
        ({"system": f"{LONG}Always shout."}, ("system",), "+ Always shout."),
        ({"system": f"{LONG}Go.\nShout.\nGo.\nShout."}, ("system",), "+ Shout."),
        ({"system": f"{LONG}Shout."}, ("system",), "the system prompt differs (- recorded"),
        (
            {"messages": [{"role": "user", "content": "hullo"}]},
            ("messages",),
            "the messages differ (- recorded, + now):",
        ),
        ({"messages": [{"role": "user", "content": "hullo"}]}, ("messages",), "+ user: hullo"),
        ({"max_tokens": 7}, ("options",), '+  "max_tokens": 7'),
        ({"model": "other", "max_tokens": 7}, ("model", "options"), "model and the options"),
    ],
)
def test_a_miss_names_what_changed_and_how_to_record_it(
    changes: dict[str, Any], changed: tuple[str, ...], words: str, recording: ModelChoice
) -> None:
    client = connect_sync(recording)
    client.messages.create(**{**ASK, "system": "Something else.", "max_tokens": 9})
    whole(client)
    with pytest.raises(APIConnectionError) as caught:
        connect_sync(replaying(recording)).messages.create(**{**ASK, **changes})
    miss = tape_miss(caught.value)
    assert miss
    assert miss.changed == changed
    assert words in str(miss)
    shown = [line for line in str(miss).splitlines() if line.startswith(("  - ", "  + "))]
    assert shown
    assert len(shown) == len(set(shown))
    assert str(miss).startswith(recording.tape)
    assert str(miss).endswith("python3 -m memlab bench again")


def test_a_refusal_is_played_for_options_that_were_found_out_elsewhere(tmp_path: Path) -> None:
    """How many requests learn that an option is refused depends on how many run at once."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        if "thinking" in body:
            error = {"type": "invalid_request_error", "message": f"thinking? at {request.url}"}
            return httpx2.Response(400, json={"type": "error", "error": error})
        message = {"type": "message", "role": "assistant", "model": "m", "content": [say("yes")]}
        return httpx2.Response(200, json={**message, "id": "x", "usage": {}})

    off = {"thinking": {"type": "disabled"}}
    other = {**ASK, "messages": [{"role": "user", "content": "other"}]}
    path = tmp_path / "t.jsonl"
    client = played(RecordTransport(httpx2.MockTransport(respond), Tape.open(path, new_header())))
    with pytest.raises(BadRequestError):
        whole(client, **off)
    client.messages.create(**other)
    assert "models.example" not in path.read_text()

    client = played(ReplayTransport(Tape.read(path)))
    with pytest.raises(BadRequestError, match="thinking"):
        client.messages.create(**other, **off)
    with pytest.raises(APIConnectionError):
        client.messages.create(**{**other, "system": "new"}, **off)


def played(transport: Any, **more: Any) -> Anthropic:
    options = {"api_key": "local", "base_url": "http://models.example", "max_retries": 0} | more
    return Anthropic(http_client=httpx2.Client(transport=transport), **options)


def test_what_says_nothing_about_the_request_is_passed_on_and_not_recorded(
    recording: ModelChoice, counting: Counting
) -> None:
    client = connect_sync(recording).with_options(max_retries=0)
    for fault in ("rate_limited", "cut_stream", "stream_error"):
        counting.model.faults.add(fault)
    with pytest.raises(RateLimitError):
        whole(client)
    for _ in range(2):
        with pytest.raises((APIError, httpx2.HTTPError)):
            streamed(client)
    assert not Path(recording.tape).exists()
    assert whole(client).id.endswith("_1")


@pytest.mark.parametrize(
    ("status", "said", "recorded"),
    [
        (400, "Your credit balance is too low to access the API.", False),
        (400, "You exceeded your current quota, please check your plan.", False),
        (400, "messages: at least one message is required", True),
    ],
)
def test_an_empty_account_is_not_recorded_as_an_answer(
    status: int, said: str, recorded: bool, tmp_path: Path
) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        error = {"type": "invalid_request_error", "message": said}
        return httpx2.Response(status, json={"type": "error", "error": error})

    path = tmp_path / "t.jsonl"
    client = played(RecordTransport(httpx2.MockTransport(respond), Tape.open(path, new_header())))
    with pytest.raises(BadRequestError, match=said):
        whole(client)
    assert path.exists() is recorded


KEY = "sk-ant-api03-Zq8" + "x7" * 20


def test_no_key_reaches_a_tape_from_header_body_address_or_error(tmp_path: Path) -> None:
    secrets = {
        "key": "plain key %1",
        "custom": "custom-9f8e7d",
        "token": "auth-token-1234",
        "path": "pathsecret-0123456789",
        "user": "urluser77",
        "password": "urlpass88",
        "said": "tr0ub4dor-horse",
        "named": "n4med-in-a-tool",
    }
    environ = {
        "ANTHROPIC_API_KEY": secrets["key"],
        "ANTHROPIC_AUTH_TOKEN": secrets["token"],
        "ANTHROPIC_CUSTOM_HEADERS": f"X-Proxy: {secrets['custom']}",
    }
    known = [value for name, value in secrets.items() if name not in ("said", "named")]
    everything = " ".join(["echo:", *known, KEY, "plain%20key%20%251"])
    statuses = iter([200, 400])

    def echo(request: httpx2.Request) -> httpx2.Response:
        if next(statuses) == 400:
            error = {"type": "invalid_request_error", "message": f"{everything} {request.url}"}
            return httpx2.Response(400, json={"error": error})
        content = [say(everything), {**TOOL, "input": {"password": secrets["named"]}}]
        return httpx2.Response(
            200,
            headers={"x-echo": everything},
            json={"type": "message", "model": "m", "content": content, "usage": {}},
        )

    path = tmp_path / "t.jsonl"
    transport = RecordTransport(
        httpx2.MockTransport(echo), Tape.open(path, new_header()), environ=environ
    )
    client = played(
        transport,
        api_key=secrets["key"],
        base_url=f"http://{secrets['user']}:{secrets['password']}@host.example/{secrets['path']}",
        default_headers={
            "X-Proxy": secrets["custom"],
            "Authorization": f"Bearer {secrets['token']}",
        },
    )
    body = {**ASK, "system": f"{everything}. The password is {secrets['said']}!"}
    body["messages"] = [{"role": "user", "content": f'{KEY} "{everything}"'}]
    answer = client.messages.create(**body)
    with pytest.raises(BadRequestError):
        client.messages.create(**{**body, "max_tokens": 5})
    tape = path.read_text()
    for name, value in secrets.items():
        assert value not in tape, name
    assert KEY not in tape
    assert "host.example" not in tape
    assert "plain%20key" not in tape
    assert secrets["key"] in answer.to_json()


def test_memlab_gets_what_the_model_said_and_the_tape_gets_it_without_secrets(
    tmp_path: Path,
) -> None:
    """Otherwise memlab stores while recording what its guard would have refused."""
    write = {**TOOL, "name": "Write", "input": {"content": "DB_PASSWORD=heron-lamp-42"}}
    asked: list[httpx2.Request] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        content = [write if len(asked) == 1 else say("yes")]
        message = {"type": "message", "role": "assistant", "model": "m", "usage": {}}
        return httpx2.Response(200, json={**message, "content": content})

    path = tmp_path / "t.jsonl"

    def recorder() -> Anthropic:
        tape = Tape.open(path, new_header())
        return played(RecordTransport(httpx2.MockTransport(respond), tape, environ={}))

    client = recorder()
    assert whole(client).content[0].input == write["input"]
    client.messages.create(**{**ASK, "max_tokens": 7})
    tape = Tape.read(path)
    assert [exchange.redacted for exchange in tape.exchanges] == [True, False]
    assert tape.redacted == path.read_text().count('"redacted": true') == 1
    for again in (recorder(), played(ReplayTransport(tape))):
        assert whole(again).content[0].input == {"content": "DB_PASSWORD=[removed]"}
    assert len(asked) == 2


def an_exchange(words: str, reply: str) -> tuple[Asked, Exchange]:
    body = {"model": "m", "messages": [{"role": "user", "content": words}]}
    asked = Asked.of(body, Redactor())
    said = {"type": "message", "content": [say(reply)]}
    return asked, Exchange(asked.key, 1, "main", asked.hashes, 0.1, said)


def test_two_processes_can_record_on_one_tape(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    one, other = (Tape(path, plan=new_header()) for _ in range(2))
    for tape, words in ((one, "a"), (other, "b"), (one, "c")):
        tape.add(*an_exchange(words, f"to {words}"), "m")
    asked, mine = an_exchange("c", "another answer")
    [theirs] = [each for each in Tape.read(path).exchanges if each.key == asked.key]
    assert other.add(asked, mine, "m") == theirs
    assert [each.reply for each in Tape.read(path).exchanges] == [
        an_exchange(words, f"to {words}")[1].reply for words in "abc"
    ]


def test_a_tape_that_somebody_began_with_another_model_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    late, early = (
        Tape(path, plan=new_header(settings={"models": {"main_model": name}}))
        for name in ("small", "big")
    )
    early.add(*an_exchange("a", "yes"), "m")
    before = path.read_bytes()
    with pytest.raises(ModelError, match="another process has begun this tape, and asks other"):
        late.add(*an_exchange("b", "yes"), "m")
    assert path.read_bytes() == before


def test_nothing_is_written_on_a_tape_while_another_process_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.models.tape._PATIENCE", 0)
    path = tmp_path / "t.jsonl"
    with FileLock(tmp_path / ".t.jsonl.lock"), pytest.raises(OSError, match="lock"):
        Tape(path, plan=new_header()).add(*an_exchange("a", "yes"), "m")
    assert not path.exists()


def test_a_file_that_is_no_tape_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("one line, without its end")
    with pytest.raises(ModelError, match="this file is no tape"):
        Tape.open(path, new_header())
    assert path.read_text() == "one line, without its end"


def test_an_answer_from_the_tape_costs_nothing(recording: ModelChoice) -> None:
    paid, free = Ledger(), Ledger()
    for ledger in (paid, free):
        whole(connect_sync(recording, ledger=ledger))
    assert (price_table().dollars(paid) or 0) > 0
    assert price_table().dollars(free) == 0
    assert paid.total().by_kind() == free.total().by_kind()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("my password is hunter22x! ok", "my password is [removed] ok"),
        (f"two: {KEY}, {KEY}.", "two: [removed], [removed]."),
        ("t o k e n : abcd1234efgh yes", "t o k e n : [removed] yes"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nafter",
            "[removed]\nafter",
        ),
        ("indent with tabs; the token bucket is full", None),
    ],
)
def test_a_secret_is_removed_whole_and_nothing_else(text: str, kept: str | None) -> None:
    assert remove_secrets(text) == (kept or text)
    assert not find_secrets(remove_secrets(text))


def test_the_names_of_a_model_and_a_program_are_no_secrets() -> None:
    environ = {"ANTHROPIC_MODEL": "claude-opus", "ANTHROPIC_API_KEY": "local"}
    request = httpx2.Request("POST", "http://a.example", headers={"X-Title": "memlab"})
    redactor = Redactor.in_use(environ, request)
    assert redactor.text("memlab: claude-opus is local") == "memlab: claude-opus is local"


@pytest.mark.parametrize("key", ["test", "ollama", "conventions"])
def test_a_key_that_is_a_word_is_not_removed_from_texts(key: str) -> None:
    headers = {"x-api-key": key, "authorization": f"Bearer {key}"}
    request = httpx2.Request("POST", "http://a.example/?beta=true", headers=headers)
    environ = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_CUSTOM_HEADERS": f"X-Key: {key}"}
    redactor = Redactor.in_use(environ, request)
    chosen = {"selected_memories": [f"{key}_conventions.md"], "why": "true"}
    assert redactor.json(chosen) == chosen
    long = Redactor.in_use({"ANTHROPIC_API_KEY": "test-test-12"})
    assert long.text("at test-test-12!") == "at [removed]!"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no such tape"),
        ("hello\n", ":1: this line of the tape is damaged"),
        ("", "no first line"),
        ('{"tape": 2}\n', "form 2 is not known"),
        ('HEADER\n{"key": "a"}\n', r":2: this line of the tape is damaged \('a' is missing\)"),
        ('{"tape": 1}\n', "'what' is missing"),
        (
            '{"tape": 1, "what": "", "model": "", "date": "", "settings": []}\n',
            "settings has the wrong type",
        ),
        (
            'HEADER\n{"key": "a", "repeat": "x", "purpose": "", "parts": {}, "request": {}}\n',
            ":2: this line of the tape is damaged .repeat has the wrong type",
        ),
    ],
)
def test_a_tape_that_cannot_be_read_says_where(
    content: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    if content is not None:
        header = {"tape": 1, "what": "", "model": "m", "date": "", "settings": {}}
        line = json.dumps({**header, "memlab": "", "command": ""})
        path.write_text(content.replace("HEADER", line))
    with pytest.raises(ModelError, match=words):
        connect_sync(choose_model("replay", tape=path, environ={}))


def test_a_full_disk_leaves_a_tape_that_can_be_read(
    recording: ModelChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    client = connect_sync(recording)
    with monkeypatch.context() as patched:
        patched.setattr("memlab.models.tape.append_durably", full)
        with pytest.raises(APIConnectionError):
            whole(client.with_options(max_retries=0))
    asked = whole(client)
    assert whole(connect_sync(replaying(recording))).content == asked.content


@pytest.mark.parametrize("level", ["ask_model", "sdk"])
def test_a_miss_passes_through_the_layers_of_a_call(level: str, recording: ModelChoice) -> None:
    whole(connect_sync(recording))
    runtime = make_runtime(replaying(recording), environ={})
    prefix = RequestPrefix("m", "s", (), ({"role": "user", "content": "x"},))

    async def ask() -> None:
        if level == "ask_model":
            await ask_model(runtime.client, prefix.body(), purpose="main")
        await runtime.client.messages.create(**{**ASK, "system": "x"})

    with pytest.raises(TapeMiss if level == "ask_model" else APIConnectionError) as caught:
        asyncio.run(ask())
    assert isinstance(tape_miss(caught.value), TapeMiss)


def test_a_replay_asks_for_the_models_that_were_asked(recording: ModelChoice) -> None:
    mine = Settings().with_changes(main_model="mine", select_model="quick")
    asked = make_runtime(recording, settings=mine, environ={})
    asyncio.run(asked.client.messages.create(**ASK))
    replayed = make_runtime(replaying(recording), environ={})
    assert replayed.settings.main_model == "mine"
    assert replayed.settings.select_model == "quick"
