"""A model that thinks: what it thought is sent back only where its service accepts it.

The service here signs its thinking as the real one does: a block is valid behind the model, the
system prompt, the tools and the messages behind which it was made, and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from memlab.models.offline import OfflineModel, refused
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import as_blocks
from tests.house import House, talk, use


def sign(body: Mapping[str, Any], count: int) -> str:
    """Sign a thinking block that comes after so many messages."""
    found = [(m["role"], as_blocks(m["content"])) for m in body["messages"][:count]]
    text = json.dumps([body["model"], body["system"], body["tools"], found])
    return text.replace(', "cache_control": {"type": "ephemeral"}', "")


class Thinker(OfflineModel):
    """Refuses thinking that it has not thought there, and a tool's result without it."""

    def respond(self, path: str, headers: Any, raw: bytes) -> httpx2.Response:
        body = json.loads(raw)
        found = [as_blocks(one["content"]) for one in body["messages"]]
        right = all(
            one.get("signature") in (None, sign(body, n))
            for n, blocks in enumerate(found if "tools" in body else ())
            for one in blocks
        )
        is_main = headers.get("x-memlab-purpose") == "main"
        if is_main and found[-1][0]["type"] == "tool_result":
            right &= found[-2][0]["type"] == "thinking"
        if not right:
            return refused(400, "invalid_request_error", "thinking")
        return super().respond(path, headers, raw)


def think(request: ModelRequest) -> Reply:
    """Think before every answer, and read a file when that is asked for."""
    count = len(request.body["messages"])
    mark = sign(request.body, count)
    blocks = [{"type": "thinking", "thinking": "Hm …", "signature": mark}]
    if "read" in request.said.lower() and request.answers_since == 0:
        call = use("Read", file_path="notes.txt")
        return Reply([*blocks, {"type": "tool_use", "id": f"toolu_{count}", **call}])
    return Reply([*blocks, say(f"Said: {request.said}")])


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("change", ["prompt", "torn", "torn, prompt", "hidden"])
def test_a_session_goes_on_whatever_changed(house: House, change: str) -> None:
    house.model = Thinker(clock=house.clock, latency={})
    house.model.roles["main"] = think
    (house.project / "notes.txt").write_text("A note.\n")
    harness = house.harness("one")
    talk(harness, "Read the notes.")
    if change == "hidden":  # a fork may not see this exchange
        harness.transcript.take_off_record([harness.agent.uuids[0]])
        talk(harness, "I take my coffee black, always.")
        assert house.sent("extract")
        harness.switch("off")
    if "torn" in change:  # behind the tool's result
        path = house.folder / "one.jsonl"
        path.write_text(re.sub(r'(?m)^.*("state"|Said:).*\n', "", path.read_text()))
        harness = house.harness(resume="one")
    if "prompt" in change:
        house.fill(tabs="Tabs.")  # the index, and so the system prompt, has changed
        harness = house.harness(resume="one")
    said = talk(harness, "Hello.", "Read again.", "Bye.")
    assert [one.text[6:] for one in said] == ["Hello.", "Read again.", "Bye."]
    assert "failed" not in str(harness.notices)
    assert "A note." in str(house.sent()[-1]["messages"])
