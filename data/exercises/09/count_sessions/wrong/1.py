# message: 0.0 is a time like any other, and only None means that no dream is known
def count_sessions(files, last, current):
    return sum(
        name.endswith(".jsonl")
        and name != current + ".jsonl"
        and (not last or time > last)
        for name, time in files
    )
