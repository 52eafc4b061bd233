"""One way in: a real ``anthropic`` client, answered offline by rules or live
by a model.

``MEMLAB_MODEL`` chooses the mode. The names of the models are settings, one
for each purpose; ``memdir.toggles`` reads what a person has set.
``make_runtime`` puts a client together with the clock, the settings and the
event log that an agent needs.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memlab.clock import Clock, SystemClock
from memlab.errors import ModelError
from memlab.events import EventLog
from memlab.ledger import Ledger
from memlab.runtime import Runtime
from memlab.settings import Settings

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

    from memlab.models.model import OfflineModel

MODES = ("offline", "live")
SERVICE = "https://api.anthropic.com"


def make_runtime(
    mode: str | None = None,
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
    ``clock`` says otherwise.
    """
    if model is not None:
        clock = model.clock
    elif clock is None:
        clock = SystemClock()
    return Runtime(
        client=connect(
            mode, model=model, ledger=ledger, clock=clock, environ=environ
        ),
        clock=clock,
        settings=settings or Settings(),
        events=EventLog(clock) if events is None else events,
    )


def connect(
    mode: str | None = None,
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncAnthropic:
    """Return an asynchronous client for ``offline`` (default; no key, no
    network) or ``live``.

    Without ``mode``, ``MEMLAB_MODEL`` decides. ``live`` speaks to Anthropic,
    or to any endpoint of the Messages API given as ``base_url`` or
    ``ANTHROPIC_BASE_URL``; every call is written to ``ledger``. Offline calls
    are not retried, so that a scripted fault is seen. Raises ModelError for an
    unknown mode, a live connection without a key, or an address that cannot be
    one.
    """
    import httpx2
    from anthropic import AsyncAnthropic

    from memlab.models.meter import AsyncMeteredTransport

    inner: httpx2.AsyncBaseTransport
    if chosen_mode(mode, environ) == "offline":
        from memlab.models.transport import AsyncOfflineTransport

        model = model or _offline_model(clock)
        inner, options, clock = (
            AsyncOfflineTransport(model),
            _offline_options(),
            model.clock,
        )
    else:
        inner, options = (
            httpx2.AsyncHTTPTransport(),
            live_options(base_url, api_key, environ),
        )
    metered = AsyncMeteredTransport(
        inner, Ledger() if ledger is None else ledger, clock or SystemClock()
    )
    client = AsyncAnthropic(
        http_client=httpx2.AsyncClient(transport=metered), **options
    )
    if model is not None:
        _warm_up(client)
    return client


def connect_sync(
    mode: str | None = None,
    *,
    model: OfflineModel | None = None,
    ledger: Ledger | None = None,
    clock: Clock | None = None,
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

    inner: httpx2.BaseTransport
    if chosen_mode(mode, environ) == "offline":
        from memlab.models.transport import OfflineTransport

        model = model or _offline_model(clock)
        inner, options, clock = (
            OfflineTransport(model),
            _offline_options(),
            model.clock,
        )
    else:
        inner, options = (
            httpx2.HTTPTransport(),
            live_options(base_url, api_key, environ),
        )
    metered = MeteredTransport(
        inner, Ledger() if ledger is None else ledger, clock or SystemClock()
    )
    return Anthropic(http_client=httpx2.Client(transport=metered), **options)


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


def _offline_options() -> dict[str, Any]:
    return {
        "api_key": "offline",
        "base_url": "http://offline.invalid",
        "max_retries": 0,
    }


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
