# message: 300 characters
def my_flooding_line(queries, rivals):
    return " ".join(queries * 9)
