# message: 8 characters
def my_wrong_place(text, line):
    return text.split("\n")[line - 1][:4]
