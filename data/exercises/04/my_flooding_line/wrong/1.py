# message: ranks first for every query
def my_flooding_line(queries, rivals):
    return queries[0]
