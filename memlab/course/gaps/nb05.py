"""The gaps of notebook 05: the agent loop."""

from __future__ import annotations

from asyncio import CancelledError, InvalidStateError

from memlab.course.gap import Case, Gap
from memlab.models.request import find_fault


def run_call(call, tools):
    """Run a tool; return a tool_result block, whatever happens."""
    result = {"type": "tool_result", "tool_use_id": call["id"]}
    name = call["name"]
    if name not in tools:
        return {**result, "content": f"no tool {name}", "is_error": True}
    try:
        text = tools[name](call["input"])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return {**result, "content": text, "is_error": True}
    return {**result, "content": text}


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


class Conversation:
    """A model that follows a plan, with tools, and what is asked of both.

    A step of the plan is a text, or a list of texts and calls; the last one is
    repeated for ever. A call is a string such as ``Read board.py``.
    """

    def __init__(self, plan):
        self.plan = plan
        self.asked = 0
        self.ran = []
        names = ("Read", "Tide", "Empty", "Broken")
        self.tools = {name: self.tool(name) for name in names}

    def ask(self, messages):
        body = {"model": "plan", "max_tokens": 1, "messages": list(messages)}
        if fault := find_fault(body):
            raise ValueError(f"the service answers 400: {fault}")
        step = self.plan[min(self.asked, len(self.plan) - 1)]
        self.asked += 1
        if step == "no network":
            raise ConnectionError(step)
        parts = [step] if isinstance(step, str) else step
        return [self.block(part, n) for n, part in enumerate(parts, 1)]

    def block(self, part, number):
        name, _, value = part.partition(" ")
        if part.endswith(".") or name == "no":
            return {"type": "text", "text": part}
        call_id = f"toolu_{self.asked}_{number}"
        values = {"of": value} if value else {}
        start = {"type": "tool_use", "id": call_id}
        return {**start, "name": name, "input": values}

    def tool(self, name):
        def run(given):
            self.ran.append(" ".join([name, *given.values()]))
            if name == "Broken":
                raise RuntimeError("the printer is jammed")
            if name == "Tide":
                return {"today": "high water at 10:32"}[given["of"]]
            if given == {"of": "gone.py"}:
                raise FileNotFoundError("gone.py does not exist")
            return f"text of {given['of']}" if given else ""

        return run


def watch_loop(mine, plan, messages, most):
    """Return the messages, how often the model was asked, and which tools ran.

    ``is_error: False`` says the same as no such key.
    """
    talk = Conversation(plan)
    found = mine(talk.ask, talk.tools, messages, most)
    for message in found if isinstance(found, list) else ():
        content = message.get("content") if isinstance(message, dict) else ""
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("is_error") is False:
                del block["is_error"]
    return {"returns": found, "asked": talk.asked, "tools": talk.ran}


def loop_call(plan, messages, most):
    steps = ", then ".join(
        step if isinstance(step, str) else " and ".join(step) for step in plan
    )
    return (
        f"agent_loop(ask, tools, messages, {most})\n"
        f"    with {len(messages)} messages, and ask answers: {steps}"
    )


