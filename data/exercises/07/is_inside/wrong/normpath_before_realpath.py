# message: What '..' means after a link depends on where the link leads
import os


def is_inside(path: str, folder: str) -> bool:
    path = os.path.realpath(os.path.normpath(path))
    folder = os.path.realpath(os.path.normpath(folder))
    return os.path.commonpath([path, folder]) == folder
