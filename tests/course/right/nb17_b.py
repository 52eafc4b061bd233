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
    show, again, forget = [], [], []
    for file, stamp in proposed:
        now = stat(file)
        if now is None:
            forget.append(file)
            continue
        show.append(file)
        if now != stamp:
            again.append(file)
        if len(show) == most:
            break
    return {"show": show, "index_again": again, "forget": forget}
