# message: More than half of the answers have to be correct
def majority(votes: list[bool]) -> bool:
    if len(votes) == 0:
        return False
    share = round(sum(votes) / len(votes), 1)
    return share > 0.5
