# message: longer word
def my_fooling_text(evidence):
    return "stabs"
