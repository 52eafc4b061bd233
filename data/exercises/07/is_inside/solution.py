from pathlib import PurePath


def is_inside(path: str, folder: str) -> bool:
    return PurePath(path).is_relative_to(folder)
