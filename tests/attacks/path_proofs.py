"""What shows that the label of a path case is true: each function says what is wrong, or nothing.

The path goes through what careless readers do to paths (``TRANSFORMS``) and is then joined and
opened without any check. A refused path must end somewhere it must not; an allowed one must end
inside, under the very name it has. Nothing outside the scratch directory is ever opened.
"""

from __future__ import annotations

import errno
import ntpath
import os
import pwd
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from urllib.parse import unquote

from memlab.evals.attacks import Tree, fill, set_up
from memlab.evals.labelled import Label

STORE_FOLDER, LOCK = ".memlab", ".consolidate-lock"
WINDOWS_DIRECTORY = "C:\\course\\memory"
DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])", re.IGNORECASE)
JOINED_PICTURES = re.compile(
    "(?<=[\U0001f300-\U0001faff\ufe0f])\u200d(?=[\u2640-\u2764\U0001f300-\U0001faff])"
)
NO_FILE = (
    *(errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EINVAL),
)
OVERLONG = {"%c0%ae": ".", "%c0%af": "/", "%c1%9c": "\\", "%e0%80%ae": "."}


def what_is_wrong(case: Label, tree: Tree, root: Path) -> str:
    """Try a case in the empty directory ``root`` and say why its label does not hold, if so."""
    directories = tree.make(root)
    set_up((fill(entry, directories) for entry in case.setup), directories["MEMORY"])
    path = fill(case.path, directories)
    after = path
    for name in case.after:
        after = TRANSFORMS[name](after, directories)
    if case.allow:
        return _misread(path, case, directories) or _not_usable(path, directories)
    return PROOFS[case.proof](path, after, case, directories)