def turns(rng):
    question = [{"role": "user", "content": "Look at it."}]
    for rule, plans in (
        (
            "the whole answer belongs in the conversation, texts and calls",
            (["Hello."], [["I'll look.", "Read board.py"], "Done."]),
        ),
        (
            "one message has the results of all calls, in their order",
            (
                [["Read board.py"], "Done."],
                [["Read board.py", "Tide today"], "Done."],
                [["Read db.py", "Read cli.py", "Read db.py"], "Done."],
            ),
        ),
        (
            "after the results, the model is asked again",
            ([["Read board.py"], ["Tide today"], "Done."],),
        ),
        (
            "a tool that does not exist gives the result 'no tool NAME'",
            (
                [["Fly home"], "Done."],
                [["Fly home", "Read db.py"], "Done."],
                [["Read db.py", "Fly home", "Read cli.py"], "Done."],
            ),
        ),
        (
            "the result of a tool that raised is its exception, 'TYPE: TEXT'",
            (
                [["Broken"], "Done."],
                [["Read gone.py", "Read db.py"], "Done."],
                [["Read db.py", "Broken", "Read cli.py"], "Done."],
            ),
        ),
        (
            "a tool that raises KeyError does exist",
            (
                [["Tide tomorrow"], "Done."],
                [["Tide tomorrow", "Fly home", "Tide today"], "Done."],
            ),
        ),
        (
            "an empty text is a result, and not an error",
            ([["Empty"], "Done."],),
        ),
    ):
        for plan in plans:
            yield Case((plan, question, 5), rule)
    rule = "the loop ends after max_turns answers, and all calls have results"
    for plan, most in (
        ([["Read db.py"]], 3),
        ([["Read db.py"], "Done."], 1),
        ([["Read db.py"], "Done."], 2),
        ([["Read db.py"]], 50),
    ):
        yield Case((plan, question, most), rule)
    rule = "if max_turns is 0, the model is not asked at all"
    yield Case((["Hello."], question, 0), rule)
    said = {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]}
    rule = "what was said before stays at the beginning"
    earlier = [{"role": "user", "content": "Good morning."}, said, *question]
    yield Case(([["Read db.py"], "Done."], earlier, 5), rule)
    rule = "an exception from ask itself is not caught"
    yield Case((["no network"], question, 5), rule)
    yield Case(([["Read db.py"], "no network"], question, 5), rule)
    calls = "Read db.py,Read gone.py,Tide today,Tide tomorrow,Empty,Broken,Fly"
    for _ in range(14):
        plan = []
        for _ in range(rng.randint(1, 4)):
            step = rng.choices(calls.split(","), k=rng.randint(1, 3))
            plan.append([*rng.choice(([], ["I'll look."])), *step])
        yield Case(([*plan, "Done."], question, rng.randint(1, 5)))


AGENT_LOOP = Gap(
    name="agent_loop",
    answer=agent_loop,
    cases=turns,
    watch=watch_loop,
    call=loop_call,
    raises=(ConnectionError,),
    hints=(
        "`for _ in range(max_turns):` can't run forever. Which statement"
        " leaves the loop earlier, when the turn is over?",
        "Append the answer first. Then collect its calls: `[block for block in"
        ' answer if block["type"] == "tool_use"]`. An answer may contain a'
        " text and calls.",
        "Write a second function, `run_call(call, tools)`, that always returns"
        " a `tool_result` block. Check whether the tool exists before the"
        " `try`. If you look it up inside the `try`, you can't tell a missing"
        " tool from a tool that raised KeyError.",
    ),
    why="The loop keeps three promises: every call gets a result, an error"
    " never ends the turn, and the loop itself ends after max_turns answers.",
    wrong=(
        ('"content": answer}', '"content": answer[-1:]}', "the whole answer"),
        (
            '        messages.append({"role": "user", "content": results})\n',
            "        for result in results:\n"
            '            messages.append({"role": "user",'
            ' "content": [result]})\n',
            "one message has the results of all calls",
        ),
        (
            "for call in calls]",
            'for call in {each["name"]: each for each in calls}.values()]',
            "one message has the results of all calls",
        ),
        (
            '        messages.append({"role": "user", "content": results})\n',
            '        messages.append({"role": "user", "content": results})\n'
            '        if any("is_error" in result for result in results):\n'
            "            break\n",
            "does not exist",
        ),
        (
            "run_call(call, tools) for",
            '{"type": "tool_result", "tool_use_id": call["id"],'
            ' "content": tools[call["name"]](call["input"])} for',
            "does not exist",
        ),
        (
            "        calls = [",
            "        if _ == max_turns - 1:\n            break\n"
            "        calls = [",
            "all calls have results",
        ),
        ("range(max_turns)", "range(10)", "after max_turns answers"),
        ("range(max_turns)", "range(max_turns or 1)", "if max_turns is 0"),
        ("list(messages)", "messages[-1:]", "what was said before"),
        (
            "        answer = ask(messages)\n",
            "        try:\n            answer = ask(messages)\n"
            "        except ConnectionError:\n            break\n",
            "ask itself",
        ),
        (
            "run_call(call, tools) for",
            "run_call({**call, 'name': 'Fly'} if call['input'] =="
            " {'of': 'tomorrow'} else call, tools) for",
            "a tool that raises KeyError does exist",
        ),
    ),
)


