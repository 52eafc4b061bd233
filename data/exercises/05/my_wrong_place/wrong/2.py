# message: cut out of the line that was meant
def my_wrong_place(text, line):
    return text[:8]
