"""The call of a side-query: in which form a model accepts it, and for how long
it is waited for.

A side-query needs a hundred tokens, and what a model thinks before it answers
counts as output too. So thinking is turned off. A model that cannot do without
gets low effort and room to think; a server that does not know these options
gets none of them. Which form is accepted is found out by asking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from memlab.clock import Clock, wait_within
from memlab.runtime import answer_source
from memlab.service_errors import read_error
from memlab.settings import Settings

_OPTIONS = ("thinking", "effort", "output_config")

# by client and model, the number of the form that was accepted
_accepted: WeakKeyDictionary[Any, dict[str, int]] = WeakKeyDictionary()


async def ask_aside(
    client: Any, request: Mapping[str, Any], settings: Settings
) -> tuple[Any, str]:
    """Send a request in the best form that its model accepts, and return the
    reply with the label of the stand-in.

    The next form is tried where the service names an option of this one in
    its refusal, and where the answer was cut before it began, because the
    model thought all the same. Raises what the client raises for any other
    error.
    """
    from anthropic import APIStatusError

    accepted = _accepted.setdefault(client, {})
    forms = _forms(request, settings)
    number = accepted.get(request["model"], 0)
    while True:
        is_last = number == len(forms) - 1
        try:
            answer = await client.messages.with_raw_response.create(
                **forms[number]
            )
            reply = await answer.parse()
        except APIStatusError as error:
            refused = read_error(error)
            if is_last or not any(map(refused.names, _OPTIONS)):
                raise
        else:
            if is_last or not _was_cut_while_thinking(reply):
                accepted[request["model"]] = number
                return reply, answer_source(answer.headers)
        number += 1


def _forms(
    request: Mapping[str, Any], settings: Settings
) -> tuple[dict[str, Any], ...]:
    room = request["max_tokens"] + settings.thinking_room_tokens
    low_effort = {**request["output_config"], "effort": "low"}
    plain = {**request, "max_tokens": room}
    del plain["output_config"]
    return (
        {**request, "thinking": {"type": "disabled"}},
        {**plain, "output_config": low_effort},
        plain,
    )


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
