# message: nobody who counts
def my_writer(journal, file):
    who = [
        e["who"] for e in journal if e["file"] == file and e["what"] == "write"
    ]
    return who[-1] if who else ""
