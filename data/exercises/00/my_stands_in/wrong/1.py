# message: part of another word
def my_stands_in(text, evidence):
    return evidence in text
