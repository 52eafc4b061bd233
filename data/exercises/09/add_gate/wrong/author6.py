# message: after sessions and before lock
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(name="messages", question="10?", cost={"reads": 1}, ask=ask)
    rows = []
    for gate in gates:
        if gate.name == "sessions":
            rows.append(row)
        rows.append(gate)
    return rows
