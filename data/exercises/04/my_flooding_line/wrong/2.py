# message: one line
def my_flooding_line(queries, rivals):
    return "\n".join(queries)
