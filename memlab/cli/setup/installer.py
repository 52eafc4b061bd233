"""Installs a profile's locked packages and then memlab itself, with uv if it
is there, else pip.

``Progress`` and ``diagnose`` read what the two print: how far they are, and
why they failed.

An installer that checks hashes does not accept a folder in the same call, so
there are two calls: the lock file with ``--require-hashes``, then the clone
without dependencies and without a build environment (setuptools is in the
lock).
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path

from memlab.cli.setup.clone import Clone, python_in, site_folders
from memlab.cli.setup.console import DISK_FULL, Activity, Problem, say
from memlab.cli.setup.packages import Profile, lock_file, python_version
from memlab.cli.setup.process import environment, watch

LOG = "memlab-install.log"

_ITSELF = ("--no-deps", "--no-build-isolation", "-e", ".")
_QUIETLY = (
    "--no-input",
    "--progress-bar",
    "off",
    "--disable-pip-version-check",
    "--retries",
    "3",
)

_FULL = re.compile(
    r"No space left on device|not enough space on the disk|Disk quota exceeded"
)
_FORBIDDEN = re.compile(
    r"Read-only file system|Permission denied|Access is denied|WinError 5\b"
)
_CERTIFICATE = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError|SSLError|invalid peer"
    r" certificate"
)
_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|Max"
    r" retries"
    r"|Failed to establish a new connection|Temporary failure in name"
    r" resolution|getaddrinfo failed"
    r"|Network is unreachable|Connection"
    r" refused|ConnectionResetError|Connection aborted"
    r"|Connection timed out|IncompleteRead|RemoteDisconnected"
    r"|error sending request for url|Failed to fetch|client error"
    r" \(Connect\)|dns error"
)
_OTHER_BYTES = re.compile(
    r"DO NOT MATCH THE HASHES|Hash mismatch for `?([\w.=-]+)"
    r"|Because (\S+) has an invalid package format"
)
_NOT_LOCKED = re.compile(
    r"all requirements must have (?:a hash|their versions pinned|.*hashes)"
    r"|no trusted hash was provided for",
)
# What follows these words in the output of pip and of uv.
_UNLOCKED_NAME = re.compile(r"(?:These do not:|provided for:)\s+`?([\w.-]+)")
_NO_VERSION = re.compile(
    r"No matching distribution found for (\S+)"
    r"|there is no version of (\S+)"
    r"|Because (\S+) was not found in the (?:package registry|provided)"
    r"|Because (\S+) has no usable wheels"
)
_NO_BUILD = re.compile(
    r"(?:Failed building wheel for|Failed to build) `?([^\s`]+)"
)


class NoNetwork(Problem):
    """The package index could not be reached; nothing was installed."""


class NothingInstalled(Problem):
    """The installer gave up before it installed anything."""


class Progress:
    """Turns an installer's lines into what a person wants to know: how many
    packages, which now.
    """

    def __init__(self) -> None:
        self._packages = 0

    def describe(self, line: str) -> str | None:
        """Say what a line of output means; None when it changes nothing."""
        words = line.split()
        if not words:
            return None
        if words[0] == "Collecting":
            self._packages += 1
            return f"{self._packages} packages found, now {words[1]}"
        if words[0] == "Processing":
            # a path, which may contain spaces
            self._packages += 1
            name = re.split(r"[/\\]", line.strip())[-1].split("-")[0]
            return f"{self._packages} packages found, now {name}"
        if words[0] == "Resolved" and len(words) > 1:  # uv
            self._packages = int(words[1]) if words[1].isdecimal() else 0
            return f"{self._packages} packages found"
        if words[0] == "Downloading" and len(words) > 1:
            name = words[1].rsplit("/", 1)[-1]
            # pip; uv prints the package's name
            if name.endswith((".whl", ".gz", ".metadata")):
                name = name.split("-")[0]
            size = " ".join(words[2:4])
            return f"{self._packages} packages found, fetching {name} {size}".rstrip()
        if line.startswith("Installing collected packages:"):
            return (
                f"unpacking {len(line.split(':', 1)[1].split(','))} packages"
            )
        if words[0] == "Prepared" and len(words) > 1:  # uv
            return f"unpacking {words[1]} packages"
        if "Retrying" in words[:3]:
            return "no answer from the package index, trying again"
        if words[0] == "Building" and words[2:3] == ["@"]:  # uv
            return f"building {words[1]}"
        if words[0] in ("Installing", "Building", "Preparing"):
            return line.split(":")[0].strip().lower()
        return None


def install(
    clone: Clone,
    profile: Profile,
    keep_open: tuple[int, ...],
    wheels: Path | None = None,
) -> float:
    """Install a profile into ``.venv``, and memlab itself; give the seconds it
    took.

    With ``wheels``, a folder, no index is used. Raises ``Problem``;
    ``NoNetwork`` and ``NothingInstalled`` say that nothing was installed.
    """
    activity = Activity(
        f"installing the {profile.name} packages (about {profile.megabytes} MB"
        " in .venv)"
    )
    uv = find_uv()
    if uv is not None:
        try:
            _both_calls(
                clone,
                profile,
                _uv(python_in(clone.venv), uv, wheels),
                activity,
                keep_open,
                wheels,
            )
            return activity.seconds
        except NoNetwork:
            if not has_pip(clone.venv):
                raise
            # pip may know a proxy, a certificate or a company's index that uv
            # was not given.
            say("uv could not reach the package index; trying pip")
    _both_calls(
        clone,
        profile,
        _pip(python_in(clone.venv), wheels),
        activity,
        keep_open,
        wheels,
    )
    return activity.seconds


def install_itself(clone: Clone) -> float:
    """Install memlab from its clone into the running Python, which has its
    packages; give the seconds it took.

    If this Python belongs to somebody else, pip installs it for the person
    alone. Raises ``Problem``.
    """
    activity = Activity("installing memlab")
    if importlib.util.find_spec("pip") is None:
        raise Problem(
            f"{sys.executable} has no pip. Ask the person who runs the hub to"
            " install it there"
        )
    clone.my.mkdir(exist_ok=True)
    _watched(
        [*_pip(Path(sys.executable)), *_ITSELF],
        activity,
        cwd=clone.root,
        log=clone.my,
        env=environment(),
    )
    return activity.seconds


def find_uv() -> str | None:
    """Return the path of uv; None where only pip is available."""
    return shutil.which("uv")


def has_pip(venv: Path) -> bool:
    """Tell whether pip is installed in this environment."""
    return any(
        Path(folder, "pip", "__main__.py").is_file()
        for folder in site_folders(venv)
    )


def diagnose(
    output: str,
    details: str = "",
    *,
    folder: str = ".venv",
    wheels: Path | None = None,
) -> Problem:
    """Say what made the installer, or the making of the environment, fail.

    ``folder`` is the environment's, and ``wheels`` the folder that was used
    instead of an index.
    """
    if _FULL.search(output):
        return Problem(DISK_FULL)
    if match := _OTHER_BYTES.search(output):
        package = next(filter(None, match.groups()), "see the log")
        if wheels is not None:
            return NothingInstalled(
                f"a wheel in {wheels} ({package}) is damaged, or is not the one"
                " in the lock file: its hash differs. Nothing was installed."
                " Collect the wheels again with this version of the course."
                f" {details}"
            )
        return NothingInstalled(
            f"a package that was downloaded ({package}) is not the one in the"
            " lock file: its hash differs. Nothing was installed. The package"
            " index or a proxy has changed it, so try another network."
            f" {details}"
        )
    if _NOT_LOCKED.search(output):
        name = _UNLOCKED_NAME.search(output)
        return NothingInstalled(
            "the lock file is incomplete: it has no exact version and hash"
            f" for {name[1] if name else 'a package'}. Get the file from the"
            " repository again; if you changed pyproject.toml, make the lock"
            f" files again, as CONTRIBUTING.md says. {details}"
        )
    if _CERTIFICATE.search(output):
        return NoNetwork(
            "the package index answered with a certificate this Python does"
            " not trust (a company proxy?). Ask for its certificate and set"
            " PIP_CERT (for uv: SSL_CERT_FILE) to that file"
        )
    if _NETWORK.search(output):
        return NoNetwork(
            "no network: the package index could not be reached. Connect, or"
            " set HTTPS_PROXY if there is a proxy, and run the same command"
            " again"
        )
    if _FORBIDDEN.search(output):
        return Problem(
            f"the installer could not write into {folder}. Close whatever"
            " uses it, check the folder's permissions, and run the same command"
            f" again. {details}"
        )
    if match := _NO_VERSION.search(output):
        package = next(group for group in match.groups() if group)
        if wheels is not None:
            return NothingInstalled(
                f"{wheels} has no wheel of {package} that this Python"
                f" {python_version()} on this machine can use. Collect the"
                " wheels on a machine like this one, with the same version of"
                " Python; or connect to a network, and run the same command"
                f" without --wheels. {details}"
            )
        return NothingInstalled(
            f"the package index has no {package} for Python {python_version()}"
            " on this machine. If it is your company's index, ask for the"
            " package to be added. Otherwise, there may be one for another"
            " Python version: try the same command with that version."
            f" {details}"
        )
    if match := _NO_BUILD.search(output):
        return Problem(
            f"{match[1]} has no wheel for Python {python_version()} on this"
            " machine, and building it failed. Try the same command with"
            f" another Python version. {details}"
        )
    return Problem(f"set-up failed: {_last_words(output)}. {details}")


def _uv(python: Path, uv: str, wheels: Path | None = None) -> list[str]:
    command = [uv, "pip", "install", "--python", str(python)]
    if wheels is not None:
        offline = ("--no-config", "--offline", "--no-index")
        command += [*offline, "--find-links", str(wheels)]
    return command


def _pip(python: Path, wheels: Path | None = None) -> list[str]:
    command = [str(python), "-m", "pip", "install", *_QUIETLY]
    if wheels is not None:
        # isolated: a person's settings may name further places to look in
        command += ["--isolated", "--no-index", "--find-links", str(wheels)]
    return command


def _both_calls(
    clone: Clone,
    profile: Profile,
    command: list[str],
    activity: Activity,
    keep_open: tuple[int, ...],
    wheels: Path | None,
) -> None:
    lock = lock_file(clone, profile).relative_to(clone.root)
    locked = ("--require-hashes", "--only-binary", ":all:", "-r", str(lock))
    for arguments in (locked, _ITSELF):
        _watched(
            [*command, *arguments],
            activity,
            cwd=clone.root,
            log=clone.venv,
            keep_open=keep_open,
            wheels=wheels,
        )


def _watched(
    command: list[str],
    activity: Activity,
    *,
    cwd: Path,
    log: Path,
    keep_open: tuple[int, ...] = (),
    wheels: Path | None = None,
    env: dict[str, str] | None = None,
) -> None:
    """Run an installer; raises ``Problem``, and then ``log`` has its output."""
    ended = watch(
        command,
        activity,
        Progress().describe,
        cwd=cwd,
        # A personal `user = true` in pip's settings contradicts a virtual
        # environment.
        env=env or environment(PIP_USER="0"),
        keep_open=keep_open,
    )
    if ended.status:
        _keep(log / LOG, ended.output)
        raise diagnose(
            ended.output,
            f"The whole output: {log.name}/{LOG}",
            folder=log.name,
            wheels=wheels,
        )


def _keep(log: Path, output: str) -> None:
    try:
        log.write_text(output, "utf-8")
    except OSError:
        return


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or ["the installer printed nothing"])[-1].rstrip(
        "."
    )
