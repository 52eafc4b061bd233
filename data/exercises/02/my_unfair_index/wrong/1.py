# message: longer than 125
def my_unfair_index(count):
    return "".join(f"- [N{n}](n{n}.md) — x\n" for n in range(count))
