# message: A tie counts as wrong
def majority(votes: list[bool]) -> bool:
    if not votes:
        return False
    right = votes.count(True)
    wrong = votes.count(False)
    if right == wrong:
        return votes[-1]
    return right > wrong
