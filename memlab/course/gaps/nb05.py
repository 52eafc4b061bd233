"""The gaps of notebook 05: the agent loop."""

from __future__ import annotations

import asyncio
from contextlib import closing

from memlab.course.gap import Case, Gap
from memlab.course.gaps.nb01 import rows
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

    An answer is one string, with " + " between its texts, which end with a
    full stop, and its calls, such as ``Read db.py``.
    """

    def __init__(self, answers):
        self.answers, self.asked, self.ran = answers, 0, []
        self.tools = {"Read": self.read, "Print": self.print}

    def ask(self, messages):
        body = {"model": "plan", "max_tokens": 1, "messages": list(messages)}
        if fault := find_fault(body):
            raise ValueError(f"the service answers 400: {fault}")
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        if answer == "no network":
            raise ConnectionError(answer)
        return [self.block(*part) for part in enumerate(answer.split(" + "))]

    def block(self, number, part):
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
        return {k: no_false(v) for k, v in value.items() if v is not False}
    return value


def watch_loop(mine, answers, messages, most):
    talk = Conversation(answers)
    found = no_false(mine(talk.ask, talk.tools, messages, most))
    return {"returns": found, "asked": talk.asked, "tools": talk.ran}


def loop_call(answers, messages, most):
    return (
        f"agent_loop(ask, tools, messages, {most})\n"
        f"    with {len(messages)} messages, where ask answers: {answers}"
    )


LOOPS = (  # answers with "; " between them
    "the whole answer belongs in the conversation | Done. | I'll look. + Read db.py",
    "one message has the results of all calls | Read db.py | Read db.py + Read cli.py + Read db.py",
    "after the results, the model is asked again | Read db.py; Read cli.py",
    "a tool that is missing gives 'no tool NAME' | Fly home | Read db.py + Fly home + Read cli.py",
    "a tool that raises gives 'TYPE: TEXT' | Print db.py | Read db.py + Print a + Read db.py",
    "a tool that raises KeyError does exist | Read gone.py | Read gone.py + Fly home + Read db.py",
    "an empty string is a result, not an error | Read empty.py",
    "an exception from ask itself is not caught | no network | Read db.py; no network",
)


def turns(rng):
    question = {"role": "user", "content": "Look at it."}
    for rule, answers in rows(LOOPS):
        yield Case(([*answers.split("; "), "Done."], [question], 5), rule)
    rule = "the loop ends after max_turns answers, and all calls have results"
    for most in (12, 1):
        yield Case((["Read db.py"], [question], most), rule)
    yield Case((["Done."], [question], 0), "max_turns may be 0: ask nothing")
    said = {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}
    earlier = [question, said, question]
    yield Case((["Done."], earlier, 5), "what was said before stays")
    parts = ("Hm.", "Read db.py", "Read gone.py", "Print db.py", "Fly home")
    for _ in range(14):
        answers = [" + ".join(rng.choices(parts, k=3)) for _ in range(4)]
        yield Case(([*answers, "Done."], [question], rng.randint(1, 5)))


AGENT_LOOP = Gap(
    name="agent_loop",
    answer=agent_loop,
    cases=turns,
    watch=watch_loop,
    call=loop_call,
    raises=(ConnectionError,),
    hints=(
        "`for _ in range(max_turns):` can't run forever. Which statement leaves the loop early?",
        "Append the answer first. Its calls are the blocks whose type is `tool_use`.",
        "Write a second function, `run_call(call, tools)`, that always returns a `tool_result`"
        " block. Before the `try`, check whether the tool exists: a tool may raise KeyError, too.",
    ),
    why="Every call gets a result, no tool error ends the turn, and the loop always ends.",
    wrong=(
        ('"content": answer}', '"content": answer[-1:]}', "the whole answer"),
        ("in calls]", "in calls[:1]]", "all calls"),
        (
            "not calls:",
            "not calls or calls[0]['name'] not in tools:",
            "missing",
        ),
        ("range(max_turns)", "range(10)", "after max_turns answers"),
        ("range(max_turns)", "range(max_turns or 1)", "max_turns may be 0"),
        ("list(messages)", "messages[-1:]", "what was said before"),
    ),
)

RECALLS = (
    "the list recalls itself is changed | found ferry",
    "tasks that are still running stay in recalls, in order | running | running, also running",
    "tasks that are still running stay in recalls, in order | also running, found ferry, running",
    "the strings are in the order of the tasks | found tabs sql, running, found a",
    "the strings are in the order of the tasks | found ferry, running, found tabs sql",
    "remove every task that ended, even the one after another such task | found ferry, found tabs",
    "a task that failed is removed | failed | found ferry, failed, failed, running",
    "a task that was cancelled is removed | cancelled | found ferry, cancelled, running",
    "a recall may have found nothing, or the same as another one | found, found tabs, found tabs",
)


def recalls(rng):
    for rule, states in rows(RECALLS):
        yield Case((states.split(", "),), rule)
    known = (
        "running",
        "also running",
        "failed",
        "cancelled",
        "found",
        "found a b",
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
            elif state.startswith("found"):
                task.set_result(state.split()[1:])
        names = dict(zip(map(id, tasks), states, strict=True))
        texts = mine(tasks)
        left = [names[id(each)] for each in tasks]
        return {"returns": texts, "recalls": left}


def ready_call(states):
    return f"take_ready(recalls), where the states of the tasks are: {states}"


take_ready = Gap(
    name="take_ready",
    place="memlab.recall.prefetch.take_ready",
    cases=recalls,
    watch=watch_ready,
    call=ready_call,
    hints=(
        "If you remove elements from a list while you loop over it, the loop skips some.",
        "Ask in this order: is it done, was it cancelled, did it raise?",
    ),
    why="Every task that has ended leaves the list once, so no memory is attached twice.",
    wrong=(
        ("recalls.remove(recall)", "pass", "the list recalls itself"),
        ("in list(recalls)", "in recalls", "the one after another"),
        (" and recall.exception() is None", "", "a task that failed"),
        ("not recall.cancelled() and ", "", "was cancelled"),
        ("texts += recall", "texts[:0] = recall", "in the order of the tasks"),
    ),
)
