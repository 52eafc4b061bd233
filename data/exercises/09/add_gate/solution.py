from memlab.dream.gates import Gate


def add_gate(gates: list, ask) -> list:
    row = Gate(
        name="messages",
        question="Has a person typed 10 messages since then?",
        cost={"reads": 1},
        ask=ask,
    )
    before_lock = len(gates) - 1
    return [*gates[:before_lock], row, *gates[before_lock:]]
