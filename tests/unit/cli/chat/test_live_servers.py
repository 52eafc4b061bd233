"""Servers of the Messages API that are not Anthropic's: what they refuse, and what they send."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memlab.memdir.places import memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel
from memlab.models.connect import choose_model
from memlab.settings import Settings
from tests.model_server import ModelServer
from tests.unit.cli.chat.conftest import Chat
from tests.unit.cli.chat.test_live import told

Body = Mapping[str, Any]
TABS = "---\nname: Tabs\ndescription: tabs or spaces\ntype: user\n---\n\nRobin wants tabs.\n"
QUESTION = "Do I want tabs or spaces?"


class Endpoint(OfflineModel):
    """The offline model behind a real socket; ``refuse`` answers in its place where it returns
    something. ``seen`` has the purpose, the body and the time-out of each request."""

    def __init__(self) -> None:
        super().__init__()
        self.refuse: Callable[[str, Body], tuple[int, Any] | None] = lambda purpose, body: None
        self.seen: list[tuple[str, Body, str]] = []

    def respond(self, path: str, headers: Mapping[str, str], raw: bytes) -> httpx2.Response:
        purpose = headers.get("x-memlab-purpose", "")
        body = json.loads(raw)
        self.seen.append((purpose, body, headers.get("x-stainless-timeout", "")))
        refused = self.refuse(purpose, body)
        if refused is None:
            return super().respond(path, headers, raw)
        status, sent = refused
        text = sent if isinstance(sent, str) else json.dumps(sent)
        return httpx2.Response(status, stream=httpx2.ByteStream(text.encode()))

    def sent(self, purpose: str) -> list[Body]:
        return [body for which, body, _ in self.seen if which == purpose]


@pytest.fixture
def endpoint(base: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    model = Endpoint()
    server = ModelServer(model).start()
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    for name in ("MAIN", "SELECT", "EXTRACT", "DREAM"):
        monkeypatch.delenv(f"MEMLAB_{name}_MODEL", raising=False)
    yield model
    server.stop()


@pytest.fixture
def tabs(base: Path, tmp_path: Path) -> None:
    store = MemoryStore(memory_paths(tmp_path / "tidebook").memory_dir)
    store.write_text("tabs.md", TABS)
    store.write_text("ferry.md", TABS.replace("abs", "he ferry").replace("spaces", "bridge"))


@contextmanager
def page(html: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An address at which every request gets a web page, and a good status."""

    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(html)))
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_port}")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class TestTheModelsName:
    @pytest.mark.behaviour("M5")
    def test_one_name_is_enough_and_the_greeting_says_which_model_is_where(
        self, chat: Chat, endpoint: Endpoint, tabs: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MEMLAB_MAIN_MODEL", "qwen3:8b")
        said = chat(QUESTION, "I always take my coffee black.")
        assert "Live: answers of qwen3:8b, at http://127.0.0.1:" in said
        assert "pay" not in said
        assert {purpose for purpose, _, _ in endpoint.seen} >= {"main", "select", "extract"}
        assert {body["model"] for _, body, _ in endpoint.seen} == {"qwen3:8b"}

    @pytest.mark.behaviour("M5")
    def test_each_purpose_has_its_own_in_the_settings_file(
        self, chat: Chat, endpoint: Endpoint, base: Path, tabs: None
    ) -> None:
        names = {"main": "big", "select": "tiny", "extract": "small", "dream": "slow"}
        settings = {f"{purpose}_model": name for purpose, name in names.items()}
        (base / "settings.json").write_text(json.dumps(settings))
        said = chat(QUESTION, "I always take my coffee black.", "/dream")
        assert "answers of big, tiny, small, slow, at http" in said
        used = {purpose: body["model"] for purpose, body, _ in endpoint.seen}
        assert used == names

    def test_an_address_may_end_in_v1(
        self, chat: Chat, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import os

        monkeypatch.setenv("ANTHROPIC_BASE_URL", os.environ["ANTHROPIC_BASE_URL"] + "/v1/")
        assert "'Hello.'" in chat("Hello.")

    @pytest.mark.parametrize(
        ("url", "local"),
        [
            ("", False),
            ("https://gateway.example.com/x", False),
            ("http://localhost:11434", True),
            ("http://[::1]:8080", True),
            ("http://192.168.1.5:8000", True),
            ("http://gpu.local:8000/", True),
        ],
    )
    def test_only_calls_to_others_are_said_to_cost_money(
        self, url: str, local: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        said = choose_model("live").in_words(Settings())
        assert ("You pay for each call." not in said) is local
        assert (url.rstrip("/") or "https://api.anthropic.com") in said

    def test_a_password_in_the_address_is_not_shown(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://me:hunter2@example.com/api")
        assert "at https://example.com/api." in choose_model("live").in_words(Settings())

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("main_max_output_tokens", "many"),
            ("main_effort", "huge"),
            ("main_timeout_seconds", "-1"),
        ],
    )
    def test_a_setting_that_cannot_be_is_one_line(
        self, chat: Chat, monkeypatch: pytest.MonkeyPatch, name: str, value: str
    ) -> None:
        monkeypatch.setenv(f"MEMLAB_{name.upper()}", value)
        said = chat(status=2)
        assert name in said.lower()
        assert len(said.splitlines()) == 1

    def test_of_a_local_model_only_tokens_are_counted(self, chat: Chat, endpoint: Endpoint) -> None:
        said = chat("Hello.", "/cost")
        assert "hit %" in said
        assert "US$" not in said
        assert "cost" not in said.replace("/cost", "").split("hit %")[1]


class TestSideQueries:
    @pytest.mark.behaviour("F2")
    def test_a_model_that_always_thinks_gets_low_effort_and_room(
        self, chat: Chat, endpoint: Endpoint, tabs: None
    ) -> None:
        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            if body.get("thinking") == {"type": "disabled"}:
                message = "thinking.type: 'disabled' is not supported by this model"
                error = {"type": "invalid_request_error", "message": message}
                return 400, {"type": "error", "error": error}
            return None

        endpoint.refuse = refuse
        said = chat(QUESTION, "And the ferry or the bridge?")
        assert "recalled: tabs.md" in said
        assert "refused" not in said
        first, *later = endpoint.sent("select")
        assert first["max_tokens"] == 256
        assert len(later) == 2, "what was refused once is not sent again"
        for body in later:
            assert "thinking" not in body
            assert body["output_config"]["effort"] == "low"
            assert body["max_tokens"] == 256 + 2_000

    def test_a_server_that_knows_none_of_the_options_is_asked_without_them(
        self, chat: Chat, endpoint: Endpoint, tabs: None
    ) -> None:
        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            for option in ("output_config", "thinking"):
                if purpose == "select" and option in body:
                    where = ["body", option]
                    return 422, {
                        "detail": [{"loc": where, "msg": "Extra inputs are not permitted"}]
                    }
            return None

        endpoint.refuse = refuse
        assert "recalled: tabs.md" in chat(QUESTION)
        assert not {"thinking", "output_config"} & set(endpoint.sent("select")[-1])

    def test_a_model_that_thinks_all_the_same_is_asked_again_with_room(
        self, chat: Chat, endpoint: Endpoint, tabs: None
    ) -> None:
        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            if purpose != "select" or body["max_tokens"] > 1_000:
                return None
            thought = {"type": "thinking", "thinking": "Hm, tabs …", "signature": ""}
            return 200, {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [thought],
                "stop_reason": "max_tokens",
                "stop_sequence": None,
                "usage": {"input_tokens": 9, "output_tokens": 256},
            }

        endpoint.refuse = refuse
        assert "recalled: tabs.md" in chat(QUESTION)
        assert len(endpoint.sent("select")) == 2


TOO_LONG = [
    (400, {"error": "input length exceeds the context length"}),
    (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested"
            " 20112 tokens (4112 in the messages, 16000 in the completion).",
            "type": "BadRequestError",
        },
    ),
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
            }
        },
    ),
    (500, {"error": "Trying to keep the first 9000 tokens when context the overflows. "
           "Context size is 4096"}),
    (413, "<html><head><title>413 Request Entity Too Large</title></head></html>"),
]  # fmt: skip


