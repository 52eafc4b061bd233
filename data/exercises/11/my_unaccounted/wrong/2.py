# message: is a claim
def my_unaccounted(before, after, reasons):
    from memlab.text import words

    places = [set(words(t)) for t in after.values()]

    def kept(line):
        told = words(line)
        return any(
            sum(w in p for w in told) >= 0.7 * len(told) for p in places
        )

    return sorted(
        f
        for f, t in before.items()
        if not reasons.get(f) and not all(map(kept, t.splitlines()))
    )
