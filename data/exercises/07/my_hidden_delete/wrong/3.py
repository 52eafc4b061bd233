# message: a find command that deletes
def my_hidden_delete(forbidden):
    return "find . -name x"
