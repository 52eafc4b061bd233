"""The exercises of notebook 06: build a fork's request, break a prefix, find why a bill rose.

Left out: sending. A request is a dict here, as the SDK takes it.
"""

from __future__ import annotations

from memlab.course.exercise import Exercise, Wrong
from memlab.course.exercises.nb06_cases import (
    bill_cases,
    breaker_cases,
    fork_request,
    request_cases,
)

_FORK_REQUEST = Exercise(
    name="my_fork_request",
    notebook=6,
    kind="build",
    returns=dict,
    part="fork_request",
    default=fork_request,
    starter='''\
def my_fork_request(parent: dict, answer: list, prompt: str) -> dict:
    """Give the request of a fork: the parent's last one, its answer, one message more.

    Blocks of its messages (or plain texts) may carry a mark, "cache_control"; nothing
    else changes. answer is a list of blocks; an empty one adds no message. The prompt is
    one text block with the only mark there: {"cache_control": {"type": "ephemeral"}}.

    >>> sent = {"model": "m", "system": "s", "tools": [], "messages": []}
    >>> my_fork_request(sent, [], "Go.")["messages"][-1]["role"]
    'user'
    """
    raise NotImplementedError
''',
    solution="""\
def my_fork_request(parent: dict, answer: list, prompt: str) -> dict:
    def unmarked(message):
        if isinstance(message["content"], str):
            return message
        blocks = [
            {key: value for key, value in block.items() if key != "cache_control"}
            for block in message["content"]
        ]
        return {**message, "content": blocks}

    mark = {"cache_control": {"type": "ephemeral"}}
    messages = [unmarked(message) for message in parent["messages"]]
    if answer:
        messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": [{"type": "text", "text": prompt, **mark}]})
    return {**parent, "messages": messages}
""",
    why=(
        "A prefix is compared from its first byte, so a fork may only add at the end; marks do not "
        "count in that comparison, and four of them are the most that a request may carry."
    ),
    hints=(
        "{**parent, 'messages': [...]} is a copy with other messages. What has to be in the list?",
        "The parent's messages, the answer as an assistant message, the prompt as a user message.",
        "Copy each block without its key cache_control; a content that is a text has no blocks.",
    ),
    wrong=(
        Wrong(
            "def my_fork_request(parent, answer, prompt):\n"
            "    block = {'type': 'text', 'text': prompt, 'cache_control': {'type': 'ephemeral'}}\n"
            "    new = [{'role': 'assistant', 'content': answer}] if answer else []\n"
            "    new.append({'role': 'user', 'content': [block]})\n"
            "    return {**parent, 'messages': parent['messages'] + new}\n",
            "the marks of the parent's messages",
        ),
        Wrong(
            "def my_fork_request(parent, answer, prompt):\n"
            "    block = {'type': 'text', 'text': prompt, 'cache_control': {'type': 'ephemeral'}}\n"
            "    return {**parent, 'messages': [{'role': 'user', 'content': [block]}]}\n",
            "the prompt has the only one",
        ),
        Wrong(
            "def my_fork_request(parent, answer, prompt):\n"
            "    block = {'type': 'text', 'text': prompt, 'cache_control': {'type': 'ephemeral'}}\n"
            "    new = [{'role': 'assistant', 'content': answer}] if answer else []\n"
            "    new.append({'role': 'user', 'content': [block]})\n"
            "    keep = [t for t in parent['tools'] if t['name'] != 'Bash']\n"
            "    return {**parent, 'tools': keep, 'messages': parent['messages'] + new}\n",
            "Likely slip",
        ),
    ),
    cases=request_cases,
)

_UNREAD = Exercise(
    name="my_unread_twin",
    notebook=6,
    kind="break",
    returns=dict,
    starter='''\
def my_unread_twin(request: dict) -> dict:
    """Give a request that says the same and finds nothing of itself in the cache.

    The same model, the same tools with the same descriptions, the same system prompt
    and messages, marks included: no word more, none less. tools is a list of dicts.

    >>> my_unread_twin({"tools": [], "messages": []}) == {"tools": [], "messages": []}
    False
    """
    raise NotImplementedError
''',
    solution="""\
def my_unread_twin(request: dict) -> dict:
    return {**request, "tools": request["tools"][::-1]}
""",
    why=(
        "The tools come first in the prefix, in the order of the list, so a set that is turned "
        "into a list in another order on each start costs the whole cache."
    ),
    hints=(
        "What comes first in the prefix, before system prompt and messages?",
        "A list has an order. Does the model care? Does the cache?",
    ),
    wrong=(
        Wrong(
            "def my_unread_twin(request):\n    return {**request, 'tools': request['tools'][1:]}\n",
            "the same tools",
        ),
        Wrong(
            "def my_unread_twin(request):\n"
            "    return {**request, 'messages': request['messages'][::-1]}\n",
            "Likely slip",
        ),
        Wrong(
            "def my_unread_twin(request):\n    return dict(request)\n",
            "tokens are read",
        ),
    ),
    cases=breaker_cases,
)

_BILL = Exercise(
    name="my_misses",
    notebook=6,
    kind="diagnose",
    returns=list,
    starter='''\
def my_misses(calls: list[dict]) -> list[str]:
    """Name the calls that should have read more, oldest first: "3 expired", "5 changed".

    A call has minute, read and created. It should read what the call before it had
    read and created together. Where it reads less, more than 5 minutes since the call
    before mean "expired", and otherwise the prefix has "changed". Numbers count from 1.

    >>> my_misses([{"minute": 0, "read": 0, "created": 2000}])
    []
    """
    raise NotImplementedError
''',
    solution="""\
def my_misses(calls: list[dict]) -> list[str]:
    found = []
    for number, (before, call) in enumerate(zip(calls, calls[1:]), 2):
        if call["read"] < before["read"] + before["created"]:
            late = call["minute"] - before["minute"] > 5
            found.append(f"{number} {'expired' if late else 'changed'}")
    return found
""",
    why=(
        "A cache that fails makes no noise: every answer is right and the bill is ten times what "
        "it was, so the two causes have to be told apart from the figures alone."
    ),
    hints=(
        "zip(calls, calls[1:]) gives each call with the one before it.",
        "What the call before had read plus created is what the cache holds of this session.",
    ),
    wrong=(
        Wrong(
            "def my_misses(calls):\n"
            "    pairs = enumerate(calls, 1)\n"
            "    return [f'{n} changed' for n, c in pairs if n > 1 and not c['read']]\n",
            "Likely slip",
        ),
        Wrong(
            "def my_misses(calls):\n"
            "    out = []\n"
            "    for n, (a, b) in enumerate(zip(calls, calls[1:]), 2):\n"
            "        if b['read'] < a['created']:\n"
            "            late = b['minute'] - a['minute'] > 5\n"
            "            out.append(f\"{n} {'expired' if late else 'changed'}\")\n"
            "    return out\n",
            "read and created together",
        ),
    ),
    cases=bill_cases,
)

EXERCISES: tuple[Exercise, ...] = (_FORK_REQUEST, _UNREAD, _BILL)
