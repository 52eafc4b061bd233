"""What is asked for and what is installed, read from files: no installer is
started to find out.

There are three profiles, which are sets of packages, and a lock file for each
at the top of the clone.
Only the plain form of this project's own lists (``name>=1.2,<3``) is
understood, not all that pip accepts.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from memlab.cli.setup.clone import Clone

MEMLAB = "memlab"

_LINE = re.compile(r"([A-Za-z0-9][\w.-]*)\s*((?:[<>=!]=?\s*[\d.]+\s*,?\s*)*)$")
_BOUND = re.compile(r"(>=|<|==)\s*([\d.]+)")
_INSTALLED = re.compile(r"(.+)-([^-]+)\.dist-info$")


@dataclass(frozen=True)
class Profile:
    """A set of packages: what it is for, where pyproject.toml lists it, its
    lock file, and its size on disk.
    """

    name: str
    extras: tuple[str, ...]
    lock: str
    megabytes: int
    """How much an environment with these packages takes (measured on Linux,
    Python 3.12).
    """

    def includes(self, other: Profile) -> bool:
        """Tell whether an environment with this profile has all that the other
        one needs.
        """
        return set(other.extras) <= set(self.extras)


LIGHT = Profile("light", (), "requirements-light.lock", 80)
COURSE = Profile("course", ("course",), "requirements.lock", 310)
DEV = Profile("dev", ("course", "dev"), "requirements-dev.lock", 660)

PROFILES = {profile.name: profile for profile in (LIGHT, COURSE, DEV)}


@dataclass(frozen=True)
class Requirement:
    """A package and the versions that will do, for example ``>=2,<3``."""

    name: str
    bounds: str = ""

    def accepts(self, version: str) -> bool:
        """Tell whether a version lies in the range."""
        have = _numbers(version)
        for sign, limit in _BOUND.findall(self.bounds):
            want = _numbers(limit)
            padded = have + (0,) * (len(want) - len(have))
            if sign == ">=" and padded < want:
                return False
            if sign == "<" and padded >= want:
                return False
            if sign == "==" and padded[: len(want)] != want:
                return False
        return True


def parse_requirement(line: str) -> Requirement:
    """Read one line; raises ``ValueError`` for a form this project does not
    use.
    """
    match = _LINE.match(line.strip())
    if match is None:
        raise ValueError(f"not of the form name>=1.2,<3: {line!r}")
    return Requirement(_normal(match[1]), match[2].replace(" ", ""))


def wanted(clone: Clone, profile: Profile) -> list[Requirement]:
    """List what pyproject.toml asks for in this profile, without memlab
    itself.
    """
    project = _project(clone)["project"]
    lines = list(project["dependencies"])
    for extra in profile.extras:
        lines += project["optional-dependencies"][extra]
    return [parse_requirement(line) for line in lines]


def lock_file(clone: Clone, profile: Profile) -> Path:
    """Return the path of a profile's lock: the exact versions and hashes of
    all its packages.
    """
    return clone.root / profile.lock


def fingerprint_source(clone: Clone) -> str:
    """Return the text that decides what is installed: comments and tool
    settings are left out.
    """
    described = _project(clone)
    tables = [
        described["build-system"],
        described["project"],
        described["tool"].get("setuptools"),
    ]
    # The largest lock contains the other two, so a change of any of them is a
    # change of this one.
    locked = lock_file(clone, DEV).read_text("utf-8").splitlines()
    lines = [line for line in locked if not line.startswith("#")]
    return json.dumps([lines, tables], sort_keys=True)


def python_version() -> str:
    """Return the running Python's minor version, such as ``3.12``."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def installed(folders: Iterable[str]) -> dict[str, tuple[str, Path]]:
    """Map each installed package to its version and its ``dist-info`` folder.

    An earlier folder wins, as it does for an import.
    """
    found: dict[str, tuple[str, Path]] = {}
    for folder in folders:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            match = _INSTALLED.match(name)
            if match:
                found.setdefault(
                    _normal(match[1]), (match[2], Path(folder, name))
                )
    return found


def lacking(
    requirements: Iterable[Requirement], folders: Iterable[str]
) -> list[str]:
    """Name the requirements that these folders do not satisfy."""
    have = installed(folders)
    return [
        f"{requirement.name}{requirement.bounds}"
        for requirement in requirements
        if requirement.name not in have
        or not requirement.accepts(have[requirement.name][0])
    ]


def missing(
    clone: Clone, folders: Iterable[str], profile: Profile = COURSE
) -> list[str]:
    """Name what these folders lack: packages, versions in range, or memlab
    from this clone.
    """
    folders = list(folders)
    names = lacking(wanted(clone, profile), folders)
    have = installed(folders)
    if MEMLAB not in have:
        names.append(MEMLAB)
    elif not _from_clone(have[MEMLAB][1], clone):
        names.append("memlab from this clone")
    return names


def _from_clone(info: Path, clone: Clone) -> bool:
    try:
        origin = json.loads((info / "direct_url.json").read_text("utf-8"))
        path = unquote(urlsplit(origin["url"]).path)
        if os.name == "nt":
            # "/C:/clone" is how an address names a drive
            path = path.lstrip("/")
        return bool(origin["dir_info"]["editable"]) and os.path.samefile(
            path, clone.root
        )
    except (OSError, ValueError, KeyError):
        return False


def _project(clone: Clone) -> dict[str, dict[str, dict[str, list[str]]]]:
    return tomllib.loads(clone.pyproject.read_text("utf-8"))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _numbers(version: str) -> tuple[int, ...]:
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()
