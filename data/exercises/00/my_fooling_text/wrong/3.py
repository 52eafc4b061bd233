# message: letter for letter
def my_fooling_text(evidence):
    return "s" + evidence.upper()
