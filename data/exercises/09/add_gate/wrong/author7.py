# message: as the task says
def add_gate(gates, ask):
    row = ("messages", "Has a person typed 10 messages?", {"reads": 1}, ask)
    return [*gates[:-1], row, gates[-1]]