class TestErrors:
    @pytest.mark.parametrize(("status", "sent"), TOO_LONG, ids=lambda value: str(value)[:40])
    def test_too_long_for_the_context_leads_to_a_summary(
        self, chat: Chat, endpoint: Endpoint, status: int, sent: Any
    ) -> None:
        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            long = purpose == "main" and "Too much." in json.dumps(body)
            return (status, sent) if long else None

        endpoint.refuse = refuse
        said = chat("Hello.", "Too much.", "Hello again.")
        assert "The conversation is too long for the model." in said
        assert len(endpoint.sent("compact")) == 1
        assert "'Hello again.'" in said

    def test_the_first_message_is_too_long_with_the_room_for_the_answer(
        self, chat: Chat, endpoint: Endpoint
    ) -> None:
        endpoint.refuse = lambda purpose, body: TOO_LONG[1]
        (line,) = told(chat("Hello."))
        assert "main_max_output_tokens" in line

    @pytest.mark.parametrize(
        ("status", "sent", "words"),
        [
            (
                404,
                {"error": "model 'claude-opus-5-5' not found"},
                "model 'claude-opus-5-5' not found",
            ),
            (404, {"detail": "Not Found"}, "Not Found"),
            (
                502,
                "<!DOCTYPE html>\n<html>\n<head><title>502 Bad Gateway</title></head>\n<body>"
                "<center><h1>502 Bad Gateway</h1></center>\n<hr>nginx/1.25\n</body></html>",
                "refused the request (502): 502 Bad Gateway",
            ),
            (
                503,
                "<html><style>p {color: red}</style><body><p>Down for&nbsp;repairs.</p></html>",
                "Down for repairs.",
            ),
            (400, "", "HTTP 400, without a word"),
        ],
    )
    def test_an_error_of_any_form_is_one_readable_line(
        self, chat: Chat, endpoint: Endpoint, status: int, sent: Any, words: str
    ) -> None:
        endpoint.refuse = lambda purpose, body: (status, sent)
        (line,) = told(chat("Hello."))
        assert words in line
        assert "<" not in line

    def test_a_side_query_refused_in_any_form_leaves_the_choice_to_words(
        self, chat: Chat, endpoint: Endpoint, tabs: None
    ) -> None:
        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            return (404, {"error": "model not found"}) if purpose == "select" else None

        endpoint.refuse = refuse
        assert "recalled: tabs.md" in chat(QUESTION)

    def test_a_web_page_instead_of_an_answer(
        self, chat: Chat, base: Path, monkeypatch: pytest.MonkeyPatch, tabs: None
    ) -> None:
        monkeypatch.setenv("MEMLAB_MODEL", "live")
        with page("<html><body>Welcome to LM Studio</body></html>", monkeypatch):
            said = told(chat(QUESTION))
        assert any(line.startswith("The model's answer cannot be read.") for line in said)


