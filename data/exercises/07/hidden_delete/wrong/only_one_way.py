# message: is forbidden
def hidden_delete(forbidden):
    return 'find . -d"elet"e'
