# message: None
def contains_evidence(text, evidence):
    pass
