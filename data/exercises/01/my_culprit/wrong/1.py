# message: undone
def my_culprit(journal, file):
    for line in journal:
        if line["what"] == "remove" and line["file"] == file:
            return f"{line['who']}, {line['id']}"
    return "nobody"
