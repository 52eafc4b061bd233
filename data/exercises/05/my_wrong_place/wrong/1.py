# message: changes in another line
def my_wrong_place(text, line):
    return text.split("\n")[line - 1]
