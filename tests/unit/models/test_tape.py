"""Tapes: what is written, what is never written, and what a miss says."""

from __future__ import annotations

import asyncio
import json
import os
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
from memlab.settings import Settings
from tests.model_server import ModelServer

COMMAND = "python3 -m memlab bench again"
LONG = "You answer kindly and in short sentences. " * 10
HELLO = [{"role": "user", "content": "hello"}]
ASK: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 100}
ASK |= {"system": LONG, "messages": HELLO}
TOOL = {"type": "tool_use", "id": "toolu_7", "name": "look", "input": {"path": "a.md"}}


class Studio:
    """A tape, and a model whose every answer is another one."""

    def __init__(self, folder: Path) -> None:
        self.path, self.model = folder / "first.jsonl", OfflineModel()
        self.model.roles["main"] = self.answer
        self.asked, self.says = 0, list[Any]()
        self.server = ModelServer(self.model).start()
        self.loop = asyncio.new_event_loop()
        self.host = self.server.url.removeprefix("http://")
        self.url = f"http://me:pass-of-a-url@{self.host}"

    def answer(self, request: Any) -> Reply:
        self.asked += 1
        return Reply(self.says or [say(f"Answer {self.asked}. {'word ' * 30}"), TOOL])

    def runtime(self, mode: str, **more: Any) -> Any:
        choice = choose_model(mode, base_url=self.url, tape=self.path, command=COMMAND)
        return make_runtime(choice, **more)

    def ask(self, runtime: Any, *changes: Any, stream: bool = False, **more: Any) -> Any:
        """Ask once with each of these changes, all at once."""
        client = runtime.client.with_options(max_retries=0).messages

        async def ask(change: Any) -> Any:
            if not stream:
                return await client.create(**ASK | more | change)
            async with client.stream(**ASK | more | change) as events:
                return await events.get_final_message()

        async def work() -> Any:
            return await asyncio.gather(*map(ask, changes or [{}]))

        found = self.loop.run_until_complete(work())
        return found if changes else found[0]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    studio = Studio(tmp_path)
    yield studio
    studio.server.stop()
    studio.loop.close()


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize(("recorded", "replayed"), [(0, 1), (1, 0), (1, 1)])
def test_a_replay_gives_what_was_recorded_streamed_or_not(
    studio: Studio, recorded: bool, replayed: bool
) -> None:
    paid, free = Ledger(), Ledger()
    before = studio.ask(studio.runtime("record", ledger=paid), stream=recorded)
    after = studio.ask(studio.runtime("replay", ledger=free), stream=replayed)
    same = ["id", "content", "stop_reason"]
    assert [after.to_dict()[key] for key in same] == [before.to_dict()[key] for key in same]
    assert studio.asked == 1
    assert after.usage.output_tokens == before.usage.output_tokens > 1
    assert paid.total().by_kind() == free.total().by_kind()
    assert (price_table().dollars(paid) or 0) > price_table().dollars(free) == 0


def test_a_tape_can_be_read_and_has_each_piece_once(studio: Studio) -> None:
    quick = Settings().with_changes(select_model="quick")
    runtime = studio.runtime("record", settings=quick)
    studio.ask(runtime)
    answer = {"role": "assistant", "content": "Hi."}
    studio.ask(runtime, messages=[*HELLO, answer, *HELLO])
    header, system, _, hello, first, hi, second = studio.lines()
    assert (header["tape"], header["command"]) == (2, COMMAND)
    assert (system["value"][0]["text"], first["reply"]["content"][1]) == (LONG, TOOL)
    assert first["request"]["system"] == second["request"]["system"] == system["piece"]
    pieces = [one["piece"] for one in (hello, hi, hello)]
    assert second["request"]["messages"] == pieces
    assert Tape.read(studio.path).label.startswith("claude-opus-5-5, recorded 20")
    assert studio.runtime("replay").settings.select_model == "quick"
    assert os.name == "nt" or studio.path.stat().st_mode & 0o077 == 0


def test_marks_do_not_matter_and_repeats_do(studio: Studio) -> None:
    mark = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    asked: list[Any] = [{}, {"system": [mark], "metadata": {"user_id": "x"}}]
    asked.append({"extra_headers": {REPEAT_HEADER: "3"}})
    runtime = studio.runtime("record")
    ids = [studio.ask(runtime, **one).id for one in asked]
    again = studio.runtime("replay")
    for repeat in (3, 1, 2):
        named = studio.ask(again, extra_headers={REPEAT_HEADER: str(repeat)})
        assert named.id == ids[repeat - 1]
    assert [studio.ask(again).id for _ in range(3)] == ids
    with pytest.raises(anthropic.APIConnectionError) as caught:
        studio.ask(again)
    assert "recorded fewer than 4 times" in str(tape_miss(caught.value))


def test_what_is_on_the_tape_is_not_asked_again(studio: Studio) -> None:
    first = studio.ask(studio.runtime("record"))
    with studio.path.open("a") as file:
        file.write('{"key": "cut off wh')
    runtime = studio.runtime("record")
    assert studio.ask(runtime).id == first.id
    studio.model.faults.add("connect_error")
    with pytest.raises(anthropic.APIConnectionError):
        studio.ask(runtime, system="Another one.")
    two = studio.ask(runtime, *[{"system": "Another one."}] * 2)
    assert len({one.id for one in two}) == 2
    again = studio.ask(studio.runtime("replay"), *[{"system": "Another one."}] * 2)
    assert ({one.id for one in again}, studio.asked) == ({one.id for one in two}, 3)
    with pytest.raises(ModelError, match="those of other models"):
        studio.runtime("record", settings=Settings().with_changes(main_model="other"))


