from collections.abc import Callable, Iterable


def check_candidates(
    proposed: Iterable[tuple[str, tuple[int, int]]],
    stat: Callable[[str], tuple[int, int] | None],
    most: int,
) -> dict[str, list[str]]:
    show, index_again, forget = [], [], []
    for file, indexed in proposed:
        now = stat(file)
        if now is None:
            forget.append(file)
            continue
        show.append(file)
        if now != indexed:
            index_again.append(file)
        if len(show) == most:
            break
    return {"show": show, "index_again": index_again, "forget": forget}


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
