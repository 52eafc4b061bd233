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
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import threading
from dataclasses import dataclass
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
    from anthropic import AsyncAnthropic

    from memlab.models.offline import OfflineModel
    from memlab.models.tape import Tape

MODES = ("offline", "live", "record", "replay")
SERVICE = "https://api.anthropic.com"
_NAMES = (
    "main_model",
    "select_model",
    "extract_model",
    "dream_model",
    "session_model",
)


@dataclass(frozen=True)
class ModelChoice:
    """Who answers, and what that needs; ``choose_model`` makes one.

    ``base_url`` and ``model_name`` are for live calls, and "" means the usual.
    ``tape`` is a path. ``command`` is for a new tape's first line: what records
    it again.
    """

    mode: str
    base_url: str = ""
    model_name: str = ""
    tape: str = ""
    command: str = ""

    @property
    def asks(self) -> str:
        """Who is really asked: offline or live, or replay for nobody."""
        return "live" if self.mode == "record" else self.mode

    def settings(self, settings: Settings) -> Settings:
        """Return the settings with the names of the models that answer.

        A replay asks for the models that were asked when the tape was
        recorded. Raises ModelError for a tape that cannot be read.
        """
        if self.mode == "replay":
            return settings.with_changes(**self._tape().header["models"])
        if self.mode == "offline" or not self.model_name:
            return settings
        # "" is the main model
        names = dict.fromkeys(_NAMES, "")
        names |= dict.fromkeys(_NAMES[:2], self.model_name)
        return settings.with_changes(**names)

    def in_words(self, settings: Settings) -> str:
        """Say who answers, and whether that costs money."""
        if self.mode == "offline":
            return "Offline: rules answer, not a language model."
        if self.mode == "replay":
            name = Path(self.tape).name
            return f"Replay: answers of {self._tape().label}, from {name}."
        named = self.settings(settings)
        models = dict.fromkeys(getattr(named, name) for name in _NAMES)
        where = shown_address(live_address(self.base_url))
        said = (
            f"Live: answers of {', '.join(filter(None, models))}, at {where}."
        )
        if self.costs_money():
            said += " You pay for each call."
        if self.mode == "record":
            said += f" Its answers are recorded in {self.tape}."
        return said

    def costs_money(self) -> bool:
        """Tell whether its answers are paid for: those of a service that is
        not on this machine or in a private network.
        """
        return self.asks == "live" and not is_local(
            live_address(self.base_url)
        )

    def _tape(self) -> Tape:
        from memlab.models.tape import Tape

        return Tape.read(self.tape)


def choose_model(
    mode: str = "",
    *,
    base_url: str = "",
    model_name: str = "",
    tape: Path | str = "",
    command: str = "",
) -> ModelChoice:
    """Return who answers: by the arguments, else by ``MEMLAB_MODEL`` and
    ``MEMLAB_TAPE``, else offline.

    Raises ModelError for a mode that does not exist, and for a tape that is
    not named.
    """
    chosen = mode or os.environ.get("MEMLAB_MODEL", "").strip().lower()
    if chosen and chosen not in MODES:
        raise ModelError(
            f"there is no mode {chosen!r}",
            where="MEMLAB_MODEL",
            do=f"Use one of: {', '.join(MODES)}",
        )
    path = str(tape or os.environ.get("MEMLAB_TAPE", "").strip())
    if chosen in ("record", "replay") and not path:
        raise ModelError(
            f"{chosen} needs the path of a tape",
            where="MEMLAB_TAPE",
            do="Set it to a file such as my/tapes/first.jsonl",
        )
    return ModelChoice(
        chosen or "offline", base_url, model_name, path, command
    )


