"""A model that thinks: what it thought is sent back only where its service accepts it.

The service here signs its thinking as the real one does: a block is valid behind the model, the
system prompt, the tools and the messages behind which it was made, and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
import pytest

from memlab.models.offline import OfflineModel, refused
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import as_blocks
from tests.house import House, talk, use


def signature(body: Mapping[str, Any], count: int) -> str:
    """What a thinking block is signed with that comes after so many messages."""
    before = [body["model"], body["system"], body["tools"]]
    before += [[one["role"], as_blocks(one["content"])] for one in body["messages"][:count]]
    text = json.dumps(before).replace(', "cache_control": {"type": "ephemeral"}', "")
    return hashlib.sha256(text.encode()).hexdigest()


class Thinker(OfflineModel):
    """Refuses thinking that it has not thought there, and a tool's result without it."""

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        body = json.loads(raw)
        *before, last = body["messages"]
        what = ""
        for index, message in enumerate(body["messages"] if "tools" in body else ()):
            for block in as_blocks(message["content"]):
                if block["type"] == "thinking" and block["signature"] != signature(body, index):
                    what = f"messages.{index}: the thinking block fails the check"
        main = headers.get("x-memlab-purpose") == "main"
        is_result = main and as_blocks(last["content"])[0]["type"] == "tool_result"
        if is_result and as_blocks(before[-1]["content"])[0]["type"] != "thinking":
            what = "expected thinking"
        if what:
            return refused(400, "invalid_request_error", what)
        return super().respond(path, headers, raw)


def think(request: ModelRequest) -> Reply:
    """Think before every answer, and read a file when that is asked for."""
    count = len(request.body["messages"])
    thought = {"type": "thinking", "thinking": "Hm …", "signature": signature(request.body, count)}
    if "read" in request.said.lower() and request.answers_since == 0:
        call = use("Read", file_path="notes.txt")
        return Reply([thought, {"type": "tool_use", "id": f"toolu_{count}", **call}])
    return Reply([thought, say(f"Said: {request.said}")])


@pytest.fixture
def thinker(house: House) -> House:
    house.model = Thinker(clock=house.clock, latency={})
    house.model.roles["main"] = think
    (house.project / "notes.txt").write_text("A note.\n")
    return house


def resumed(house: House) -> Any:
    house.fill(tabs="Tabs.")  # the index, and so the system prompt, has changed
    return house.harness(resume="one")


def behind_a_result(house: House) -> Any:
    transcript = house.folder / "one.jsonl"
    lines = transcript.read_text().splitlines(keepends=True)
    transcript.write_text(
        "".join(one for one in lines if '"state"' not in one and "Said:" not in one)
    )
    return house.harness(resume="one")


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize(
    "change",
    [[resumed], [resumed] * 2, [behind_a_result], [behind_a_result, resumed]],
)
def test_a_resumed_session_goes_on(thinker: House, change: list[Callable[[House], Any]]) -> None:
    talk(thinker.harness("one"), "Read the notes.")
    for one in change:
        harness = one(thinker)
    said = talk(harness, "Hello.", "Read again.", "Bye.")
    assert [one.text for one in said] == ["Said: Hello.", "Said: Read again.", "Said: Bye."]
    assert "A note." in json.dumps(thinker.sent()[-1]["messages"])


def test_memory_off_and_a_fork_that_may_not_see_an_exchange_are_not_refused(
    thinker: House,
) -> None:
    harness = thinker.harness("one")
    talk(harness, "Read the notes.")
    harness.transcript.take_off_record([harness.agent.uuids[0]])
    talk(harness, "Read them again.", "I take my coffee black, always.")
    assert len(thinker.sent("extract")) > 1
    assert not [one for one in harness.notices if "failed" in one]
    harness.switch("off")
    assert talk(harness, "Hello.")[0].text == "Said: Hello."
