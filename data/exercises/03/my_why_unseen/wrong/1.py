# message: beyond the cap
def my_why_unseen(files, name, limit):
    for known, _, can in files:
        if known == name:
            return "seen" if can else "not readable"
    return "no such file"
