# message: line end
def my_smuggled_description(file):
    return f"- {file}"
