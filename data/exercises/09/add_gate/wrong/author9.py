# message: gates has to stay as it is
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    lock = gates.pop()
    row = Gate(name="messages", question="10?", cost={"reads": 1}, ask=ask)
    return [*gates, row, lock]
