# message: expected False
def my_contains_evidence(text, evidence):
    return True
