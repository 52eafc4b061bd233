# message: A link that leads back into the folder is fine
import os


def is_inside(path: str, folder: str) -> bool:
    if os.path.islink(path):
        return False
    path = os.path.realpath(path)
    folder = os.path.realpath(folder)
    return os.path.commonpath([path, folder]) == folder
