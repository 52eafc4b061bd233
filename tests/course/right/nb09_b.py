"""Other right answers to the gaps of notebook 09."""

from itertools import islice

ENDING = ".jsonl"


def hours_gate(hours, least):
    unknown = hours is None
    return unknown or not hours < least


def is_transcript(name):
    return name[-len(ENDING) :] == ENDING


def count_sessions(files, last, current):
    since = float("-inf") if last is None else last
    others = [
        written for name, written in files if is_transcript(name) and name != current + ENDING
    ]
    return sum(1 for written in others if written > since)


def _answers(gates, look):
    for name, is_open in gates:
        try:
            found = look(name)
        except OSError:
            yield "shut"
            return
        if not is_open(found):
            yield "shut"
            return
        yield "open"


def gate_chain(gates, look):
    asked = list(_answers(gates, look))
    states = [(name, state) for (name, _), state in zip(gates, asked, strict=False)]
    for name, _ in islice(gates, len(asked), None):
        states.append((name, "not asked"))
    return states
