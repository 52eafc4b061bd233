"""The gaps of notebook 06: the fork and its cache."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def text(said, **more):
    return {"type": "text", "text": said, **more}


A, B = text("a"), text("b")
CALL = {
    "type": "tool_use",
    "id": "t1",
    "name": "Read",
    "input": {"cache_control": "x"},
}
RESULT = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "content": [text("ok", **MARK)],
}

BOTH, NONE = {**A, **MARK}, {**A, "cache_control": None}
BLOCKS = {
    "the last block gets the mark, as one more key": [
        [A],
        [RESULT],
        [A, B],
    ],
    "the other blocks stay as they are, in the same order": [
        [A, B, A],
        [BOTH, B],
    ],
    "the last block may be of any kind": [[A, RESULT], [RESULT, A], [A, CALL]],
    "the new mark replaces an old one": [[{**B, **LONG}], [NONE], [BOTH]],
}


def contents(rng):
    for rule, inputs in BLOCKS.items():
        for blocks in inputs:
            yield Case((blocks,), rule)
    for _ in range(12):
        yield Case((rng.choices((A, B, RESULT, BOTH), k=rng.randint(1, 6)),))


mark_cache = Gap(
    name="mark_cache",
    place="memlab.agent.request.mark_cache",
    cases=contents,
    hints=(
        "The new list has all blocks except the last (`blocks[:-1]`), then a changed copy of it.",
        '`{**block, "cache_control": …}` is a copy of a block with one more key.',
    ),
    why="The conversation keeps its blocks without marks, so no mark is sent a second time.",
    wrong=(
        ("[*blocks[:-1], last]", "[last]", "the last block gets"),
        ("**blocks[-1]", "**blocks[0]", "the last block gets"),
        (
            "*blocks[:-1]",
            "*blocks[-2:-1]",
            "the other blocks stay as they are",
        ),
        ("*blocks[:-1]", "*blocks[-2::-1]", "in the same order"),
        (
            "return [",
            "last |= blocks[-1]\n    return [",
            "replaces an old one",
        ),
        ("last =", "blocks[-1] = last =", "changed its argument"),
    ),
)


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def parent(*messages, **more):
    given = {"model": "m", "messages": list(messages)}
    return {**given, "tools": [{"name": "Read", **MARK}], **more}


def forks(rng):
    hello, string = user(A), {"role": "user", "content": "Hello."}
    reply = {"role": "assistant", "content": [B, CALL]}
    rule = "first all messages of parent, then the answer and one marked text block with the prompt"
    request = parent(hello, reply, user(B, A))
    for answer in ([A], [A, B], [B, CALL]):
        yield Case((request, answer, " What\nnow? "), rule)
    for rule, inputs in {
        "a string stays a string": [parent(string), parent(hello, string)],
        "no block of parent's messages keeps its mark, whatever its value": [
            parent(user(BOTH)),
            parent(
                user({**A, **LONG}, B, {**B, **MARK}),
                reply,
                user(BOTH),
            ),
            parent(user(NONE)),
        ],
        "nothing else changes in a message, or inside its blocks": [
            parent(hello, reply, user({**RESULT, **MARK})),
            parent(user(text("cache_control", **MARK))),
            parent({**hello, "id": 7}),
        ],
        "everything in parent except its messages stays as it is": [
            parent(hello, model="m2", system="An agent."),
            parent(hello, system=[BOTH], output_config={"effort": "low"}),
        ],
        "parent may have fewer keys": [{"messages": [hello]}],
    }.items():
        for request in inputs:
            yield Case((request, [A], "What now?"), rule)
    for _ in range(12):
        blocks = [A, {**B, **MARK}, {**RESULT, **LONG}, CALL]
        messages = [
            user(*rng.choices(blocks, k=2)) for _ in range(rng.randint(1, 5))
        ]
        yield Case(
            (parent(*messages, rng.choice((string, hello))), [B], "What now?")
        )


fork_request = Gap(
    name="fork_request",
    place="memlab.agent.request.fork_request",
    cases=forks,
    hints=(
        '`{**parent, "messages": messages}` is a copy of the request with different messages.',
        "Write a helper that returns a copy of a message without marks, with copies of its blocks:"
        ' `copy = dict(block)`, then `copy.pop("cache_control", None)`.',
    ),
    why="The service compares requests from the beginning and ignores the marks. So the fork may"
    " move the marks, but it may add new text only at the end.",
    wrong=(
        (
            '"content": answer',
            '"content": mark_cache(answer)',
            "one marked text block",
        ),
        ('"content": question', '"content": prompt', "one marked text block"),
        (
            "without_marks(message) for message",
            "message for message",
            "keeps its mark",
        ),
        (
            'in parent["messages"]]',
            'in parent["messages"][-1:]]',
            "first all messages",
        ),
        (
            "**parent",
            "**{k: parent[k] for k in ('model', 'tools')}",
            "stays as it is",
        ),
        (
            "return {**",
            "parent.update(messages=messages)\n    return {**",
            "changed",
        ),
    ),
)
