import os
from pathlib import PurePath


def is_inside(path: str, folder: str) -> bool:
    place = PurePath(os.path.realpath(path))
    return place.is_relative_to(os.path.realpath(folder))
