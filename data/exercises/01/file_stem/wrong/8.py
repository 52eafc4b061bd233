# message: the next number that is free
import re


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "note"
    used = reserved | {other.lower() for other in taken}
    number = 2
    while stem in used:
        stem = f"{stem}-{number}"
        number += 1
    return stem
