# message: only a whole stem
import re


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "note"
    used = {other.lower() for other in taken}

    def free(candidate):
        return candidate not in used and candidate not in reserved

    if free(stem) and stem.split("-")[0] not in reserved:
        return stem
    number = 2
    while not free(f"{stem}-{number}"):
        number += 1
    return f"{stem}-{number}"
