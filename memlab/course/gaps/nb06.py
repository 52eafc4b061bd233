"""The gaps of notebook 06: the fork and its cache."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def text(said, **more):
    return {"type": "text", "text": said, **more}


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks):
    return {"role": "assistant", "content": list(blocks)}


HELLO = {"type": "text", "text": "Hello."}
BYE = {"type": "text", "text": "Bye."}
CALL = {
    "type": "tool_use",
    "id": "toolu_1",
    "name": "Read",
    "input": {"file_path": "README.md", "cache_control": "x"},
}
RESULT = {
    "type": "tool_result",
    "tool_use_id": "toolu_1",
    "content": [{"type": "text", "text": "22 passed", **MARK}],
}


def contents(rng):
    last = "the last block gets the mark, as one more key of it"
    for blocks in ([HELLO], [RESULT], [HELLO, BYE]):
        yield Case((blocks,), last)
    others = "the other blocks stay as they are, in the same order"
    for blocks in (
        [HELLO, BYE, HELLO],
        [HELLO, HELLO],
        [{**HELLO, **MARK}, BYE],
        [{**HELLO, **LONG}, {**BYE, **MARK}, HELLO],
    ):
        yield Case((blocks,), others)
    kinds = "the last block may be of any kind"
    for blocks in ([HELLO, RESULT], [RESULT, HELLO], [HELLO, CALL]):
        yield Case((blocks,), kinds)
    old = "the new mark replaces an old one"
    for more in (LONG, {"cache_control": None}, {**LONG, "citations": []}):
        yield Case(([HELLO, {**BYE, **more}],), old)
    yield Case(([{**HELLO, **MARK}],), "a block may have the mark already")
    for _ in range(12):
        yield Case(
            (
                [
                    text(f"line {rng.randint(1, 3)}", **rng.choice((MARK, {})))
                    for _ in range(rng.randint(1, 6))
                ],
            )
        )


mark_cache = Gap(
    name="mark_cache",
    place="memlab.agent.request.mark_cache",
    cases=contents,
    hints=(
        "The new list contains all blocks except the last one, and then a"
        " changed copy of the last one. `blocks[:-1]` and `blocks[-1]` are"
        " the two parts.",
        '`{**block, "cache_control": …}` is a copy of a block with one more'
        " key.",
    ),
    why="Only the copy has the mark. The conversation keeps its blocks without"
    " marks, so no mark is sent a second time.",
    wrong=(
        ("**blocks[-1]", "**blocks[0]", "the last block gets the mark"),
        ("[*blocks[:-1], last]", "[*blocks, last]", "as one more key of it"),
        ("[*blocks[:-1], last]", "[last]", "the last block gets"),
        (
            "[*blocks[:-1], last]",
            "[last if block == blocks[-1] else block for block in blocks]",
            "the other blocks stay as they are",
        ),
        (
            '{**blocks[-1], "cache_control": {"type": "ephemeral"}}',
            '{"cache_control": {"type": "ephemeral"}, **blocks[-1]}',
            "replaces an old one",
        ),
        (
            '{"type": "ephemeral"}}',
            '{**(blocks[-1].get("cache_control") or {}), "type": "ephemeral"}}',
            "replaces an old one",
        ),
        (
            """
def mark_cache(blocks):
    blocks[-1]["cache_control"] = {"type": "ephemeral"}
    return blocks
""",
            "changed its argument",
        ),
        (
            """
def mark_cache(blocks):
    copies = [dict(block) for block in blocks]
    for copy in copies:
        copy.pop("cache_control", None)
    copies[-1]["cache_control"] = {"type": "ephemeral"}
    return copies
