# message: Compare whole names: only the current session itself does not count
def count_sessions(files, last, current):
    return len(
        [
            name
            for name, time in files
            if name.endswith(".jsonl")
            and not name.startswith(current)
            and (last is None or time > last)
        ]
    )
