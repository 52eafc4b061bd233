"""Tapes: what is written, what is never written, and what a miss says."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from memlab.errors import ModelError, tape_miss
from memlab.ledger import Ledger
from memlab.models import OfflineModel, choose_model, make_runtime
from memlab.models.meter import price_table
from memlab.models.tape import REPEAT_HEADER, Redactor, Tape
from memlab.models.wire import Reply, say
from memlab.runtime import Runtime
from memlab.settings import Settings
from tests.model_server import ModelServer

COMMAND = "python3 -m memlab bench again"
LONG = "You answer kindly and in short sentences. " * 10
KEY = "sk-ant-api03-Zq8" + "x7" * 20
ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "system": LONG,
    "messages": [{"role": "user", "content": "hello"}],
}
TOOL = {"type": "tool_use", "id": "toolu_7", "name": "look", "input": {"path": "a.md"}}


class Studio:
    """A tape, and a model whose every answer is another one."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "first.jsonl"
        self.model = OfflineModel()
        self.model.roles["main"] = self.answer
        self.asked = 0
        self.says: Any = None
        self.server = ModelServer(self.model).start()
        loop = asyncio.new_event_loop()
        self.run = loop.run_until_complete
        weakref.finalize(self, loop.close)
        self.user, self.route = "me:pass-of-a-url@", ""
        self.host = self.server.url.removeprefix("http://")

    def answer(self, request: Any) -> Reply:
        self.asked += 1
        return Reply(self.says or [say(f"Answer {self.asked}. {'word ' * 30}"), TOOL])

    def runtime(self, mode: str, **more: Any) -> Runtime:
        choice = choose_model(
            mode,
            base_url=f"http://{self.user}{self.host}{self.route}",
            tape=self.path,
            command=COMMAND,
        )
        return make_runtime(choice, **more)

    def whole(self, runtime: Runtime, **more: Any) -> Any:
        client = runtime.client.with_options(max_retries=0)
        return self.run(client.messages.create(**{**ASK, **more}))

    def streamed(self, runtime: Runtime, **more: Any) -> Any:
        async def ask() -> Any:
            client = runtime.client.with_options(max_retries=0)
            async with client.messages.stream(**{**ASK, **more}) as stream:
                return await stream.get_final_message()

        return self.run(ask())

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    studio = Studio(tmp_path)
    yield studio
    studio.server.stop()


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize("recorded", ["whole", "streamed"])
@pytest.mark.parametrize("replayed", ["whole", "streamed"])
def test_a_replay_gives_what_was_recorded_streamed_or_not(
    recorded: str, replayed: str, studio: Studio
) -> None:
    paid, free = Ledger(), Ledger()
    before = getattr(studio, recorded)(studio.runtime("record", ledger=paid))
    after = getattr(studio, replayed)(studio.runtime("replay", ledger=free))
    assert [block.to_dict() for block in after.content] == [
        block.to_dict() for block in before.content
    ]
    assert (after.id, after.stop_reason) == (before.id, before.stop_reason)
    assert after.usage.output_tokens == before.usage.output_tokens > 1
    assert studio.asked == 1
    [call], [line] = free, [line for line in studio.lines() if "key" in line]
    assert call.seconds == pytest.approx(line["seconds"], abs=0.001)
    assert paid.total().by_kind() == free.total().by_kind()
    assert (price_table().dollars(paid) or 0) > price_table().dollars(free) == 0


