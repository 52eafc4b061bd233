# message: the newest first
def my_undo_list(journal):
    gone = {j["undoes"] for j in journal}
    return [
        j["id"]
        for j in journal
        if j["id"] not in gone
        and j["who"] == "dream"
        and "" in j["removed"].values()
    ]
