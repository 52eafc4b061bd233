# message: None
def my_contains_evidence(text, evidence):
    pass
