"""One way in: a real ``anthropic`` client, answered by rules (offline), by a
model (live), or from a tape (replay).

``MEMLAB_MODEL`` chooses the mode, and ``choose_model`` collects what goes with
it. ``live`` asks Anthropic, or any server that has the Messages API
(``/v1/messages``) and is named in ``ANTHROPIC_BASE_URL``. A model on your own
machine needs no key; these servers have it by default at

- Ollama: ``http://localhost:11434``
- llama.cpp (``llama-server``): ``http://localhost:8080``
- LM Studio: ``http://localhost:1234``
- vLLM (``vllm serve``): ``http://localhost:8000``

The names of the models are settings, one for each purpose, such as
``MEMLAB_MAIN_MODEL``; ``memdir.toggles`` reads what a person has set.
``make_runtime`` puts a client together with the clock, the settings and the
event log that an agent needs.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memlab.clock import Clock, CourseClock, SystemClock
from memlab.errors import ModelError
from memlab.events import EventLog
from memlab.ledger import Ledger
from memlab.runtime import Runtime
from memlab.settings import Settings

if TYPE_CHECKING:
    import ssl

    import httpx2
    from anthropic import Anthropic, AsyncAnthropic

    from memlab.models.model import OfflineModel
    from memlab.models.tape import RecordTransport, ReplayTransport

MODES = ("offline", "live", "record", "replay")
SERVICE = "https://api.anthropic.com"
_MODEL_SETTINGS = (
    "main_model",
    "select_model",
    "extract_model",
    "dream_model",
    "session_model",
)


@dataclass(frozen=True)
class ModelChoice:
    """Who answers, and what that needs; ``choose_model`` makes one.

    ``base_url``, ``api_key`` and ``model_name`` are for live calls, and ""
    means the usual. ``tape`` is a path. ``what`` and ``command`` are for a new
    tape's first line: what it is for, and what records it again.
    """

    mode: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    model_name: str = ""
    tape: str = ""
    what: str = ""
    command: str = ""

    @property
    def asks(self) -> str:
        """Who is really asked: offline or live, or replay for nobody."""
        return "live" if self.mode == "record" else self.mode

    def settings(self, settings: Settings) -> Settings:
        """Return the settings with the names of the models that answer.

        A replay asks for the models that were asked when the tape was
        recorded. Raises ModelError as ``connect`` does.
        """
        name = ""
        if self.asks == "live":
            name = self.model_name
        elif self.asks == "replay":
            from memlab.models.tape import Tape

            recorded = Tape.read(self.tape).header.settings.get("models")
            return settings.with_changes(**(recorded or {}))
        if not name:
            return settings
        return settings.with_changes(
            main_model=name,
            select_model=name,
            extract_model="",
            dream_model="",
            session_model="",
        )

    def in_words(
        self,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
    ) -> str:
        """Say who answers, and whether that costs money."""
        if self.mode == "offline":
            return "Offline: rules answer, not a language model."
        if self.mode == "replay":
            from memlab.models.tape import Tape

            tape = Tape.read(self.tape)
            return f"Replay: answers of {tape.label}, from {tape.path.name}."
        said = self._live_in_words(self.settings(settings), environ)
        if self.mode == "record":
            said += f" Its answers are recorded in {self.tape}."
        return said

    def _live_in_words(
        self, settings: Settings, environ: Mapping[str, str] | None
    ) -> str:
        said = f"Live: {settings.main_model} answers"
        others = {
            "chooses memories": settings.select_model,
            "extracts memories": settings.extract_model,
            "dreams": settings.dream_model,
            "writes notes": settings.session_model,
        }
        for work, model in others.items():
            if model and model != settings.main_model:
                said += f", {model} {work}"
        address = shown_address(live_address(self.base_url, environ))
        said += f", at {address}."
        if self.costs_money(environ):
            said += " You pay for each call."
        return said

    def costs_money(self, environ: Mapping[str, str] | None = None) -> bool:
        """Tell whether its answers are paid for: those of a service that is
        not on this machine or in a private network.
        """
        return self.asks == "live" and not is_local(
            live_address(self.base_url, environ)
        )


def choose_model(
    mode: str | ModelChoice | None = None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    model_name: str | None = None,
    tape: str | os.PathLike[str] | None = None,
    what: str = "",
    command: str = "",
    environ: Mapping[str, str] | None = None,
) -> ModelChoice:
    """Return who answers: by the arguments, else by the environment, else
    offline.

    The variables are ``MEMLAB_MODEL`` for the mode, ``ANTHROPIC_BASE_URL`` and
    ``MEMLAB_TAPE``. Raises ModelError for a mode that does not exist, and for
    a tape that is not named.
    """
    if isinstance(mode, ModelChoice):
        return mode
    env = os.environ if environ is None else environ
    chosen = chosen_mode(mode, env)
    path = os.fspath(tape) if tape else env.get("MEMLAB_TAPE", "").strip()
    if chosen in ("record", "replay") and not path:
        raise ModelError(
            f"{chosen} needs the path of a tape",
            where="MEMLAB_TAPE",
            do="Set it to a file such as my/tapes/first.jsonl",
        )
    return ModelChoice(
        mode=chosen,
        base_url=base_url or "",
        api_key=api_key or "",
        model_name=model_name or "",
        tape=path,
        what=what,
        command=command,
    )


def make_runtime(
    mode: str | ModelChoice | None = None,
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    events: EventLog | None = None,
    environ: Mapping[str, str] | None = None,
) -> Runtime:
    """Connect as ``connect`` does, and return all that an agent works with.

    The clock is the model's if one is given, else the system's unless
    ``clock`` says otherwise. The settings name the models that really answer.
    """
    choice = choose_model(mode, environ=environ)
    if model is not None:
        clock = model.clock
    elif clock is None:
        clock = SystemClock()
    named = choice.settings(settings or Settings())
    return Runtime(
        client=connect(
            choice,
            model=model,
            ledger=ledger,
            clock=clock,
            settings=named,
            environ=environ,
        ),
        clock=clock,
        settings=named,
        events=EventLog(clock) if events is None else events,
        tape=Path(choice.tape) if choice.tape else None,
    )


def connect(
    mode: str | ModelChoice | None = None,
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncAnthropic:
    """Return an asynchronous client for who answers.

    ``offline`` (the default) needs no key and no network. ``live`` speaks to
    Anthropic, or to any endpoint of the Messages API given as ``base_url`` or
    ``ANTHROPIC_BASE_URL``. ``record`` asks as ``live`` does and writes a tape;
    ``replay`` answers from the tape and raises TapeMiss for what is not on it.
    Without ``mode``, ``MEMLAB_MODEL`` decides; ``choose_model`` says what else
    can be chosen.

    Every call is written to ``ledger``. Only live calls are retried, so that a
    scripted fault is seen. ``settings`` are named on a new tape. Raises
    ModelError for an unknown mode, a live connection without a key, an address
    that cannot be one, and a tape that cannot be read.
    """
    import httpx2
    from anthropic import AsyncAnthropic

    from memlab.models.meter import AsyncMeteredTransport

    choice = choose_model(
        mode, base_url=base_url, api_key=api_key, environ=environ
    )
    inner: httpx2.AsyncBaseTransport
    if choice.mode == "offline":
        from memlab.models.transport import AsyncOfflineTransport

        model = model or _offline_model(clock)
        inner = AsyncOfflineTransport(model)
        clock = model.clock
    elif choice.asks == "live":
        inner = httpx2.AsyncHTTPTransport(verify=_certificates())
    else:
        inner = _replaying(choice, environ)
    if choice.mode == "record":
        inner = _recording(inner, choice, clock, settings, environ)
    metered = AsyncMeteredTransport(
        inner, Ledger() if ledger is None else ledger, clock or SystemClock()
    )
    client = AsyncAnthropic(
        http_client=httpx2.AsyncClient(transport=metered),
        **_options(choice, environ),
    )
    jumps = choice.mode == "replay" and isinstance(clock, CourseClock)
    if model is not None or jumps:
        _warm_up(client)
    return client


def connect_sync(
    mode: str | ModelChoice | None = None,
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Anthropic:
    """Return a synchronous client, for scripts; everything else as
    ``connect``.
    """
    import httpx2
    from anthropic import Anthropic

    from memlab.models.meter import MeteredTransport

    choice = choose_model(
        mode, base_url=base_url, api_key=api_key, environ=environ
    )
    inner: httpx2.BaseTransport
    if choice.mode == "offline":
        from memlab.models.transport import OfflineTransport

        model = model or _offline_model(clock)
        inner = OfflineTransport(model)
        clock = model.clock
    elif choice.asks == "live":
        inner = httpx2.HTTPTransport(verify=_certificates())
    else:
        inner = _replaying(choice, environ)
    if choice.mode == "record":
        inner = _recording(inner, choice, clock, settings, environ)
    metered = MeteredTransport(
        inner, Ledger() if ledger is None else ledger, clock or SystemClock()
    )
    return Anthropic(
        http_client=httpx2.Client(transport=metered),
        **_options(choice, environ),
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Read the certificates of this machine once; that takes a while."""
    import httpx2

    return httpx2.create_ssl_context()


