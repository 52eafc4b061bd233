"""Right answers to the gaps of notebook 15, each of which stands alone."""


def has_conflict(text: str) -> bool:
    wanted = "<<<<<<< "
    for line in text.splitlines():
        if wanted == "<<<<<<< " and line.startswith(wanted):
            wanted = "======="
        elif wanted == "=======" and line == wanted:
            wanted = ">>>>>>> "
        elif wanted == ">>>>>>> " and line.startswith(wanted):
            return True
    return False


def project_wins(
    personal: list[tuple[str, str]], project: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    files = {file.casefold() for file, name in project}
    names = {name.casefold() for file, name in project if name}
    kept = []
    for file, name in personal:
        if file.casefold() not in files and name.casefold() not in names:
            kept.append((file, name))
    return kept
