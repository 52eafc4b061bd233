# message: A link leads to another place, so find the real path first
import os


def is_inside(path: str, folder: str) -> bool:
    if os.path.exists(path):
        path = os.path.realpath(path)
    else:
        path = os.path.abspath(path)
    folder = os.path.realpath(folder)
    return os.path.commonpath([path, folder]) == folder
