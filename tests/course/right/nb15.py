"""Right answers to the gaps of notebook 15, written from its text alone."""


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
    taken = set()
    for file, name in project:
        taken.add(("file", file.casefold()))
        if name:
            taken.add(("name", name.casefold()))
    left = []
    for file, name in personal:
        keys = {("file", file.casefold()), ("name", name.casefold())}
        if not keys & taken:
            left.append((file, name))
    return left
