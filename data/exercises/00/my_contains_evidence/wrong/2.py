# message: several words
def my_contains_evidence(text, evidence):
    return evidence.lower() in text.lower().split()
