"""Tapes: what is written, what is never written, and what a miss says."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from memlab.errors import ModelError, tape_miss
from memlab.ledger import Ledger
from memlab.models import OfflineModel, choose_model, make_runtime
from memlab.models.meter import price_table
from memlab.models.tape import REPEAT_HEADER, Tape
from memlab.models.wire import Reply, say
from memlab.settings import Settings
from tests.model_server import ModelServer

COMMAND = "python3 -m memlab bench again"
LONG = "You answer kindly and in short sentences. " * 10
HELLO = [{"role": "user", "content": "hello"}]
ASK: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 100, "system": LONG}
TOOL = {"type": "tool_use", "id": "toolu_7", "name": "look", "input": {"path": "a.md"}}


class Studio:
    """A tape, and a model whose every answer is another one."""

    def __init__(self, folder: Path) -> None:
        self.path, self.model = folder / "first.jsonl", OfflineModel()
        self.model.roles["main"] = self.answer
        self.asked, self.says = 0, list[Any]()
        self.server = ModelServer(self.model).start()
        self.host = self.server.url.removeprefix("http://")
        self.url = f"http://me:pass-of-a-url@{self.host}"

    def answer(self, request: Any) -> Reply:
        self.asked += 1
        return Reply(self.says or [say(f"Answer {self.asked}. {'word ' * 30}"), TOOL])

    def ask(self, mode: str, *changes: Any, stream: bool = False, **more: Any) -> list[Any]:
        """Ask once with each of these changes, one after the other."""
        choice = choose_model(mode, base_url=self.url, tape=self.path, command=COMMAND)
        runtime = make_runtime(choice, **more)

        async def work() -> list[Any]:
            client = runtime.client.with_options(max_retries=0).messages
            found: list[Any] = []
            for change in changes or [{}]:
                body = ASK | {"messages": HELLO} | change
                if not stream:
                    found.append(await client.create(**body))
                    continue
                async with client.stream(**body) as events:
                    found.append(await events.get_final_message())
            return found

        return asyncio.run(work())


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    studio = Studio(tmp_path)
    yield studio
    studio.server.stop()


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize(("recorded", "replayed"), [(0, 1), (1, 0), (1, 1)])
def test_a_replay_gives_what_was_recorded_streamed_or_not(
    studio: Studio, recorded: bool, replayed: bool
) -> None:
    paid, free = Ledger(), Ledger()
    [before] = studio.ask("record", ledger=paid, stream=recorded)
    [after] = studio.ask("replay", ledger=free, stream=replayed)
    for key in ("id", "content", "stop_reason"):
        assert after.to_dict()[key] == before.to_dict()[key]
    assert after.usage.output_tokens == before.usage.output_tokens > 1
    assert paid.total().by_kind() == free.total().by_kind()
    assert (price_table().dollars(paid) or 0) > price_table().dollars(free) == 0
    assert (studio.asked, Tape.read(studio.path).label[:15]) == (1, ASK["model"])
    assert os.name == "nt" or studio.path.stat().st_mode & 0o077 == 0
    assert studio.path.read_text().count(LONG) == 1


def test_what_is_on_the_tape_is_not_asked_again_and_marks_do_not_matter(studio: Studio) -> None:
    mark = {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    marked = {"system": [mark], "metadata": {"user_id": "x"}}
    third = {"extra_headers": {REPEAT_HEADER: "3"}}
    ids = [one.id for one in studio.ask("record", {}, marked, third)]
    with studio.path.open("a") as file:
        file.write('{"key": "cut off wh')
    assert [one.id for one in studio.ask("record", {}, {}, {})] == ids
    assert [one.id for one in studio.ask("replay", third, {}, {})] == [ids[2], *ids[:2]]
    assert (studio.asked, len({*ids})) == (3, 3)
    with pytest.raises(anthropic.APIConnectionError) as caught:
        studio.ask("replay", {}, {}, {}, {})
    assert "recorded fewer than 4 times" in str(tape_miss(caught.value))
    with pytest.raises(ModelError, match="those of other models"):
        studio.ask("record", settings=Settings().with_changes(main_model="other"))


MISSES: dict[str, Any] = {
    "system: + Always shout.": {"system": f"{LONG}Always shout."},
    "messages: + user: hi": {"messages": [HELLO[0] | {"content": "hi"}]},
    "model options: model differs and": {"model": "other", "max_tokens": 7},
}


def test_a_miss_names_what_changed_and_how_to_record_it(studio: Studio) -> None:
    studio.ask("record", {"system": "Other.", "max_tokens": 9}, {})
    for told, changes in MISSES.items():
        with pytest.raises(anthropic.APIConnectionError) as caught:
            studio.ask("replay", changes)
        miss = tape_miss(caught.value)
        assert miss
        assert " ".join(miss.changed) == told.partition(": ")[0]
        assert told.partition(": ")[2] in str(miss)
        assert str(miss).endswith(f"To record it, run:\n  {COMMAND}")


def test_a_refusal_of_what_was_asked_is_recorded_and_no_other(studio: Studio) -> None:
    for fault in ("rate_limited", "connect_error", "bad_request"):
        assert not studio.path.exists()
        studio.model.faults.add(fault)
        with pytest.raises(anthropic.APIError):
            studio.ask("record", stream=True)
    with pytest.raises(anthropic.BadRequestError, match="scripted fault"):
        studio.ask("replay", stream=True)


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
    keys = {**TOOL, "input": {"password": "wren-lamp-43", SAID[0]: 1}}
    studio.says = [say(" ".join(SAID)), keys, write]
    more: dict[str, Any] = {"extra_headers": {"X-Other-Key": "opaque-key-77"}}
    more |= {"system": f"Say {SAID[:5]}", "max_tokens": 1_000}
    [told] = studio.ask("record", more)
    assert told.content[2].input == write["input"]
    studio.model.faults.add("bad_request")
    refusal = {"bad_request": (400, " ".join(SAID))}
    monkeypatch.setattr("memlab.models.offline.FAULTS", refusal)
    with pytest.raises(anthropic.BadRequestError):
        studio.ask("record", more | {"max_tokens": 7})
    tape = studio.path.read_text()
    secret = [*SAID[:-1], "abcdef1234567890", "heron-lamp-42", "wren-lamp-43", studio.host]
    assert [one for one in secret if one in tape] == []
    assert tape.count('"redacted": true') == 2
    [again] = studio.ask("replay", more)
    assert again.content[2].input == {"content": "DB_PASSWORD=[removed]"}


def test_a_tape_that_cannot_be_read_says_where_and_what_to_do(studio: Studio) -> None:
    with pytest.raises(ModelError, match="this tape cannot be read"):
        studio.ask("replay")
    old = '{"tape": 1, "command": "bench pick"}\n'
    for content, words in (("hello\n", ":1: this"), (old, "0.2, .*pick")):
        studio.path.write_text(content)
        for mode in ("replay", "record"):
            with pytest.raises(ModelError, match=f"(?s){words}"):
                studio.ask(mode)
        assert studio.path.read_text() == content
