from pathlib import PurePath


def may_write(path: str, memory: str) -> bool:
    place = PurePath(path)
    if not place.is_relative_to(memory) or place.suffix != ".md":
        return False
    below = place.relative_to(memory).parts
    return not any(part.startswith(".") for part in below)
