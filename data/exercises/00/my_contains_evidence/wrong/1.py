# message: part of another word
def my_contains_evidence(text, evidence):
    return evidence in text
