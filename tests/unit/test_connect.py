"""The one way in: modes, keys, addresses, and an order that is the same every time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memlab.errors import ModelError
from memlab.models.connect import choose_model, live_options, make_runtime, shown_address

ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "MEMLAB_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize(
    ("mode", "variable", "chosen"),
    [
        ("", "", "offline"),
        ("", " Live ", "live"),
        ("offline", "live", "offline"),
        ("", "record", "record"),
        ("", "replay", "replay"),
    ],
)
def test_the_argument_wins_then_the_environment(
    mode: str, variable: str, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_MODEL", variable)
    monkeypatch.setenv("MEMLAB_TAPE", "a.jsonl")
    assert choose_model(mode).mode == chosen


def test_offline_needs_neither_key_nor_network_and_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = asyncio.run(make_runtime().client.messages.create(**ASK))
    assert "nothing is saved" in answer.content[0].text
    with pytest.raises(ModelError, match="path of a tape"):
        choose_model("record")
    monkeypatch.setenv("MEMLAB_MODEL", "gpt")
    with pytest.raises(ModelError, match=r"'gpt'.*offline, live, record, replay"):
        make_runtime()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("", "ANTHROPIC_API_KEY"),
        ("https://models.example", "needs a key"),
        ("localhost:11434", "not an address"),
        ("http://", "not an address"),
        ("ftp://host", "not an address"),
        ("http://127.0.0.1:11434", ""),  # on this machine
        ("http://localhost:1234/v1/", ""),
        ("http://[::1]:8000", ""),
    ],
)
def test_only_a_server_on_this_machine_needs_no_key(
    url: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told:
        with pytest.raises(ModelError, match=told):
            live_options(url)
    else:
        assert live_options(url) == live_options(url) | {"api_key": "local"}
        assert live_options(url)["base_url"] == url.removesuffix("/v1/")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert live_options()["api_key"] == "k"
    assert shown_address("http://me:secret@host:80/v") == "http://host:80/v"
