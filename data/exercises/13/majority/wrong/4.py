# message: More than half of the answers have to be correct
def majority(votes: list[bool]) -> bool:
    if not votes:
        return False
    return sum(votes) * 3 >= len(votes) * 2
