def my_unaccounted(before: dict, after: dict, reasons: dict) -> list:
    from memlab.text import words

    places = [set(words(text)) for text in after.values()]

    def kept(line):
        told = words(line)
        return any(
            sum(word in place for word in told) >= 0.7 * len(told)
            for place in places
        )

    def excused(file):
        reason = reasons.get(file, "")
        return (
            file not in after
            and reason
            and not reason.startswith("superseded by")
        )

    return sorted(
        file
        for file, text in before.items()
        if not excused(file)
        and not all(kept(line) for line in text.splitlines() if line.strip())
    )
