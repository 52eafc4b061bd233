# message: as the task says
from memlab.dream.gates import Gate


def add_gate(gates, ask):
    row = Gate(
        name="messages",
        question="10?",
        cost={"reads": 1},
        ask=lambda situation: ask,
    )
    return [*gates[:-1], row, gates[-1]]
