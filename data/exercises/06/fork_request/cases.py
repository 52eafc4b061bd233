"""Requests of short and long conversations, with marks in many places."""

from __future__ import annotations

from random import Random
from typing import Any

from memlab.course import Case, case

MARK = {"cache_control": {"type": "ephemeral"}}
LONG = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
SAME = "Everything except the messages stays as it is"
MARKS = "The parent's messages lose every mark, and nothing else"
NESTED = "What is nested inside a block stays as it is"
STRING = "A content that is a string stays a string"
ANSWER = (
    "The answer comes before the question, as one assistant message without a"
    " mark"
)
QUESTION = "The question comes last, as one marked text block"
WHOLE = "All messages of the parent come first, in the same order"


def cases(random: Random) -> list[Case]:
    """Make parents with and without marks, and answers of several kinds."""
    hello = _user(_text("Hello.", **MARK))
    said = [_text("In pence.")]
    call = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "Read",
        "input": {"file_path": "~/tidebook/README.md", "cache_control": "x"},
    }
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "22 passed",
    }
    after_tool = [
        _user(_text("Run the tests.")),
        _assistant(_text("Gladly."), call),
        _user({**result, **MARK}),
    ]
    strings = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello, Robin."},
        _user(_text("Prices?", **MARK)),
    ]
    many_marks = [
        _user(_text("One.", **MARK), _text("Two.", **LONG)),
        _assistant(_text("Three.", **MARK)),
        _user(_text("Four."), _text("Five.", **MARK)),
    ]
    about_marks = [_user(_text("What does cache_control do?", **MARK))]
    two_blocks = [_text("I looked."), _text("In pence.")]
    plain = _request([hello])
    plain["system"] = "You are an agent."
    thinking = _request([hello]) | {"output_config": {"effort": "low"}}
    no_tools = _request([hello])
    del no_tools["tools"]
    marked_tool = _request([hello])
    marked_tool["tools"][-1] = marked_tool["tools"][-1] | MARK
    fixed = [
        (
            _request([hello]),
            said,
            "What now?",
            f"{MARKS}; {ANSWER}; {QUESTION}; {SAME}",
        ),
        (_request([_user(_text("Hello."))]), said, "What now?", WHOLE),
        (_request(strings), said, "What now?", STRING),
        (_request(after_tool), said, "What now?", f"{MARKS}; {NESTED}"),
        (_request(many_marks), said, "What now?", MARKS),
        (_request(about_marks), said, "cache_control?", MARKS),
        (_request([hello]), two_blocks, "What now?", ANSWER),
        (_request([hello]), [call], "What now?", ANSWER),
        (_request([hello]), said, " Look back.\nThen answer. ", QUESTION),
        (plain, said, "What now?", SAME),
        (thinking, said, "What now?", SAME),
        (no_tools, said, "What now?", SAME),
        (marked_tool, said, "What now?", SAME),
        (_request([hello], tools=5), said, "What now?", SAME),
    ]
    for _ in range(10):
        prompt = random.choice(("Note it.", "What counts?", "Look back."))
        parent = _request(_talk(random), tools=random.randint(1, 4))
        fixed.append((parent, said, prompt, f"{WHOLE}; {MARKS}"))
    return [
        case((parent, answer, prompt), _fork(parent, answer, prompt), rule)
        for parent, answer, prompt, rule in fixed
    ]


def _fork(
    parent: dict[str, Any], answer: list[dict[str, Any]], prompt: str
) -> dict[str, Any]:
    messages = [
        message
        if isinstance(message["content"], str)
        else message
        | {"content": [_bare(each) for each in message["content"]]}
        for message in parent["messages"]
    ]
    messages += [_assistant(*answer), _user(_text(prompt, **MARK))]
    return parent | {"messages": messages}


def _bare(block: dict[str, Any]) -> dict[str, Any]:
    return {key: block[key] for key in block if key != "cache_control"}


def _talk(random: Random) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    turns = random.randint(1, 5)
    for number in range(turns):
        mark = MARK if random.random() < 0.4 else {}
        question = _text(f"Question {random.randint(1, 9)}.", **mark)
        is_string = random.random() < 0.3
        messages.append(
            {"role": "user", "content": f"Question {number}."}
            if is_string
            else _user(question)
        )
        messages.append(_assistant(_text(f"Answer {random.randint(1, 9)}.")))
    return messages[:-1]


def _request(messages: list[dict[str, Any]], tools: int = 2) -> dict[str, Any]:
    names = ("Read", "Grep", "Glob", "Bash", "Edit")[:tools]
    return {
        "model": "m",
        "max_tokens": 1000,
        "system": [_text("You are an agent.", **MARK)],
        "tools": [{"name": name, "description": f"{name}."} for name in names],
        "messages": messages,
    }


def _user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}
