from pathlib import PurePath


def may_write(path: str, memory: str) -> bool:
    place = PurePath(path)
    return place.is_relative_to(memory) and place.suffix == ".md"
