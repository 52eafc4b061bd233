"""Installs a profile's locked packages and then memlab itself, with uv if it is there, else pip.

An installer that checks hashes does not accept a folder in the same call, so there are two calls:
the lock file with ``--require-hashes``, then the clone without dependencies and without a build
environment (setuptools is in the lock).
"""

from __future__ import annotations

from pathlib import Path

from memlab.cli.setup.diagnosis import NoNetwork, diagnose
from memlab.cli.setup.place import Clone, python_in
from memlab.cli.setup.process import environment, watch
from memlab.cli.setup.profiles import Profile
from memlab.cli.setup.say import Activity, say
from memlab.cli.setup.venv import find_uv, has_pip

LOG = "memlab-install.log"


class Progress:
    """Turns an installer's lines into what a person wants to know: how many packages, which now."""

    def __init__(self) -> None:
        self._packages = 0

    def describe(self, line: str) -> str | None:
        """Say what a line of output means; None when it changes nothing."""
        words = line.split()
        if not words:
            return None
        if words[0] in ("Collecting", "Processing"):
            self._packages += 1
            return f"{self._packages} packages found, now {words[1].rsplit('/', 1)[-1]}"
        if words[0] == "Resolved" and len(words) > 1:  # uv
            self._packages = int(words[1]) if words[1].isdecimal() else 0
            return f"{self._packages} packages found"
        if words[0] == "Downloading" and len(words) > 1:
            name = words[1].rsplit("/", 1)[-1]
            if name.endswith((".whl", ".gz", ".metadata")):  # pip; uv prints the package's name
                name = name.split("-")[0]
            size = " ".join(words[2:4])
            return f"{self._packages} packages found, fetching {name} {size}".rstrip()
        if line.startswith("Installing collected packages:"):
            return f"unpacking {len(line.split(':', 1)[1].split(','))} packages"
        if words[0] == "Prepared" and len(words) > 1:  # uv
            return f"unpacking {words[1]} packages"
        if "Retrying" in words[:3]:
            return "no answer from the package index, trying again"
        if words[0] == "Building" and words[2:3] == ["@"]:  # uv
            return f"building {words[1]}"
        if words[0] in ("Installing", "Building", "Preparing"):
            return line.split(":")[0].strip().lower()
        return None


def install(clone: Clone, profile: Profile, keep_open: tuple[int, ...]) -> float:
    """Install a profile into ``.venv``, and memlab itself; give the seconds it took.

    Raises ``Problem``; its sub-classes in ``diagnosis`` say that nothing was installed.
    """
    activity = Activity(
        f"installing the {profile.name} packages (about {profile.megabytes} MB in .venv)"
    )
    uv = find_uv()
    if uv is not None:
        try:
            _both_calls(clone, profile, _uv(clone, uv), activity, keep_open)
            return activity.seconds
        except NoNetwork:
            if not has_pip(clone.venv):
                raise
            # pip may know a proxy, a certificate or a company's index that uv was not given.
            say("uv could not reach the package index; trying pip")
    _both_calls(clone, profile, _pip(clone), activity, keep_open)
    return activity.seconds


def _uv(clone: Clone, uv: str) -> list[str]:
    return [uv, "pip", "install", "--python", str(python_in(clone.venv))]


def _pip(clone: Clone) -> list[str]:
    command = [str(python_in(clone.venv)), "-m", "pip", "install", "--no-input"]
    return [*command, "--progress-bar", "off", "--disable-pip-version-check", "--retries", "3"]


def _both_calls(
    clone: Clone,
    profile: Profile,
    command: list[str],
    activity: Activity,
    keep_open: tuple[int, ...],
) -> None:
    lock = clone.lock(profile).relative_to(clone.root)
    wheels = ["--require-hashes", "--only-binary", ":all:", "-r", str(lock)]
    _call(clone, [*command, *wheels], activity, keep_open)
    itself = ["--no-deps", "--no-build-isolation", "-e", "."]
    _call(clone, [*command, *itself], activity, keep_open)


def _call(clone: Clone, command: list[str], activity: Activity, keep_open: tuple[int, ...]) -> None:
    ended = watch(
        command,
        activity,
        Progress().describe,
        cwd=clone.root,
        # A personal `user = true` in pip's settings contradicts a virtual environment.
        env=environment(PIP_USER="0"),
        keep_open=keep_open,
    )
    if ended.status:
        _keep(clone.venv / LOG, ended.output)
        raise diagnose(ended.output, f"The whole output: {clone.venv.name}/{LOG}")


def _keep(log: Path, output: str) -> None:
    try:
        log.write_text(output, "utf-8")
    except OSError:
        return
