# message: Only a name that ends in .jsonl, in small letters, is a transcript
def count_sessions(files, last, current):
    names = [
        name.lower() for name, time in files if last is None or time > last
    ]
    return sum(
        n.endswith(".jsonl") and n != current.lower() + ".jsonl" for n in names
    )
