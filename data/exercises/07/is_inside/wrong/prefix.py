# message: Compare whole names
import os


def is_inside(path, folder):
    return os.path.realpath(path).startswith(os.path.realpath(folder))
