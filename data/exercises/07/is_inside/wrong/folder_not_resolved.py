# message: Find the real path of the folder, too
import os


def is_inside(path: str, folder: str) -> bool:
    real = os.path.realpath(path)
    folder = folder.rstrip("/")
    return real == folder or real.startswith(folder + "/")
