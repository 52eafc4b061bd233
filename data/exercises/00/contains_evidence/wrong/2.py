# message: several words
def contains_evidence(text, evidence):
    return evidence.lower() in text.lower().split()
