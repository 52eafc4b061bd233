# message: gets wrong
def my_breaking_line(key):
    return f"{key}: plain"
