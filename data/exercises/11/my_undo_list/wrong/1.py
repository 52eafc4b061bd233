# message: only those without a reason
def my_undo_list(journal):
    return [
        j["id"]
        for j in reversed(journal)
        if j["who"] == "dream" and j["removed"]
    ]
