# message: '..notes.md' is a name
import os


def is_inside(path: str, folder: str) -> bool:
    relative = os.path.relpath(
        os.path.realpath(path), os.path.realpath(folder)
    )
    return not relative.startswith("..")
