# message: after sessions and before lock
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(name="messages", question="10?", cost={"reads": 1}, ask=ask)
    return [*gates, row]
