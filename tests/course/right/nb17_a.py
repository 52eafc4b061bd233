from collections.abc import Callable, Iterable


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


def rare_terms(containing: dict[str, int], most: int) -> list[str]:
    rarest_first = sorted((count, term) for term, count in containing.items())
    kept = []
    total = 0
    for count, term in rarest_first:
        if count == 0:
            continue
        total += count
        if kept and total > most:
            break
        kept.append(term)
    return kept
