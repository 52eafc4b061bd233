# message: gates has to stay as it is
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(name="messages", question="10?", cost={"reads": 1}, ask=ask)
    gates.insert(len(gates) - 1, row)
    return gates
