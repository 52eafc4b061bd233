# message: returned once
from itertools import groupby


def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    return [
        name
        for name, _ in groupby(name for name in names if name not in shown)
    ]
