# message: expected one line
def my_breaking_line(key):
    return "name: http://x"
