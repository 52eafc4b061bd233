# message: a reserved stem
import re


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "note"
    used = {other.lower() for other in taken}
    if name.lower() in reserved:
        used.add(stem)
    number = 1
    result = stem
    while result in used:
        number += 1
        result = f"{stem}-{number}"
    return result
