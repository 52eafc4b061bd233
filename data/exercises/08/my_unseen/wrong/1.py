# message: looked at again by a later run
def my_unseen(events):
    return [
        n
        for e in events
        if e["name"] == "extract_failed"
        for n in range(e["first"], e["last"] + 1)
    ]
