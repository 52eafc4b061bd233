# message: The file has to be below the memory directory
import os


def may_write(path: str, memory: str) -> bool:
    real = os.path.realpath(path)
    root = os.path.realpath(memory)
    if not real.startswith(root) or real == root:
        return False
    between = real[len(root) :].split("/")
    return (
        ".memlab" not in between
        and len(between[-1]) > 3
        and real.endswith(".md")
    )
