"""The gaps of notebook 05: the agent loop."""

from __future__ import annotations

import asyncio
from contextlib import closing

from memlab.course.gap import Case, Gap
from memlab.models.request import find_fault


def run_call(call, tools):
    """Run a tool; return a tool_result block, whatever happens."""
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    name = call["name"]
    if name not in tools:
        return {**result, "content": f"no tool {name}", "is_error": True}
    try:
        return {**result, "content": tools[name](call["input"])}
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {**result, "content": text, "is_error": True}


def agent_loop(ask, tools, messages, max_turns):
    """Return the messages, followed by everything that happens in the turn."""
    messages = list(messages)
    for _ in range(max_turns):
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            break
        results = [run_call(call, tools) for call in calls]
        messages.append({"role": "user", "content": results})
    return messages


TEXTS = {"db.py": "import sqlite3", "cli.py": "import sys", "empty.py": ""}


class Conversation:
    """A model that gives these answers, the last one for ever, and its tools.

    An answer is a list of texts, which end with a full stop, and calls, such
    as ``Read db.py``.
    """

    def __init__(self, answers):
        self.answers, self.asked, self.ran = answers, 0, []
        self.tools = {"Read": self.read, "Print": self.print}

    def ask(self, messages):
        body = {"model": "plan", "max_tokens": 1, "messages": list(messages)}
        if fault := find_fault(body):
            raise ValueError(f"the service answers 400: {fault}")
        parts = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        if parts == ["no network"]:
            raise ConnectionError("no network")
        return [self.block(part, n) for n, part in enumerate(parts)]

    def block(self, part, number):
        if part.endswith("."):
            return {"type": "text", "text": part}
        name, file = part.split()
        start = {"type": "tool_use", "id": f"toolu_{self.asked}_{number}"}
        return {**start, "name": name, "input": {"file": file}}

    def read(self, given):
        self.ran.append(f"Read {given['file']}")
        return TEXTS[given["file"]]

    def print(self, given):
        self.ran.append(f"Print {given['file']}")
        raise RuntimeError("the printer is jammed")


def no_false(value):
    """Leave out ``is_error: False``, which says the same as no such key."""
    if isinstance(value, list):
        return [no_false(each) for each in value]
    if isinstance(value, dict):
        return {
            key: no_false(each)
            for key, each in value.items()
            if each is not False
        }
    return value


def watch_loop(mine, answers, messages, most):
    talk = Conversation(answers)
    found = no_false(mine(talk.ask, talk.tools, messages, most))
    return {"returns": found, "asked": talk.asked, "tools": talk.ran}


def loop_call(answers, messages, most):
    return (
        f"agent_loop(ask, tools, messages, {most})\n"
        f"    with {len(messages)} messages, and ask answers: {answers}"
    )


END = ["Done."]
LOOPS = {
    "the whole answer belongs in the conversation, texts and calls": [
        (END,),
        (["I'll look.", "Read db.py"], END),
    ],
    "one message has the results of all calls, in their order": [
        (["Read db.py"], END),
        (["Read db.py", "Read cli.py", "Read db.py"], END),
    ],
    "after the results, the model is asked again": [
        (["Read db.py"], ["Read cli.py"], END)
    ],
    "a tool that does not exist gives the result 'no tool NAME'": [
        (["Fly home"], END),
        (["Read db.py", "Fly home", "Read cli.py"], END),
    ],
    "the result of a tool that raised is its exception, 'TYPE: TEXT'": [
        (["Print db.py"], END),
        (["Read db.py", "Print db.py", "Read cli.py"], END),
    ],
    "a tool that raises KeyError does exist": [
        (["Read gone.py"], END),
        (["Read gone.py", "Fly home", "Read db.py"], END),
    ],
    "an empty text is a result, and not an error": [(["Read empty.py"], END)],
    "an exception from ask itself is not caught": [
        (["no network"],),
        (["Read db.py"], ["no network"]),
    ],
}


def turns(rng):
    question = {"role": "user", "content": "Look at it."}
    for rule, inputs in LOOPS.items():
        for answers in inputs:
            yield Case((list(answers), [question], 5), rule)
    rule = "the loop ends after max_turns answers, and all calls have results"
    for answers, most in (([["Read db.py"], END], 1), ([["Read db.py"]], 12)):
        yield Case((answers, [question], most), rule)
    yield Case(
        ([END], [question], 0),
        "if max_turns is 0, the model is not asked at all",
    )
    said = {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}
    earlier = [question, said, question]
    yield Case(
        ([END], earlier, 5), "what was said before stays at the beginning"
    )
    parts = (
        "I'll look.",
        "Read db.py",
        "Read gone.py",
        "Print db.py",
        "Fly home",
    )
    for _ in range(14):
        answers = [rng.choices(parts, k=rng.randint(1, 3)) for _ in range(4)]
        yield Case(([*answers, END], [question], rng.randint(1, 5)))