class Task:
    """Behaves as an asyncio task does."""

    def __init__(self, state, texts):
        self.state = state
        self.texts = texts
        self.asked = 0

    def done(self):
        self.asked += 1
        if self.state == "running" and self.asked > 20:
            raise RuntimeError("done() was called again and again: don't wait")
        return self.state != "running"

    def cancelled(self):
        return self.state == "cancelled"

    def exception(self):
        if self.state == "running":
            raise InvalidStateError("Result is not ready.")
        if self.state == "cancelled":
            raise CancelledError
        return RuntimeError("no answer") if self.state == "failed" else None

    def result(self):
        if error := self.exception():
            raise error
        return list(self.texts)


def in_words(state, texts):
    return f"{state}({texts if texts else ''})"


def watch_ready(mine, states):
    """Return what was returned, and what is left in the list."""
    recalls = [Task(*each) for each in states]
    texts = mine(recalls)
    left = [in_words(each.state, each.texts) for each in recalls]
    return {"returns": texts, "recalls": left}


def ready_call(states):
    shown = ", ".join(in_words(*each) for each in states)
    return f"take_ready(recalls), with recalls = [{shown}]"


def recalls(rng):
    ferry, tabs = ("done", ["ferry"]), ("done", ["tabs", "sql"])
    running, slow = ("running", []), ("running", ["slow"])
    failed, cancelled = ("failed", []), ("cancelled", [])
    for rule, lists in (
        ("the list recalls itself is changed", ([ferry], [])),
        (
            "tasks that are still running stay in recalls, in the same order",
            ([running], [running, slow], [slow, ferry, running]),
        ),
        (
            "the strings are in the order of the tasks, in one list",
            ([tabs, running, ferry], [ferry, slow, tabs]),
        ),
        (
            "every task that has ended is removed, also the one after another",
            ([ferry, tabs], [ferry, ferry, tabs, running]),
        ),
        (
            "a task that failed is removed and gives no strings",
            ([failed], [failed, ferry], [ferry, failed, failed, running]),
        ),
        (
            "a task that was cancelled is removed and gives no strings",
            ([cancelled], [cancelled, ferry], [ferry, cancelled, slow]),
        ),
        (
            "a recall may have found nothing, or the same as another one",
            ([("done", []), ferry], [tabs, tabs], [("done", []), running]),
        ),
    ):
        for states in lists:
            yield Case((states,), rule)
    known = (ferry, tabs, ("done", []), running, slow, failed, cancelled)
    for _ in range(20):
        yield Case((rng.choices(known, k=rng.randint(1, 6)),))


take_ready = Gap(
    name="take_ready",
    place="memlab.recall.prefetch.take_ready",
    cases=recalls,
    watch=watch_ready,
    call=ready_call,
    hints=(
        "If you remove elements from a list while you loop over it, the loop"
        " skips some. Loop over a copy: `for recall in list(recalls):`.",
        "Ask in this order: is it done, was it cancelled, did it raise? Only"
        " then is `result()` safe.",
        "`CancelledError` is not a subclass of `Exception`, so `except"
        " Exception` doesn't catch it. Ask `recall.cancelled()` instead.",
    ),
    why="Every task that has ended leaves the list exactly once, so no memory"
    " is attached twice, and a failed recall is dropped without a trace in the"
    " turn.",
    wrong=(
        (
            "    for recall in list(recalls):",
            "    recalls = list(recalls)\n    for recall in list(recalls):",
            "the list recalls itself",
        ),
        ("in list(recalls)", "in recalls", "the one after another"),
        (
            "            continue\n",
            "            while not recall.done():\n                pass\n",
            "still running stay",
        ),
        ("            continue\n", "            break\n", "still running"),
        (
            "not recall.cancelled() and recall.exception() is None",
            "not recall.cancelled()",
            "a task that failed",
        ),
        (
            "        recalls.remove(recall)\n",
            "        if recall.cancelled() or not recall.exception():\n"
            "            recalls.remove(recall)\n",
            "a task that failed",
        ),
        ("not recall.cancelled() and ", "", "was cancelled"),
        ("texts += recall", "texts[:0] = recall", "in the order of the tasks"),
    ),
)
