# message: several words
def my_stands_in(text, evidence):
    return evidence.lower() in text.lower().split()