def make_runtime(
    mode: str | ModelChoice = "",
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
    settings: Settings | None = None,
    events: EventLog | None = None,
) -> Runtime:
    """Connect with who answers, and return all that an agent works with.

    ``offline`` (the default) needs no key and no network. ``live`` speaks to
    Anthropic, or to any endpoint of the Messages API. ``record`` asks as
    ``live`` does and writes a tape; ``replay`` answers from the tape, and its
    calls fail with TapeMiss for what is not on it.

    Every call is written to ``ledger``. Only live calls are retried, so that a
    scripted fault is seen. The clock is the model's if one is given, else the
    system's unless ``clock`` says otherwise. The settings name the models that
    really answer. Raises ModelError for an unknown mode, a live connection
    without a key, an address that cannot be one, and a tape that cannot be
    used.
    """
    import httpx2
    from anthropic import AsyncAnthropic

    from memlab.models.meter import MeteredTransport
    from memlab.models.offline import OfflineModel
    from memlab.models.tape import Tape, TapeTransport

    choice = mode if isinstance(mode, ModelChoice) else choose_model(mode)
    clock = model.clock if model is not None else clock or SystemClock()
    named = choice.settings(settings or Settings())
    options: dict[str, Any] = {"api_key": choice.asks, "max_retries": 0}
    options["base_url"] = f"http://{choice.asks}.invalid"
    inner: httpx2.AsyncBaseTransport
    inner = model or OfflineModel(clock=clock, chat=True)
    if choice.asks == "live":
        options = live_options(choice.base_url)
        inner = httpx2.AsyncHTTPTransport()
    if choice.mode == "record":
        models = {name: getattr(named, name) for name in _NAMES}
        about = {"command": choice.command, "models": models}
        about["date"] = f"{clock.now():%Y-%m-%d}"
        tape = Tape.begin(Path(choice.tape), about)
        inner = TapeTransport(tape, clock, inner)
    if choice.mode == "replay":
        tape = Tape.read(choice.tape)
        if choice.command:
            tape.header["command"] = choice.command
        inner = TapeTransport(tape, clock)
    ledger = Ledger() if ledger is None else ledger
    http = httpx2.AsyncClient(transport=MeteredTransport(inner, ledger, clock))
    client = AsyncAnthropic(http_client=http, **options)
    if choice.asks != "live" and isinstance(clock, CourseClock):
        _warm_up(client)
    log = EventLog(clock) if events is None else events
    path = Path(choice.tape) if choice.tape else None
    return Runtime(client, clock, named, log, tape=path)


def live_options(base_url: str = "") -> dict[str, Any]:
    """Return the SDK's key and address for a live connection.

    An address on this machine, or in a private network, needs no key. Raises
    ModelError otherwise, and for an address that is not one.
    """
    url = live_address(base_url)
    names = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
    keys = [os.environ.get(name, "").strip() for name in names]
    key = next(filter(None, keys), "local")
    if key == "local" and not is_local(url):
        raise ModelError(
            "a live model needs a key",
            where="ANTHROPIC_API_KEY",
            do="Set it, or set ANTHROPIC_BASE_URL to a server on this"
            " machine, or use offline",
        )
    return {"api_key": key, "base_url": url}


def live_address(base_url: str = "") -> str:
    """Return the address that live calls go to, without the ``/v1`` that the
    SDK adds itself.

    Raises ModelError for an address that is not one.
    """
    url = (base_url or os.environ.get("ANTHROPIC_BASE_URL", "")).strip()
    parsed = urlsplit(url or SERVICE)
    if parsed.scheme not in ("http", "https") or not parsed.hostname:
        raise ModelError(
            f"{url!r} is not an address",
            where="base URL",
            do="Write http://host:port",
        )
    return (url or SERVICE).rstrip("/").removesuffix("/v1")


def shown_address(address: str) -> str:
    """Return an address as it may be shown: without a password in it."""
    parsed = urlsplit(address)
    host = parsed.netloc.rpartition("@")[2]
    return f"{parsed.scheme}://{host}{parsed.path}"


def is_local(address: str) -> bool:
    """Tell whether an address is on this machine or in a private network."""
    host = urlsplit(address).hostname or ""
    if host == "localhost" or host.endswith(".local"):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _warm_up(client: AsyncAnthropic) -> None:
    """Make the SDK's first call, which hops to a thread, before any call whose
    order matters.
    """
    said: Any = [{"role": "user", "content": "."}]
    call = client.messages.count_tokens(model="warm-up", messages=said)
    thread = threading.Thread(target=lambda: asyncio.run(call))
    thread.start()
    thread.join()