""",
            "the other blocks stay as they are",
        ),
    ),
)


def request(*messages, **more):
    names = ("Read", "Grep", "Bash")
    return {
        "model": "m",
        "max_tokens": 1000,
        "system": [text("You are an agent.", **MARK)],
        "tools": [{"name": name, "description": f"{name}."} for name in names],
        "messages": list(messages),
        **more,
    }


def forks(rng):
    said, asked = [text("In pence.")], "What now?"
    order = (
        "first all messages of parent, then the answer, then one marked text"
        " block with the prompt"
    )
    plain = user(HELLO)
    for answer in (said, [text("I looked."), *said], [text("Yes."), CALL]):
        yield Case((request(plain), answer, asked), order)
    long = request(plain, assistant(BYE), user(BYE, HELLO))
    yield Case((long, said, asked), order)
    for prompt in (" Look back.\nThen answer. ", "cache_control?"):
        yield Case((request(plain), said, prompt), order)
    strings = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello, Robin."},
    ]
    for messages in ([*strings, plain], strings[:1], [plain, *strings]):
        rule = "a content that is a string stays a string"
        yield Case((request(*messages), said, asked), rule)
    many = [
        user(text("One.", **MARK), text("Two.", **LONG)),
        assistant(text("Three.", **MARK)),
        user(text("Four.", cache_control=None), text("Five.", **MARK)),
    ]
    for messages in ([user({**HELLO, **MARK})], many[1:], many):
        rule = "no block of parent's messages keeps its mark, whatever it says"
        yield Case((request(*messages), said, asked), rule)
    tools = [
        user(text("Run the tests.")),
        assistant(text("Gladly."), CALL),
        user({**RESULT, **MARK}),
    ]
    talk = user(text("What does cache_control do?", **MARK))
    for messages in (tools, tools[:2], [talk], [{**plain, "id": 7}]):
        rule = "nothing else changes in a message, or inside its blocks"
        yield Case((request(*messages), said, asked), rule)
    tool = {"name": "Read", **MARK}
    for more in (
        {"model": "m2"},
        {"system": "You are an agent."},
        {"tools": [tool]},
        {"output_config": {"effort": "low"}, "metadata": {}},
    ):
        rule = "everything in parent except its messages stays as it is"
        yield Case((request(plain, **more), said, asked), rule)
    bare = request(plain)
    for key in ("tools", "system"):
        del bare[key]
        yield Case((dict(bare), said, asked), "parent may have fewer keys")
    for _ in range(12):
        messages = []
        for number in range(rng.randint(1, 4)):
            block = text(f"Q{number}", **rng.choice((MARK, LONG, {})))
            content = rng.choice((f"Q{number}", [block], [HELLO, block]))
            messages.append({"role": "user", "content": content})
            messages.append(assistant(text(f"A{rng.randint(1, 9)}")))
        yield Case((request(*messages[:-1]), said, asked))


fork_request = Gap(
    name="fork_request",
    place="memlab.agent.request.fork_request",
    cases=forks,
    hints=(
        '`{**parent, "messages": messages}` is a copy of the request with'
        " other messages. So the work is to build the list `messages`.",
        "Write a helper that returns a copy of one message without marks. If"
        " the content is a string, there are no blocks, and it can return the"
        " message itself.",
        "A copy of a block without its mark: `copy = dict(block)`, and then"
        ' `copy.pop("cache_control", None)`. `my.mark_cache` puts the mark on'
        " the new block.",
    ),
    why="The service compares requests from the beginning, and it ignores"
    " marks when it compares. So the fork may move the marks, but it may add"
    " new text only at the end. The old marks of the messages are removed"
    " because one mark at the end is enough, and a request may carry only"
    " four.",
    wrong=(
        ('"content": answer', '"content": answer[:1]', "then the answer"),
        (
            '"content": answer',
            '"content": mark_cache(answer)',
            "one marked text block",
        ),
        ('"content": question', '"content": prompt', "one marked text block"),
        ('"text": prompt', '"text": prompt.strip()', "with the prompt"),
        (
            "without_marks(message) for message",
            "message for message",
            "keeps its mark",
        ),
        (
            'for message in parent["messages"]]',
            'for message in parent["messages"][-1:]]',
            "first all messages",
        ),
        (
            '{**parent, "messages": messages}',
            '{"model": parent["model"], "max_tokens": parent["max_tokens"],'
            ' "system": parent["system"], "tools": parent["tools"],'
            ' "messages": messages}',
            "stays as it is",
        ),
        (
            """
def fork_request(parent, answer, prompt):
    for message in parent["messages"]:
        if not isinstance(message["content"], str):
            for block in message["content"]:
                block.pop("cache_control", None)
    question = {"type": "text", "text": prompt}
    question["cache_control"] = {"type": "ephemeral"}
    messages = [*parent["messages"], {"role": "assistant", "content": answer}]
    messages.append({"role": "user", "content": [question]})
    return {**parent, "messages": messages}
""",
            "changed its argument",
        ),
        (
            """
def clean(value):
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if k != "cache_control"}
    return [clean(v) for v in value] if isinstance(value, list) else value


def fork_request(parent, answer, prompt):
    question = {"type": "text", "text": prompt}
    question["cache_control"] = {"type": "ephemeral"}
    messages = clean(parent["messages"])
    messages.append({"role": "assistant", "content": answer})
    messages.append({"role": "user", "content": [question]})
    return {**parent, "messages": messages}
""",
            "inside its blocks",
        ),
    ),
)
