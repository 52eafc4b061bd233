# message: holds no forbidden text
def my_hidden_delete(forbidden):
    return 'find . -d"elet"e'