def _escape(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    memory, root = directories["MEMORY"].resolve(), directories["ROOT"].resolve()
    if not _leads_out(after, memory):
        return f"{after!r} stays inside"
    target = Path(os.path.realpath(memory / after))
    if target.is_relative_to(root) and not target.is_dir() and "\0" not in after:
        before = _files(root)
        _write(target)
        touched = _files(root).items() - before.items()
        if not touched or any(Path(name).is_relative_to(memory) for name, _ in touched):
            return f"writing to {after!r} touched {touched}"
    return ""


def _internal(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    target = Path(os.path.realpath(directories["MEMORY"] / after))
    return "" if _is_internal(target, directories["MEMORY"].resolve()) else f"{after!r} is {target}"


def _twin(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    """Whether the path becomes what another name, or folder above it, of the tree becomes."""
    memory = directories["MEMORY"]
    names = {str(one.relative_to(memory)) for one in memory.rglob("*")}
    steps = [PurePath(path), *PurePath(path).parents]
    changed = [PurePath(after), *PurePath(after).parents]
    for raw, folded in zip(steps, changed, strict=False):
        for name in names - {str(raw)}:
            other = name
            for transform in case.after:
                other = TRANSFORMS[transform](other, directories)
            if other == str(folded) and str(raw) not in names:
                return ""
    return f"{after!r} is the name of nothing else"


def _split(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    return "" if after.count("/") > path.count("/") else f"{after!r} has no more parts"


def _windows(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    """Whether Windows takes the path for a place outside, a device or a part of another file."""
    after = after.removeprefix(f"{directories['MEMORY']}/")
    target = ntpath.normpath(ntpath.join(WINDOWS_DIRECTORY, after))
    inside = target.lower().startswith(WINDOWS_DIRECTORY.lower() + "\\")
    parts = re.split(r"[\\/]", after)
    device = any(DEVICES.fullmatch(part.partition(".")[0].rstrip(" ")) for part in parts)
    return "" if not inside or device or ":" in after else f"{target} is a file like any other"


def _display(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    """Whether a list with one name a line shows something else than the name."""
    shown = JOINED_PICTURES.sub("", path)
    invisible = any(unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp") for one in shown)
    return "" if invisible else f"{path!r} is shown as it is"


def _unopenable(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    try:
        # A pipe is opened without waiting; nothing is created and nothing is emptied.
        os.close(os.open(os.path.join(directories["MEMORY"], after), os.O_WRONLY | os.O_NONBLOCK))
    except ValueError:
        return ""
    except OSError as error:
        return "" if error.errno in NO_FILE else f"only {error}"
    return f"{after!r} can be opened"


def _race(path: str, after: str, case: Label, directories: Mapping[str, Path]) -> str:
    """Check, then turn the link, then open: the way of a naive guard and a patient attacker."""
    memory, outside = directories["MEMORY"].resolve(), directories["OUTSIDE"].resolve()
    if not Path(os.path.realpath(memory / path)).is_relative_to(memory):
        return f"{path!r} leads out before anybody turns it"
    before = _files(outside)
    for link in [one for one in memory.rglob("*") if one.is_symlink()]:
        ends_in_folder = link.is_dir()
        link.unlink()
        link.symlink_to(outside if ends_in_folder else outside / "secret.md")
    _write(memory / path)
    return "" if _files(outside) != before else f"{path!r} wrote nothing outside"


def _not_usable(path: str, directories: Mapping[str, Path]) -> str:
    memory, root = directories["MEMORY"].resolve(), directories["ROOT"].resolve()
    joined = Path(os.path.normpath(memory / path))
    if Path(os.path.realpath(joined)) != joined or not joined.is_relative_to(memory):
        return f"{path!r} leads to {os.path.realpath(joined)}"
    if _is_internal(joined, memory):
        return f"{path!r} belongs to the store"
    before = _files(root)
    _write(joined)
    touched = {name for name, _ in _files(root).items() - before.items()}
    if touched != {str(joined)} or joined.name not in os.listdir(joined.parent):
        return f"writing to {path!r} touched {touched}"
    return ""


def _misread(path: str, case: Label, directories: Mapping[str, Path]) -> str:
    """Say which careless reading, up to three of them in a row, makes harm of an allowed path."""
    memory = directories["MEMORY"].resolve()
    readings = {path}
    for _ in range(3):
        readings |= {read(one, directories) for one in readings for read in TRANSFORMS.values()}
    for after in sorted(readings):
        for proof in (_unopenable, _internal, _split, _windows, _display):
            if not proof(path, after, case, directories):
                return f"{after!r} would be refused for {proof.__name__}"
        if _leads_out(after, memory):
            return f"{after!r} leads out"
    for name in TRANSFORMS:
        same = Label({**case, "after": (name,)})
        if not _twin(path, TRANSFORMS[name](path, directories), same, directories):
            return f"{name} makes it another file's name"
    return ""


def _leads_out(path: str, memory: Path) -> bool:
    return not Path(os.path.realpath(memory / path)).is_relative_to(memory)


def _is_internal(target: Path, memory: Path) -> bool:
    inside = target.relative_to(memory).parts if target.is_relative_to(memory) else ()
    return bool(inside) and inside[0] in (STORE_FOLDER, LOCK)


def _write(path: Path) -> None:
    """Write as somebody who checks nothing, making the folders that a link leads to."""
    Path(os.path.realpath(path.parent)).mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write("written\n")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def _expanduser(path: str, directories: Mapping[str, Path]) -> str:
    if not path.startswith("~"):
        return path
    name, slash, rest = path[1:].partition("/")
    try:
        home = pwd.getpwnam(name).pw_dir if name else str(directories["ROOT"] / "home")
    except KeyError:
        return path
    return home + slash + rest


def _strip_ends(path: str, directories: Mapping[str, Path]) -> str:
    """Drop dots and blanks at the end of each part; what is nothing but dots steps up."""
    parts = [part if part in ("", ".") else _stripped(part) for part in path.split("/")]
    return "/".join(parts)


def _stripped(part: str) -> str:
    bare = part.rstrip(" .")
    return bare if bare or ".." not in part else ".."


def _overlong(path: str, directories: Mapping[str, Path]) -> str:
    for encoded, character in OVERLONG.items():
        path = path.replace(encoded, character)
    return path


def _without(*categories: str) -> Callable[[str, Mapping[str, Path]], str]:
    return lambda path, directories: "".join(
        one for one in path if unicodedata.category(one) not in categories
    )


TRANSFORMS: dict[str, Callable[[str, Mapping[str, Path]], str]] = {
    "unquote": lambda path, directories: unquote(path),
    "percent_u": lambda path, directories: re.sub(
        "%u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), path
    ),
    "overlong": _overlong,
    "nfkc": lambda path, directories: unicodedata.normalize("NFKC", path),
    "casefold": lambda path, directories: path.casefold(),
    "backslashes": lambda path, directories: path.replace("\\", "/"),
    "strip": lambda path, directories: path.strip(),
    "strip_ends": _strip_ends,
    "strip_controls": _without("Cc"),
    "strip_invisible": _without("Cf"),
    "cut_at_nul": lambda path, directories: re.sub("\0[^/]*", "", path),
    "expanduser": _expanduser,
    "file_url": lambda path, directories: path.removeprefix("file://"),
}
Proof = Callable[[str, str, Label, Mapping[str, Path]], str]
PROOFS: dict[str, Proof] = {
    "escape": _escape,
    "internal": _internal,
    "twin": _twin,
    "split": _split,
    "windows": _windows,
    "display": _display,
    "unopenable": _unopenable,
    "race": _race,
}
