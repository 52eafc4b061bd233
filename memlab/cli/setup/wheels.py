"""A folder of wheels from which ``.venv`` can be made without a network.

The lock file says which wheels belong in it. Since one folder may serve
several systems and Python versions, the conditions of the lock file and the
names of the wheels are read here, for any of them: pip evaluates a condition
for the Python that it runs on, whatever Python it downloads for.
"""

from __future__ import annotations

import ast
import hashlib
import operator
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memlab.cli.setup.console import COMMAND, Activity, Problem
from memlab.cli.setup.packages import python_version

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""The versions of Python for which the course's packages have wheels."""

_ENTRY = re.compile(
    r"([A-Za-z0-9][\w.-]*)==([^\s;\\]+)\s*(?:;\s*(.*?))?\s*\\?$"
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]+)")
_WHEEL = re.compile(
    r"([^-]+)-([^-]+)(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl"
)
_NUMBER = re.compile(r"\d+")
_COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_BLOCK = 1 << 20
_NAMED = 3


@dataclass(frozen=True)
class Platform:
    """An operating system on one kind of processor, and which wheels it
    accepts.
    """

    name: str
    sys_platform: str
    machine: str
    os_name: str
    tags: tuple[str, ...]
    """What pip is asked for; the first tag for which a package has a wheel
    counts, so the oldest systems come first.
    """
    accepted: str
    """A pattern for the last part of a wheel's name."""


def _linux(machine: str) -> Platform:
    old = ("manylinux1", "manylinux2010") if machine == "x86_64" else ()
    glibc = [f"manylinux_2_{minor}" for minor in (17, 24, 26, 27, 28)]
    return Platform(
        f"linux-{machine}",
        "linux",
        machine,
        "posix",
        tuple(f"{tag}_{machine}" for tag in (*old, "manylinux2014", *glibc)),
        rf"(many)?linux\w*_{machine}",
    )


def _macos(machine: str) -> Platform:
    return Platform(
        f"macos-{machine}",
        "darwin",
        machine,
        "posix",
        (f"macosx_11_0_{machine}",),
        rf"macosx_\d+_\d+_({machine}|universal2)",
    )


PLATFORMS = {
    each.name: each
    for each in (
        _linux("x86_64"),
        _linux("aarch64"),
        _macos("arm64"),
        _macos("x86_64"),
        Platform(
            "windows-amd64",
            "win32",
            "AMD64",
            "nt",
            ("win_amd64",),
            "win_amd64",
        ),
    )
}


@dataclass(frozen=True)
class Target:
    """A platform with a Python, for which wheels are looked for."""

    platform: Platform
    python: str
    """The minor version, such as ``3.12``."""
    releases: tuple[str, ...]
    """What the lock file's conditions are evaluated for: the exact version,
    or, where it is not known, the oldest and the newest that there may be.
    """

    def __str__(self) -> str:
        return f"{self.platform.name} with Python {self.python}"


@dataclass(frozen=True)
class Locked:
    """One entry of a lock file."""

    name: str
    version: str
    marker: str
    hashes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    def applies(self, target: Target) -> bool:
        """Tell whether the entry is installed there."""
        return not self.marker or any(
            _holds(self.marker, target.platform, release)
            for release in target.releases
        )


def target_for(platform: Platform, python: str) -> Target:
    """Return a target of which only the minor version is known."""
    return Target(platform, python, (f"{python}.0", f"{python}.99"))


def this_platform() -> Platform:
    """Return the platform of the running Python; raises ``Problem`` if the
    course's packages have no wheels for it.
    """
    machine = platform.machine()
    for each in PLATFORMS.values():
        if (each.sys_platform, each.machine) == (sys.platform, machine):
            return each
    raise Problem(
        f"the course's packages have no wheels for this machine"
        f" ({sys.platform}, {machine}), only for {', '.join(PLATFORMS)}"
    )


def this_target() -> Target:
    """Return the running Python as a target."""
    release = ".".join(map(str, sys.version_info[:3]))
    return Target(this_platform(), python_version(), (release,))


def read_lock(lock: Path) -> list[Locked]:
    """Read a lock file's entries."""
    entries: list[Locked] = []
    for line in lock.read_text("utf-8").splitlines():
        match = _ENTRY.match(line)
        if match:
            entries.append(
                Locked(match[1], match[2], match[3] or "", frozenset())
            )
        elif entries and (found := _HASH.search(line)):
            last = entries[-1]
            hashes = last.hashes | {found[1]}
            entries[-1] = Locked(last.name, last.version, last.marker, hashes)
    return entries


def needed(lock: Path, target: Target) -> list[Locked]:
    """List the entries of a lock file that are installed on a target."""
    return [entry for entry in read_lock(lock) if entry.applies(target)]


def wheels_in(folder: Path) -> list[str]:
    """List the names of all wheels in a folder."""
    return sorted(path.name for path in folder.glob("*.whl"))


def fitting(wheels: Iterable[str], entry: Locked, target: Target) -> list[str]:
    """Select the wheels of an entry that a target can install."""
    return [name for name in wheels if _fits(name, entry, target)]


def complete(folder: Path, lock: Path) -> list[Target]:
    """List the targets for which a folder has every wheel; goes by the names
    alone.
    """
    wheels = wheels_in(folder)
    targets = [
        target_for(platform, python)
        for platform in PLATFORMS.values()
        for python in PYTHONS
    ]
    return [
        target
        for target in targets
        if all(
            fitting(wheels, entry, target) for entry in needed(lock, target)
        )
    ]


