"""Says in one line why an installer failed; knows what pip and uv print."""

from __future__ import annotations

import re

from memlab.cli.setup.say import DISK_FULL, Problem
from memlab.cli.setup.stamp import python_version

_FULL = re.compile(r"No space left on device|not enough space on the disk|Disk quota exceeded")
_FORBIDDEN = re.compile(r"Read-only file system|Permission denied|Access is denied|WinError 5\b")
_CERTIFICATE = re.compile(
    r"CERTIFICATE_VERIFY_FAILED|SSLCertVerificationError|SSLError|invalid peer certificate"
)
_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|Max retries"
    r"|Failed to establish a new connection|Temporary failure in name resolution|getaddrinfo failed"
    r"|Network is unreachable|Connection refused|ConnectionResetError|Connection aborted"
    r"|Connection timed out|IncompleteRead|RemoteDisconnected"
    r"|error sending request for url|Failed to fetch|client error \(Connect\)|dns error"
)
_OTHER_BYTES = re.compile(r"DO NOT MATCH THE HASHES|Hash mismatch for `?([\w.=-]+)")
_NOT_LOCKED = re.compile(
    r"all requirements must have (?:a hash|their versions pinned|.*hashes)"
    r"|no trusted hash was provided for",
)
# What follows these words in the output of pip and of uv.
_UNLOCKED_NAME = re.compile(r"(?:These do not:|provided for:)\s+`?([\w.-]+)")
_NO_VERSION = re.compile(
    r"No matching distribution found for (\S+)"
    r"|there is no version of (\S+)"
    r"|Because (\S+) was not found in the package registry"
    r"|Because (\S+) has no usable wheels"
)
_NO_BUILD = re.compile(r"(?:Failed building wheel for|Failed to build) `?([^\s`]+)")


class NoNetwork(Problem):
    """The package index could not be reached; nothing was installed."""


class NothingInstalled(Problem):
    """The installer gave up before it installed anything."""


def diagnose(output: str, details: str = "") -> Problem:
    """Say what made the installer, or the making of the environment, fail."""
    if _FULL.search(output):
        return Problem(DISK_FULL)
    if match := _OTHER_BYTES.search(output):
        return NothingInstalled(
            f"a package that was downloaded ({match[1] or 'see the log'}) is not the one in the "
            "lock file: its hash differs. Nothing was installed. The package "
            f"index or a proxy has changed it, so try another network. {details}"
        )
    if _NOT_LOCKED.search(output):
        name = _UNLOCKED_NAME.search(output)
        return NothingInstalled(
            f"the lock file is incomplete: it has no exact version and hash for "
            f"{name[1] if name else 'a package'}. Get the file from the repository again; if you "
            f"changed pyproject.toml, run: python3 -m memlab.cli.relock. {details}"
        )
    if _CERTIFICATE.search(output):
        return NoNetwork(
            "the package index answered with a certificate this Python does not trust (a company "
            "proxy?). Ask for its certificate and set PIP_CERT (for uv: SSL_CERT_FILE) to that file"
        )
    if _NETWORK.search(output):
        return NoNetwork(
            "no network: the package index could not be reached. Connect, or set HTTPS_PROXY if "
            "there is a proxy, and run the same command again"
        )
    if _FORBIDDEN.search(output):
        return Problem(
            "the installer could not write into .venv. Close whatever uses it, check the folder's "
            f"permissions, and run the same command again. {details}"
        )
    if match := _NO_VERSION.search(output):
        package = next(group for group in match.groups() if group)
        return NothingInstalled(
            f"the package index has no {package} for Python {python_version()} on this machine. "
            "If it is your company's index, ask for the package to be added. Otherwise, there may "
            "be one for another Python version: try the same command with that version. "
            f"{details}"
        )
    if match := _NO_BUILD.search(output):
        return Problem(
            f"{match[1]} has no wheel for Python {python_version()} on this machine, and "
            f"building it failed. Try the same command with another Python version. {details}"
        )
    return Problem(f"set-up failed: {_last_words(output)}. {details}")


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or ["the installer printed nothing"])[-1].rstrip(".")
