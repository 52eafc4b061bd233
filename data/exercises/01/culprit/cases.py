from __future__ import annotations

from random import Random

from memlab.course.exercise import Case, case

Line = dict[str, str]

_LAST = "only the last change of this file says whether it is there now"
_FILE = "lines about other files don't count"
_NOBODY = "a file that the journal does not mention was not lost"
_WRITERS = ("user", "main agent", "extractor", "dream")


def _journal(*changes: tuple[str, str, str, str]) -> list[Line]:
    lines = []
    for number, (who, file, before, after) in enumerate(changes, 1):
        line = {"id": f"change-{number:04d}", "who": who, "file": file}
        lines.append(line | {"before": before, "after": after})
    return lines


def cases(random: Random) -> list[Case]:
    """Give journals in which a file was lost, or not."""
    new = ("main agent", "tabs.md", "", "9f2c")
    edit = ("user", "tabs.md", "9f2c", "11aa")
    lost = ("dream", "tabs.md", "9f2c", "")
    back = ("user", "tabs.md", "", "9f2c")
    other = ("extractor", "ferry.md", "77ab", "")
    gone = ("extractor", "tabs.md", "9f2c", "")
    unmade = ("user", "tabs.md", "9f2c", "")
    found = [
        case((_journal(*changes), "tabs.md"), wanted, slip)
        for changes, wanted, slip in (
            ((new, lost), "dream, change-0002", _LAST),
            ((new,), "nobody", _LAST),
            ((), "nobody", _NOBODY),
            ((other,), "nobody", _FILE),
            ((new, edit), "nobody", _LAST),
            ((new, lost, back), "nobody", _LAST),
            ((new, lost, back, gone), "extractor, change-0004", _LAST),
            ((new, lost, other), "dream, change-0002", _FILE),
            ((new, other), "nobody", _FILE),
            ((new, unmade), "user, change-0002", _LAST),
            ((lost,), "dream, change-0001", _LAST),
            ((other, new, lost, back, edit), "nobody", _LAST),
        )
    ]
    for _ in range(14):
        found.append(_random_case(random))
    return found


def _random_case(random: Random) -> Case:
    files = ["tabs.md", "ferry.md", "tabs-2.md"]
    content = {file: "" for file in files}
    blame = {file: "nobody" for file in files}
    changes = []
    for number in range(1, random.randint(4, 14)):
        file = random.choice(files)
        who = random.choice(_WRITERS)
        is_removed = content[file] and random.random() < 0.5
        after = "" if is_removed else f"{random.getrandbits(16):04x}"
        changes.append((who, file, content[file], after))
        content[file] = after
        blame[file] = "nobody" if after else f"{who}, change-{number:04d}"
    file = random.choice(files)
    return case((_journal(*changes), file), blame[file], f"{_LAST}; {_FILE}")
