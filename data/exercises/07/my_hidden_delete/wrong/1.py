# message: quotes and backslashes vanish
def my_hidden_delete(forbidden):
    return "find . -delete"
