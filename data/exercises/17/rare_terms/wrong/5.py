# message: A term that no memory contains is left out
def rare_terms(containing: dict[str, int], most: int) -> list[str]:
    known = sorted(
        (term for term in containing if containing[term]),
        key=lambda term: (containing[term], term),
    )
    taken = [known[0]]
    total = containing[known[0]]
    for term in known[1:]:
        total += containing[term]
        if total > most:
            break
        taken.append(term)
    return taken
