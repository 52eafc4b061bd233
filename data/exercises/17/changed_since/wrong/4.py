# message: Without the position, all files are indexed again
def changed_since(
    journal: list[tuple[str, list[str]]], position: str, files: list[str]
) -> list[str]:
    names: set[str] = set()
    if position == "":
        start = 0
        names.update(files)
    else:
        start = [change for change, _ in journal].index(position) + 1
    for _, changed in journal[start:]:
        names.update(changed)
    return sorted(names)
