def my_undo_list(journal: list[dict]) -> list[str]:
    undone = {line["undoes"] for line in journal}
    return [
        line["id"]
        for line in reversed(journal)
        if line["who"] == "dream"
        and line["id"] not in undone
        and "" in line["removed"].values()
    ]
