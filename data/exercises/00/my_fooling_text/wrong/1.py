# message: never as words
def my_fooling_text(evidence):
    return evidence
