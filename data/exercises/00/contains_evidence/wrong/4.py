# message: expected False
def contains_evidence(text, evidence):
    return True
