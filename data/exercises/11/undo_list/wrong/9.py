# message: their order is not


def undo_list(journal: list[dict]) -> list[str]:
    by_id = {change["id"]: change for change in journal}
    todo = []

    def on(change):
        if change["undoes"]:
            off(by_id[change["undoes"]])
        if change["who"] == "dream" and "" in change["removed"].values():
            todo.insert(0, change["id"])

    def off(change):
        if change["undoes"]:
            on(by_id[change["undoes"]])
        if change["id"] in todo:
            todo.remove(change["id"])

    for change in journal:
        on(change)
    return todo
