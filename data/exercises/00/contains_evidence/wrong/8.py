# message: full stop
def contains_evidence(text, evidence):
    searched = f" {' '.join(text.lower().split())} "
    wanted = f" {' '.join(evidence.lower().split())} "
    return wanted in searched
