# message: as the task says
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(name="messages", question="10?", cost={}, ask=ask)
    return [*gates[:-1], row, gates[-1]]
