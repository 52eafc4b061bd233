# message: A case without answers counts as wrong
def majority(votes: list[bool]) -> bool:
    if not votes:
        # nothing went wrong
        return True
    return sum(votes) * 2 > len(votes)