def describe(targets: Sequence[Target]) -> str:
    """Say in words which targets these are, by platform."""
    pythons: dict[str, list[str]] = {}
    for target in targets:
        pythons.setdefault(target.platform.name, []).append(target.python)
    return "; ".join(
        f"{name} with Python {', '.join(versions)}"
        for name, versions in pythons.items()
    )


def is_locked(wheel: Path, entry: Locked) -> bool:
    """Tell whether a file is one that the lock file allows, by its hash."""
    digest = hashlib.sha256()
    with wheel.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() in entry.hashes


def check(folder: Path, lock: Path) -> None:
    """See that a folder has every wheel that this Python needs, undamaged;
    raises ``Problem``.
    """
    target = this_target()
    entries = needed(lock, target)
    wheels = wheels_in(folder)
    missing = [
        entry for entry in entries if not fitting(wheels, entry, target)
    ]
    if missing:
        raise _incomplete(folder, lock, target, missing)
    activity = Activity(f"checking {len(entries)} wheels in {folder}")
    try:
        for entry in entries:
            for name in fitting(wheels, entry, target):
                activity.show(name)
                if not is_locked(folder / name, entry):
                    raise Problem(
                        f"{folder / name} is damaged, or is not the file that"
                        " the course was tested with: its hash differs from"
                        " the one in the lock file. Nothing was installed."
                        " Copy the file again, or repair the folder, where"
                        f" there is a network, with: {_bundle(folder, target)}"
                    )
    finally:
        activity.clear()


def _incomplete(
    folder: Path, lock: Path, target: Target, missing: list[Locked]
) -> Problem:
    if not wheels_in(folder):
        return Problem(
            f"{folder} has no wheels. Name the folder that was made with"
            f" {COMMAND} bundle"
        )
    others = complete(folder, lock)
    make = (
        "where there is a network, add what is missing with:"
        f" {_bundle(folder, target)}"
    )
    if not others or target.python in [
        each.python for each in others if each.platform == target.platform
    ]:
        names = ", ".join(map(str, missing[:_NAMED]))
        more = len(missing) - _NAMED
        return Problem(
            f"{folder} lacks {len(missing)} of the wheels for {target}:"
            f" {names}{f' and {more} more' if more > 0 else ''}. Copy the"
            " folder again, and see that it was made with this version of the"
            f" course; or, {make}"
        )
    same = [each for each in others if each.platform == target.platform]
    start = (
        f"Start memlab with one of these versions, for example: python"
        f"{same[-1].python} -m memlab …; or"
        if same
        else "You can,"
    )
    return Problem(
        f"{folder} has wheels for {describe(others)}, but this is {target}."
        f" {start}, {make}"
    )


def _bundle(folder: Path, target: Target) -> str:
    return (
        f'{COMMAND} bundle "{folder}" --platform {target.platform.name}'
        f" --python {target.python}"
    )


def _fits(wheel: str, entry: Locked, target: Target) -> bool:
    match = _WHEEL.fullmatch(wheel)
    if match is None:
        return False
    name, version, pythons, abis, platforms = match.groups()
    if (_normal(name), version) != (_normal(entry.name), entry.version):
        return False
    system = re.compile(rf"any|{target.platform.accepted}")
    return _fits_python(
        pythons.split("."), abis.split("."), target.python
    ) and any(system.fullmatch(tag) for tag in platforms.split("."))


def _fits_python(pythons: list[str], abis: list[str], python: str) -> bool:
    minor = int(python.split(".")[1])
    exact = f"cp3{minor}"
    for tag in pythons:
        if tag == "py3" and "none" in abis:
            return True
        if tag == exact and {exact, "abi3", "none"} & set(abis):
            return True
        older = re.fullmatch(r"(cp|py)3(\d+)", tag)
        if older and int(older[2]) <= minor:
            accepted = "abi3" if older[1] == "cp" else "none"
            if accepted in abis:
                return True
    return False


def _holds(marker: str, platform: Platform, release: str) -> bool:
    """Evaluate a condition of a lock file, which is also an expression of
    Python.
    """
    values = {
        "python_full_version": release,
        "python_version": ".".join(release.split(".")[:2]),
        "sys_platform": platform.sys_platform,
        "platform_machine": platform.machine,
        "os_name": platform.os_name,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    return _evaluate(ast.parse(marker, mode="eval").body, values)


def _evaluate(node: ast.expr, values: dict[str, str]) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = [_evaluate(part, values) for part in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if (
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Name)
        and node.left.id in values
        and isinstance(node.comparators[0], ast.Constant)
        and type(node.ops[0]) in _COMPARE
    ):
        compare = _COMPARE[type(node.ops[0])]
        have, want = values[node.left.id], str(node.comparators[0].value)
        if node.left.id.startswith("python_"):
            return bool(compare(_numbers(have), _numbers(want)))
        return bool(compare(have, want))
    raise Problem(
        "a lock file has a condition that memlab cannot read:"
        f" {ast.unparse(node)}. Get the lock files from the repository again"
    )


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in _NUMBER.findall(version)]
    return tuple(numbers + [0] * (3 - len(numbers)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
