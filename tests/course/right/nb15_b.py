import re


def has_conflict(text: str) -> bool:
    steps = [
        lambda line: line.startswith("<" * 7 + " "),
        lambda line: line == "=" * 7,
        lambda line: line.startswith(">" * 7 + " "),
    ]
    for line in re.split("\r?\n", text):
        if steps and steps[0](line):
            steps.pop(0)
    return not steps


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
