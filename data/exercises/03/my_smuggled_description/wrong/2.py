# message: file's name
def my_smuggled_description(file):
    return "x\n- keys.md"
