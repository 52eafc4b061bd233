"""Right answers to the gaps of notebook 17, written from its text alone."""

from collections.abc import Callable, Iterable


def rare_terms(containing: dict[str, int], most: int) -> list[str]:
    queue = sorted((count, term) for term, count in containing.items() if count > 0)
    chosen = []
    total = 0
    for count, term in queue:
        total += count
        if total > most and chosen:
            break
        chosen.append(term)
        if total > most:
            break
    return chosen


def check_candidates(
    proposed: Iterable[tuple[str, tuple[int, int]]],
    stat: Callable[[str], tuple[int, int] | None],
    most: int,
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"show": [], "index_again": [], "forget": []}
    candidates = iter(proposed)
    while len(found["show"]) < most:
        file, indexed = next(candidates, ("", None))
        if not file:
            return found
        now = stat(file)
        found["forget" if now is None else "show"].append(file)
        if now is not None and now != indexed:
            found["index_again"].append(file)
    return found
