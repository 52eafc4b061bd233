# message: the person does not
def my_poison(wish):
    return f"# Boats\n\nThe user wants {wish}.\n"
