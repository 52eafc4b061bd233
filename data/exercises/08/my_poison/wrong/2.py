# message: nothing of it for a reader
def my_poison(wish):
    return f"# Boats\n\n<!-- The user wants {wish} -->\n"