@pytest.mark.parametrize(
    ("changes", "changed", "words"),
    [
        ({"system": f"{LONG}Always shout."}, "system", "+ Always shout."),
        ({"messages": [HELLO[0] | {"content": "hi"}]}, "messages", "+ user: hi"),
        ({"max_tokens": 7}, "options", '+ "max_tokens": 7'),
        ({"model": "other", "max_tokens": 7}, "model options", "model differs and"),
    ],
)
def test_a_miss_names_what_changed_and_how_to_record_it(
    studio: Studio, changes: Any, changed: str, words: str
) -> None:
    studio.ask(studio.runtime("record"), {"system": "Other.", "max_tokens": 9}, {})
    with pytest.raises(anthropic.APIConnectionError) as caught:
        studio.ask(studio.runtime("replay"), **changes)
    miss = tape_miss(caught.value)
    assert miss
    assert (" ".join(miss.changed), words in str(miss)) == (changed, True)
    assert str(miss).startswith(str(studio.path))
    assert str(miss).endswith(f"To record it, run:\n  {COMMAND}")


def test_a_refusal_of_what_was_asked_is_recorded_and_no_other(studio: Studio) -> None:
    for fault, status in (("rate_limited", 429), ("bad_request", 400)):
        assert not studio.path.exists()
        studio.model.faults.add(fault)
        with pytest.raises(anthropic.APIStatusError) as caught:
            studio.ask(studio.runtime("record"), stream=True)
        assert caught.value.status_code == status
    with pytest.raises(anthropic.BadRequestError, match="scripted fault"):
        studio.ask(studio.runtime("replay"), stream=True)


SECRETS = {
    "API_KEY": "a-plain-key-of-mine",
    "AUTH_TOKEN": "a token of several words",
    "CUSTOM_HEADERS": "X-Proxy: custom/9f8+e7d==",
}
SAID = ["sk-ant-api03-Zq8" + "x7" * 20, *list(SECRETS.values())[:2], "custom/9f8+e7d=="]
SAID += ["custom%2F9f8%2Be7d%3D%3D", "pass-of-a-url", "p@ss word of a url"]
SAID += ["3f9a8b7c6d5e4f3a2b1c", "opaque-key-77", "Authorization: Bearer abcdef1234567890abcdef"]


def test_no_key_reaches_a_tape_and_memlab_gets_what_was_said(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(f"ANTHROPIC_{name}", value)
    who = "pass-of-a-url:p%40ss%20word%20of%20a%20url"
    studio.url = f"http://{who}@{studio.host}/3f9a8b7c6d5e4f3a2b1c"
    write = {**TOOL, "name": "Write", "input": {"content": "DB_PASSWORD=heron-lamp-42"}}
    keys = {**TOOL, "input": {"password": SAID[0], SAID[0]: 1}}
    studio.says = [say(" ".join(SAID)), keys, write]
    more: dict[str, Any] = {"extra_headers": {"X-Other-Key": "opaque-key-77"}}
    more |= {"system": f"Say {SAID[:5]}", "max_tokens": 1_000}
    runtime = studio.runtime("record")
    assert studio.ask(runtime, **more).content[2].input == write["input"]
    studio.model.faults.add("bad_request")
    refusal = {"bad_request": (400, " ".join(SAID))}
    monkeypatch.setattr("memlab.models.offline.FAULTS", refusal)
    with pytest.raises(anthropic.BadRequestError):
        studio.ask(runtime, **more | {"max_tokens": 7})
    tape = studio.path.read_text()
    secret = [*SAID[:-1], "abcdef1234567890", "heron-lamp-42", studio.host]
    assert [one for one in secret if one in tape] == []
    assert tape.count('"redacted": true') == 2
    again = studio.ask(studio.runtime("replay"), **more)
    assert again.content[2].input == {"content": "DB_PASSWORD=[removed]"}


@pytest.mark.parametrize("key", ["test", "ollama", "conventions"])
def test_a_word_or_the_name_of_a_model_is_no_secret(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-opus-of-somebody")
    said = {"files": [f"{key}_conventions.md"], "by": "claude-opus-of-somebody"}
    asked = httpx2.Request("POST", "https://api.anthropic.com/v1", headers={"x-api-key": key})
    assert Redactor(asked).json(said) == Redactor().json(said) == said


OLD = '{"tape": 1, "what": "bench pick", "command": "python3 -m memlab bench pick"}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello\n", ":1: this line is damaged"),
        ("", "this is no tape"),
        (OLD, "0.2, in another form. Move it away.*\n  python3 -m memlab bench pick"),
        ('{"tape": 2}\n{"key": "a"}\n', ":2: this line is damaged"),
    ],
)
def test_a_tape_that_cannot_be_read_says_where_and_what_to_do(
    studio: Studio, content: str, words: str
) -> None:
    with pytest.raises(ModelError, match="this tape cannot be read"):
        studio.runtime("replay")
    studio.path.write_text(content)
    for mode in ("replay", "record") if content else ("replay",):
        with pytest.raises(ModelError, match=words):
            studio.runtime(mode)
    assert studio.path.read_text() == content