def _replaying(
    choice: ModelChoice, environ: Mapping[str, str] | None
) -> ReplayTransport:
    from memlab.models.tape import ReplayTransport, Tape

    return ReplayTransport(
        Tape.read(choice.tape),
        environ=environ,
        command=choice.command,
    )


def _recording(
    inner: httpx2.BaseTransport | httpx2.AsyncBaseTransport,
    choice: ModelChoice,
    clock: Clock | None,
    settings: Settings | None,
    environ: Mapping[str, str] | None,
) -> RecordTransport:
    from memlab.models.tape import RecordTransport, Tape, new_header

    about: dict[str, Any] = {}
    if settings is not None:
        about["models"] = {
            name: getattr(settings, name) for name in _MODEL_SETTINGS
        }
    header = new_header(
        choice.what,
        settings=about,
        command=choice.command,
        clock=clock,
    )
    tape = Tape.open(choice.tape, header)
    return RecordTransport(inner, tape, clock=clock, environ=environ)


def _options(
    choice: ModelChoice, environ: Mapping[str, str] | None
) -> dict[str, Any]:
    """Return the SDK's options: a key and an address, and how often it tries
    again.
    """
    if choice.asks == "live":
        return live_options(choice.base_url, choice.api_key, environ)
    return {
        "api_key": choice.asks,
        "base_url": f"http://{choice.asks}.invalid",
        "max_retries": 0,
    }


