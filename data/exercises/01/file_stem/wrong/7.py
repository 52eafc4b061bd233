# message: the next number that is free
import re


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "note"
    if stem in reserved:
        return stem + "-2"
    others = {other.lower() for other in taken}
    if stem not in others:
        return stem
    number = 2
    while f"{stem}-{number}" in others:
        number += 1
    return f"{stem}-{number}"