def test_a_tape_can_be_read_and_has_each_piece_once(studio: Studio) -> None:
    quick = Settings().with_changes(select_model="quick")
    runtime = studio.runtime("record", settings=quick)
    studio.whole(runtime)
    again = [*ASK["messages"], {"role": "assistant", "content": "Hi."}, *ASK["messages"]]
    studio.whole(runtime, messages=again)
    header, system, tools, hello, first, hi, second = studio.lines()
    assert (header["tape"], header["command"]) == (2, COMMAND)
    assert system["value"] == [{"type": "text", "text": LONG}]
    assert hello["value"] == {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    assert first["request"]["system"] == second["request"]["system"] == system["piece"]
    assert first["request"]["tools"] == tools["piece"]
    assert second["request"]["messages"] == [hello["piece"], hi["piece"], hello["piece"]]
    assert first["reply"]["content"][1] == TOOL
    assert Tape.read(studio.path).label.startswith("claude-opus-5-5, recorded 20")
    assert studio.runtime("replay").settings.select_model == "quick"


def test_a_person_can_write_on_a_tape_who_answered(studio: Studio) -> None:
    studio.whole(studio.runtime("record"))
    assert os.name == "nt" or studio.path.stat().st_mode & 0o077 == 0
    header, *rest = studio.lines()
    header["label"] = "Claude, handed over 2026-12-01"
    studio.path.write_text("".join(json.dumps(line) + "\n" for line in [header, *rest]))
    assert Tape.read(studio.path).label == "Claude, handed over 2026-12-01"
    studio.whole(studio.runtime("replay"))


def test_marks_and_metadata_do_not_matter_and_repeats_do(studio: Studio) -> None:
    mark = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    runtime = studio.runtime("record")
    first = studio.whole(runtime)
    second = studio.whole(runtime, system=[mark], metadata={"user_id": "someone"})
    third = studio.whole(runtime, extra_headers={REPEAT_HEADER: "3"})
    assert studio.asked == 3
    again = studio.runtime("replay")
    ids = [one.id for one in (first, second, third)]
    for repeat in (3, 1, 2):
        named = studio.whole(again, extra_headers={REPEAT_HEADER: str(repeat)})
        assert named.id == ids[repeat - 1]
    assert [studio.whole(again).id for _ in range(3)] == ids
    with pytest.raises(anthropic.APIConnectionError) as caught:
        studio.whole(again)
    assert "recorded fewer than 4 times" in str(tape_miss(caught.value))


def test_what_is_on_the_tape_is_not_asked_again(studio: Studio) -> None:
    first = studio.whole(studio.runtime("record"))
    with studio.path.open("a") as file:
        file.write('{"key": "cut off wh')
    runtime = studio.runtime("record")
    assert studio.whole(runtime).id == first.id
    studio.whole(runtime, system="Another one.")
    assert studio.asked == 2
    assert studio.whole(studio.runtime("replay"), system="Another one.").content
    with pytest.raises(ModelError, match="those of other models"):
        studio.runtime("record", settings=Settings().with_changes(main_model="other"))


@pytest.mark.parametrize(
    ("changes", "changed", "words"),
    [
        ({"system": f"{LONG}Always shout."}, ("system",), "+ Always shout."),
        ({"system": f"{LONG}Shout."}, ("system",), "the system prompt differs (- recorded"),
        ({"messages": [{"role": "user", "content": "hullo"}]}, ("messages",), "+ user: hullo"),
        ({"max_tokens": 7}, ("options",), '+ "max_tokens": 7'),
        ({"model": "other", "max_tokens": 7}, ("model", "options"), "model differs and the opt"),
    ],
)
def test_a_miss_names_what_changed_and_how_to_record_it(
    changes: dict[str, Any], changed: tuple[str, ...], words: str, studio: Studio
) -> None:
    runtime = studio.runtime("record")
    studio.whole(runtime, system="Something else.", max_tokens=9)
    studio.whole(runtime)
    with pytest.raises(anthropic.APIConnectionError) as caught:
        studio.whole(studio.runtime("replay"), **changes)
    miss = tape_miss(caught.value)
    assert miss
    assert miss.changed == changed
    assert words in str(miss)
    shown = [line for line in str(miss).splitlines() if line.startswith(("  - ", "  + "))]
    assert shown
    assert str(miss).startswith(str(studio.path))
    assert str(miss).endswith(f"To record it, run:\n  {COMMAND}")


def test_a_refusal_of_what_was_asked_is_recorded_and_no_other(studio: Studio) -> None:
    runtime = studio.runtime("record")
    for fault, status in (("rate_limited", 429), ("bad_request", 400)):
        assert not studio.path.exists()
        studio.model.faults.add(fault)
        with pytest.raises(anthropic.APIStatusError) as caught:
            studio.streamed(runtime)
        assert caught.value.status_code == status
        assert ("retry-after-ms" in caught.value.response.headers) is (status == 429)
    studio.whole(runtime, max_tokens=7)
    replay = studio.runtime("replay")
    with pytest.raises(anthropic.BadRequestError, match="scripted fault"):
        studio.streamed(replay)
    assert studio.whole(replay, max_tokens=7).id.endswith("_1")


def test_equal_requests_at_once_are_two_and_a_failed_one_is_none(studio: Studio) -> None:
    runtime = studio.runtime("record")
    studio.model.faults.add("connect_error")
    with pytest.raises(anthropic.APIConnectionError):
        studio.whole(runtime)

    async def both(runtime: Runtime) -> set[str]:
        calls = [runtime.client.messages.create(**ASK) for _ in range(2)]
        return {answer.id for answer in await asyncio.gather(*calls)}

    assert studio.run(both(runtime)) == studio.run(both(studio.runtime("replay")))
    assert studio.asked == 2


SECRETS = {
    "API_KEY": "a-plain-key-of-mine",
    "AUTH_TOKEN": "a token of several words",
    "CUSTOM_HEADERS": "X-Proxy: custom/9f8+e7d==",
}
SAID = [
    KEY,
    "a-plain-key-of-mine",
    "a token of several words",
    "custom/9f8+e7d==",
    "custom%2F9f8%2Be7d%3D%3D",
    "pass-of-a-url",
    "p@ss word of a url",
    "3f9a8b7c6d5e4f3a2b1c",
    "opaque-key-77",
    "Authorization: Bearer abcdef1234567890abcdef",
]


def test_no_key_reaches_a_tape_and_memlab_gets_what_was_said(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(f"ANTHROPIC_{name}", value)
    studio.user = "pass-of-a-url:p%40ss%20word%20of%20a%20url@"
    studio.route = "/3f9a8b7c6d5e4f3a2b1c"
    write = {**TOOL, "name": "Write", "input": {"content": "DB_PASSWORD=heron-lamp-42"}}
    studio.says = [say(" ".join(SAID)), {**TOOL, "input": {"password": KEY, KEY: 1}}, write]
    more = {
        "system": f"Say {SAID[:5]}",
        "max_tokens": 1_000,
        "extra_headers": {"X-Other-Key": "opaque-key-77"},
    }
    runtime = studio.runtime("record")
    answer = studio.whole(runtime, **more)
    assert answer.content[2].input == write["input"]
    studio.says = [say("yes")]
    studio.whole(runtime)
    studio.model.faults.add("bad_request")
    monkeypatch.setattr("memlab.models.offline.FAULTS", {"bad_request": (400, " ".join(SAID))})
    with pytest.raises(anthropic.BadRequestError):
        studio.whole(runtime, **{**more, "max_tokens": 7})
    tape = studio.path.read_text()
    secret = [*SAID[:-1], "abcdef1234567890", "heron-lamp-42", studio.host]
    assert [one for one in secret if one in tape] == []
    assert tape.count('"redacted": true') == 2
    again = studio.whole(studio.runtime("replay"), **more)
    assert again.content[2].input == {"content": "DB_PASSWORD=[removed]"}


@pytest.mark.parametrize("key", ["test", "ollama", "conventions"])
def test_a_word_or_the_name_of_a_model_is_no_secret(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-opus-of-somebody")
    said = {"files": [f"{key}_conventions.md"], "by": "claude-opus-of-somebody"}
    asked = httpx2.Request("POST", "https://api.anthropic.com/v1/messages?beta=true")
    asked.headers["x-api-key"] = key
    assert Redactor(asked).json({**said, "at": "api.anthropic.com"})["files"] == said["files"]
    assert Redactor().json(said) == said


OLD = '{"tape": 1, "what": "bench pick", "command": "python3 -m memlab bench pick"}'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "this tape cannot be read"),
        ("hello\n", ":1: this line is damaged"),
        ("", "this is no tape"),
        (OLD + "\n", "0.2, in another form. Move it away.*\n  python3 -m memlab bench pick"),
        ('{"key": "a"}\n', ":1: this line is damaged"),
        ('{"tape": 2}\n{"key": "a"}\n', ":2: this line is damaged"),
    ],
)
def test_a_tape_that_cannot_be_read_says_where_and_what_to_do(
    content: str | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelError, match=words):
        make_runtime(choose_model("replay", tape=path))
    if content:
        with pytest.raises(ModelError, match=words):
            make_runtime(choose_model("record", base_url="http://localhost", tape=path))
        assert path.read_text() == content
