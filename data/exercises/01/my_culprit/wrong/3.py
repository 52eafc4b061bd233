# message: very file
def my_culprit(journal, file):
    return "nobody"
