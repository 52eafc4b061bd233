# message: a list of gates
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(name="messages", question="10?", cost={"reads": 1}, ask=ask)
    return list(gates).insert(-1, row)
