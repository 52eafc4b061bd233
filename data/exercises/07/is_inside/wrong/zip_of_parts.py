# message: The folder above is not inside
import os


def is_inside(path: str, folder: str) -> bool:
    path_names = os.path.realpath(path).split("/")
    folder_names = os.path.realpath(folder).split("/")
    return all(a == b for a, b in zip(path_names, folder_names))