class TestLimits:
    def test_roles_alternate_in_every_request(
        self, chat: Chat, endpoint: Endpoint, tabs: None
    ) -> None:
        failed: list[Body] = []

        def refuse(purpose: str, body: Body) -> tuple[int, Any] | None:
            roles = [message["role"] for message in body["messages"]]
            if any(one == other for one, other in pairwise(roles)):
                return 400, {"error": "conversation roles must alternate user/assistant/user"}
            if purpose == "main" and len(failed) < 1:
                failed.append(body)
                return 400, {"error": "the template has failed"}
            return None

        endpoint.refuse = refuse
        said = chat(QUESTION, "I always take my coffee black.", "What about tabs?")
        assert failed
        assert "must alternate" not in said
        assert "recalled: tabs.md" in said
        assert "Saved to memory" in said

    def test_the_output_cap_the_effort_and_the_time_outs_are_settings(
        self,
        chat: Chat,
        endpoint: Endpoint,
        base: Path,
        tabs: None,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("MEMLAB_MAIN_MAX_OUTPUT_TOKENS", "1024")
        monkeypatch.setenv("MEMLAB_MAIN_EFFORT", "low")
        settings = {"main_timeout_seconds": 77, "extract_timeout_seconds": 33.0}
        settings |= {"dream_timeout_seconds": 44}
        (base / "settings.json").write_text(json.dumps(settings))
        chat(QUESTION, "I always take my coffee black.", "/dream")
        waits = {purpose: float(seconds) for purpose, _, seconds in endpoint.seen}
        waits.pop("select", None)
        assert waits == {"main": 77, "extract": 33, "dream": 44}
        for body in endpoint.sent("main") + endpoint.sent("extract"):
            assert body["max_tokens"] == 1_024
            assert body["output_config"] == {"effort": "low"}

    def test_thinking_can_be_turned_off(
        self, chat: Chat, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MEMLAB_MAIN_EFFORT", "off")
        chat("Hello.")
        assert endpoint.sent("main")[0]["thinking"] == {"type": "disabled"}
