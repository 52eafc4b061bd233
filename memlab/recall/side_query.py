"""The call of a side-query: in which form a model accepts it, and for how long
it is waited for.

A side-query needs a hundred tokens, and what a model thinks before it answers
counts as output too. So thinking is turned off. Some models refuse that, and
some servers do not know the option: they get low effort instead, and room to
think. What a model does not accept is found out by asking it, because not
every server says what its models can do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from memlab.clock import Clock, wait_within
from memlab.service_errors import read_error
from memlab.settings import Settings

_OPTIONS = ("thinking", "effort", "output_config")

# by client and model, the options that were refused
_refused: WeakKeyDictionary[Any, dict[str, set[str]]] = WeakKeyDictionary()


async def ask_aside(
    client: Any, request: Mapping[str, Any], settings: Settings
) -> Any:
    """Send a request in the best form that its model accepts.

    An option that the service refuses by name is left out from then on, and
    so is ``thinking: disabled`` when the answer was cut before it began,
    because the model thought all the same. Raises what the client raises for
    any other error.
    """
    from anthropic import APIStatusError

    left_out = _refused.setdefault(client, {}).setdefault(
        str(request["model"]), set()
    )
    while True:
        form = _form(request, left_out, settings)
        try:
            reply = await client.messages.create(**form)
        except APIStatusError as error:
            refused = read_error(error)
            named = [
                option
                for option in _OPTIONS
                if refused.names(option) and _has(form, option)
            ]
            if not named:
                raise
            left_out.add(named[0])
            continue
        if _has(form, "thinking") and _was_cut_while_thinking(reply):
            left_out.add("thinking")
            continue
        return reply


def _form(
    request: Mapping[str, Any], left_out: set[str], settings: Settings
) -> dict[str, Any]:
    """Return a request without the options that its model refuses."""
    form = dict(request)
    config = dict(form.pop("output_config", {}))
    if "thinking" not in left_out:
        form["thinking"] = {"type": "disabled"}
    else:
        form["max_tokens"] += settings.thinking_room_tokens
        if "effort" not in left_out:
            config["effort"] = "low"
    if config and "output_config" not in left_out:
        form["output_config"] = config
    return form


def _has(form: Mapping[str, Any], option: str) -> bool:
    if option == "effort":
        return "effort" in form.get("output_config", {})
    return option in form


def _was_cut_while_thinking(reply: Any) -> bool:
    if getattr(reply, "stop_reason", "") != "max_tokens":
        return False
    blocks = getattr(reply, "content", None) or ()
    return not any(
        block.type == "text" and block.text.strip() for block in blocks
    )


async def within(
    work: Coroutine[Any, Any, Any], seconds: float, clock: Clock
) -> Any:
    """Await work for at most so many seconds of the clock; raises TimeoutError
    after that.

    The work is never left running.
    """
    task = asyncio.get_running_loop().create_task(work, name="side-query")
    try:
        if await wait_within([task], seconds, clock):
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
