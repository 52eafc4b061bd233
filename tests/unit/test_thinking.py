"""A model that thinks: what it thought is sent back only where its service accepts it.

The service here signs its thinking as the real one does: a block is valid behind the model, the
system prompt, the tools and the messages behind which it was made, and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memlab.harness import Harness
from memlab.memdir.places import forget_paths
from memlab.models.offline import OfflineModel, refused
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import as_blocks
from tests.unit.agent.helpers import use
from tests.unit.test_harness import TABS, House, talk

Body = Mapping[str, Any]


def signature(body: Body, count: int) -> str:
    """What a thinking block is signed with that comes after so many messages."""
    before = [body["model"], body["system"], body["tools"]]
    for message in body["messages"][:count]:
        before.append([message["role"], as_blocks(message["content"])])
    text = json.dumps(before).replace(', "cache_control": {"type": "ephemeral"}', "")
    return hashlib.sha256(text.encode()).hexdigest()


class Thinker(OfflineModel):
    """Thinks before every answer, reads a file when it hears "read", and refuses thinking that
    it has not thought there."""

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        body = json.loads(raw)
        for index, message in enumerate(body["messages"] if "tools" in body else ()):
            for block in as_blocks(message["content"]):
                if block["type"] != "thinking":
                    continue
                if block["signature"] != signature(body, index):
                    where = f"messages.{index}: the thinking block"
                    return refused(400, "invalid_request_error", f"{where} fails the check")
        *_, last = body["messages"]
        main = headers.get("x-memlab-purpose") == "main"
        if main and as_blocks(last["content"])[0]["type"] == "tool_result":
            asked = as_blocks(body["messages"][-2]["content"])
            if asked[0]["type"] != "thinking":
                what = f"expected thinking, but found {asked[0]['type']}"
                return refused(400, "invalid_request_error", what)
        return super().respond(path, headers, raw)


def think(request: ModelRequest) -> Reply:
    body = request.body
    thought = {"type": "thinking", "thinking": "Hm …", "signature": ""}
    thought["signature"] = signature(body, len(body["messages"]))
    if "read" in request.said.lower() and request.answers_since == 0:
        call = use("Read", file_path="notes.txt")
        name = f"toolu_{len(body['messages'])}"
        return Reply([thought, {"type": "tool_use", "id": name, **call}])
    return Reply([thought, say(f"Said: {request.said}")])


@pytest.fixture
def house(tmp_path: Path) -> House:
    forget_paths()
    house = House(tmp_path / "home")
    house.model = Thinker(clock=house.clock)
    house.model.roles["main"] = think
    (house.project / "notes.txt").write_text("A note.\n")
    return house


def remember(house: House) -> None:
    """Change the index, and so the system prompt of the next session."""
    house.harness("other").store.write_text("tabs.md", TABS, who="user")


@pytest.mark.behaviour("G2")
def test_a_resumed_session_whose_prompt_has_changed_goes_on(house: House) -> None:
    talk(house.harness("one"), "Read the notes.")
    remember(house)
    resumed = house.harness(resume="one")
    first, second = talk(resumed, "Hello.", "Read again.")
    assert (first.text, second.text) == ("Said: Hello.", "Said: Read again.")
    again = house.harness(resume="one")
    assert talk(again, "Bye.")[0].text == "Said: Bye."


@pytest.mark.parametrize("changed", [False, True])
def test_one_that_ended_behind_a_tools_result_goes_on(house: House, changed: bool) -> None:
    talk(house.harness("one"), "Read the notes.")
    transcript = house.folder / "one.jsonl"
    *kept, answer = [
        line
        for line in transcript.read_text().splitlines(keepends=True)
        if json.loads(line)["type"] != "state"
    ]
    assert "Said:" in answer
    transcript.write_text("".join(kept))
    if changed:
        remember(house)
    resumed = house.harness(resume="one")
    (said,) = talk(resumed, "Go on.")
    assert said.text == "Said: Go on."
    assert "A note." in json.dumps(house.sent()[-1]["messages"])


def test_memory_switched_off_in_a_session_changes_the_prompt_too(house: House) -> None:
    harness: Harness = house.harness("one")
    talk(harness, "Read the notes.")
    harness.switch("off")
    (said,) = talk(harness, "Hello.")
    assert said.text == "Said: Hello."


def test_a_fork_that_may_not_see_an_exchange_is_not_refused(house: House) -> None:
    harness = house.harness("one")
    talk(harness, "Read the notes.")
    harness.transcript.take_off_record([harness.agent.uuids[0]])
    talk(harness, "Read them again.", "I take my coffee black, always.")
    assert len(house.sent("extract")) > 1
    assert not any("failed" in notice for notice in harness.notices)
