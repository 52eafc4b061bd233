# message: expected False
def my_stands_in(text, evidence):
    return True
