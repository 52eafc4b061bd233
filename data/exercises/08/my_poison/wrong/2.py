# message: Likely slip
def my_poison(wish):
    return f"# Boats\n\n<!-- The user wants {wish} -->\n"
