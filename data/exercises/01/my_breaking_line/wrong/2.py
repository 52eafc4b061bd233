# message: good YAML
def my_breaking_line(key):
    return f"{key}: a: b"
