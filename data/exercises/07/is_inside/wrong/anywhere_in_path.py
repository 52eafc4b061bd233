# message: The path has to begin with the folder: later names don't count
import os


def is_inside(path: str, folder: str) -> bool:
    path = os.path.realpath(path) + "/"
    folder = os.path.realpath(folder) + "/"
    return folder in path