AGENT_LOOP = Gap(
    name="agent_loop",
    answer=agent_loop,
    cases=turns,
    watch=watch_loop,
    call=loop_call,
    raises=(ConnectionError,),
    hints=(
        "`for _ in range(max_turns):` can't run forever. Which statement leaves the loop earlier?",
        "Append the answer first, then collect its calls:"
        ' `[block for block in answer if block["type"] == "tool_use"]`.',
        "Write a second function, `run_call(call, tools)`, that always returns a `tool_result`"
        " block. Look whether the tool exists before the `try`: a tool may raise KeyError, too.",
    ),
    why="The loop keeps three promises: every call gets a result, an error never ends the turn, and"
    " the loop itself ends after max_turns answers.",
    wrong=(
        ('"content": answer}', '"content": answer[-1:]}', "the whole answer"),
        (
            "in calls]",
            "in {c['name']: c for c in calls}.values()]",
            "all calls",
        ),
        (
            "if not calls:",
            "if not calls or calls[0]['name'] not in tools:",
            "exist",
        ),
        ("range(max_turns)", "range(10)", "after max_turns answers"),
        ("range(max_turns)", "range(max_turns or 1)", "if max_turns is 0"),
        ("list(messages)", "messages[-1:]", "what was said before"),
    ),
)

FERRY, TABS = ["ferry"], ["tabs", "sql"]
RECALLS = (
    ("the list recalls itself is changed", [FERRY]),
    ("tasks that are still running stay in recalls", ["running"]),
    ("running tasks keep their order", ["running", "also running"]),
    (
        "tasks that are still running stay in recalls",
        ["also running", FERRY, "running"],
    ),
    (
        "the strings are in the order of the tasks, in one list",
        [TABS, "running", FERRY],
    ),
    (
        "the strings are in the order of the tasks, in one list",
        [FERRY, "running", TABS],
    ),
    (
        "every task that has ended is removed, also the one after another",
        [FERRY, TABS],
    ),
    ("a task that failed is removed and gives no strings", ["failed"]),
    ("a task that failed is removed", [FERRY, "failed", "failed", "running"]),
    (
        "a task that was cancelled is removed and gives no strings",
        ["cancelled"],
    ),
    ("a task that was cancelled is removed", [FERRY, "cancelled", "running"]),
    (
        "a recall may have found nothing, or the same as another one",
        [[], TABS, TABS],
    ),
)


def recalls(rng):
    for rule, states in RECALLS:
        yield Case((states,), rule)
    known = (
        "running",
        "also running",
        "failed",
        "cancelled",
        [],
        ["ferry"],
        ["a", "b"],
    )
    for _ in range(20):
        yield Case((rng.choices(known, k=rng.randint(1, 6)),))


def watch_ready(mine, states):
    with closing(asyncio.new_event_loop()) as loop:
        tasks = [loop.create_future() for _ in states]
        for task, state in zip(tasks, states, strict=True):
            if state == "failed":
                task.set_exception(RuntimeError("no answer"))
                task.exception()  # so that asyncio does not warn about it
            elif state == "cancelled":
                task.cancel()
            elif isinstance(state, list):
                task.set_result(list(state))
        names = dict(zip(map(id, tasks), states, strict=True))
        texts = mine(tasks)
        return {
            "returns": texts,
            "recalls": [names[id(each)] for each in tasks],
        }


def ready_call(states):
    return (
        f"take_ready(recalls), and recalls are {len(states)} tasks\n    (a list is"
        f" what one found that is done): {states}"
    )


take_ready = Gap(
    name="take_ready",
    place="memlab.recall.prefetch.take_ready",
    cases=recalls,
    watch=watch_ready,
    call=ready_call,
    hints=(
        "If you remove elements from a list while you loop over it, the loop skips some. Loop over"
        " a copy: `for recall in list(recalls):`.",
        "Ask in this order: is it done, was it cancelled, did it raise? `except Exception` doesn't"
        " catch `CancelledError`.",
    ),
    why="Every task that has ended leaves the list exactly once, so no memory is attached twice,"
    " and a failed recall is dropped without a trace in the turn.",
    wrong=(
        (
            "recalls.remove(recall)",
            "recalls = [*recalls]",
            "the list recalls itself",
        ),
        ("in list(recalls)", "in recalls", "the one after another"),
        ("            continue\n", "            break\n", "still running"),
        (" and recall.exception() is None", "", "a task that failed"),
        ("not recall.cancelled() and ", "", "was cancelled"),
        ("texts += recall", "texts[:0] = recall", "in the order of the tasks"),
    ),
)
