# message: More than half of the answers have to be correct
def majority(votes: list[bool]) -> bool:
    correct = 0
    for vote in votes:
        if vote:
            correct += 1
    return correct >= 2
