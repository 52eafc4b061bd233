# message: Compare whole names: only the current session itself does not count
def count_sessions(files, last, current):
    count = 0
    for name, time in files:
        stem, *_, suffix = name.split(".") if "." in name else (name, "")
        if (
            suffix == "jsonl"
            and stem != current
            and (last is None or time > last)
        ):
            count += 1
    return count