def chosen_mode(
    mode: str | None = None, environ: Mapping[str, str] | None = None
) -> str:
    """Return the mode in force: the argument, else ``MEMLAB_MODEL``, else
    ``offline``.

    Raises ModelError for a mode that does not exist.
    """
    env = os.environ if environ is None else environ
    chosen = (mode or env.get("MEMLAB_MODEL") or "offline").strip().lower()
    if chosen not in MODES:
        raise ModelError(
            f"there is no mode {chosen!r}",
            where="connect()" if mode else "MEMLAB_MODEL",
            do=f"Use one of: {', '.join(MODES)}",
        )
    return chosen


def live_options(
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the SDK's key and address for a live connection.

    An address on this machine, or in a private network, needs no key. Raises
    ModelError otherwise, and for an address that is not one.
    """
    env = os.environ if environ is None else environ
    url = live_address(base_url, env)
    key = (
        api_key
        or env.get("ANTHROPIC_API_KEY")
        or env.get("ANTHROPIC_AUTH_TOKEN")
        or ""
    ).strip()
    if not key and not is_local(url):
        raise ModelError(
            "a live model needs a key",
            where="ANTHROPIC_API_KEY",
            do=(
                "Set it, or set ANTHROPIC_BASE_URL to a server on this"
                " machine, or use offline"
            ),
        )
    options: dict[str, Any] = {"api_key": key or "local"}
    return options | ({"base_url": url} if url != SERVICE else {})


def live_address(
    base_url: str | None = None, environ: Mapping[str, str] | None = None
) -> str:
    """Return the address that live calls go to, without the ``/v1`` that the
    SDK adds itself.

    Raises ModelError for an address that is not one.
    """
    env = os.environ if environ is None else environ
    url = (base_url or env.get("ANTHROPIC_BASE_URL") or "").strip()
    if not url:
        return SERVICE
    import httpx2

    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ModelError(
            f"{url!r} is not an address: {error}", where="base URL"
        ) from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ModelError(
            f"{url!r} is not an address",
            where="base URL",
            do="Write http://host:port",
        )
    return url.rstrip("/").removesuffix("/v1")


def shown_address(address: str) -> str:
    """Return an address as it may be shown: without a password in it."""
    import httpx2

    parsed = httpx2.URL(address)
    port = f":{parsed.port}" if parsed.port else ""
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    return f"{parsed.scheme}://{host}{port}{parsed.path.rstrip('/')}"


def is_local(address: str) -> bool:
    """Tell whether an address is on this machine or in a private network."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _offline_model(clock: Clock | None) -> OfflineModel:
    from memlab.models.model import OfflineModel

    return OfflineModel(clock=clock, chat=True)


def _warm_up(client: AsyncAnthropic) -> None:
    """Make the SDK's first call, which hops to a thread, before any call whose
    order matters.
    """

    async def call() -> None:
        await client.messages.count_tokens(
            model="warm-up", messages=[{"role": "user", "content": "."}]
        )

    thread = threading.Thread(target=lambda: asyncio.run(call()))
    thread.start()
    thread.join()
