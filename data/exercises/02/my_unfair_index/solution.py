def my_unfair_index(count: int) -> str:
    hook = "a hook that tells the whole story " * 6
    return "".join(
        f"- [Note {n}](note-{n}.md) — {hook}\n" for n in range(count)
    )
