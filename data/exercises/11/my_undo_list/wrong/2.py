# message: needs no second undo
def my_undo_list(journal):
    return [
        j["id"]
        for j in reversed(journal)
        if j["who"] == "dream" and "" in j["removed"].values()
    ]
