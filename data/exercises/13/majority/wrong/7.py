# message: More than half of the answers have to be correct
def majority(votes: list[bool]) -> bool:
    if len(votes) < 2:
        return False
    correct = sum(votes)
    return correct > len(votes) - correct
