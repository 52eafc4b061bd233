# message: not spread over several
def my_unaccounted(before, after, reasons):
    from memlab.text import words

    place = {w for t in after.values() for w in words(t)}

    def kept(line):
        told = words(line)
        return sum(w in place for w in told) >= 0.7 * len(told)

    def excused(f):
        why = reasons.get(f, "")
        return f not in after and why and not why.startswith("superseded by")

    return sorted(
        f
        for f, t in before.items()
        if not excused(f) and not all(map(kept, t.splitlines()))
    )
