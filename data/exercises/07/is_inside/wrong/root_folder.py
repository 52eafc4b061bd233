# message: Every path is below '/'
import os


def is_inside(path: str, folder: str) -> bool:
    path = os.path.realpath(path)
    folder = os.path.realpath(folder)
    return path == folder or path.startswith(folder + "/")
