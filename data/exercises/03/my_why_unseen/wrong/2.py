# message: can be read
def my_why_unseen(files, name, limit):
    return "too old"
