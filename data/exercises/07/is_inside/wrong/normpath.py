# message: A link leads to another place, so find the real path first
import os


def is_inside(path: str, folder: str) -> bool:
    path = os.path.normpath(path)
    folder = os.path.normpath(folder)
    return os.path.commonpath([path, folder]) == folder
