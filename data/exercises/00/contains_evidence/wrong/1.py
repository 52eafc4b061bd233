# message: part of another word
def contains_evidence(text, evidence):
    return evidence in text
