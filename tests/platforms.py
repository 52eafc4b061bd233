"""What a test may need of the system it runs on; the one place from which tests are skipped.

A marker names the need, and its reason is shown by ``pytest -rs``. ``lacking`` is for what can only
be found out while a test runs. A Python package that is missing is never a reason to skip: such a
test belongs to the tier that installs the package, and fails there without it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import NoReturn

import pytest

_POSIX = os.name == "posix"
_ROOT = _POSIX and os.geteuid() == 0


def _strace_works() -> bool:
    found = shutil.which("strace")
    watched = [found, "-o", os.devnull, "true"] if found else ["false"]
    return bool(found) and subprocess.run(watched, capture_output=True).returncode == 0


needs_posix = pytest.mark.skipif(not _POSIX, reason="needs a POSIX system")
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
needs_links = pytest.mark.skipif(not _POSIX, reason="making links needs rights on Windows")
needs_pipes = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="this system has no pipes with names"
)
needs_file_modes = pytest.mark.skipif(not _POSIX, reason="Windows has no such modes")
needs_posix_names = pytest.mark.skipif(not _POSIX, reason="Windows allows no such file names")
needs_any_bytes_in_names = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux lets a name be any bytes"
)
needs_deep_folders = pytest.mark.skipif(
    os.mkdir not in os.supports_dir_fd, reason="this system cannot nest folders so deep"
)
needs_limited_user = pytest.mark.skipif(
    not _POSIX or _ROOT, reason="file permissions do not restrict this user"
)
needs_tzset = pytest.mark.skipif(
    not hasattr(time, "tzset"), reason="the time zone cannot be changed here"
)
needs_strace = pytest.mark.skipif(
    not _strace_works(), reason="there is no strace that may look at a process"
)
needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")

_LACKING = {
    "links": "this system or file system makes no links",
    "capitals": "this file system takes names that differ in capitals for one",
    "folder outside a checkout": "the folder for temporary files is inside a checkout",
    "mounts": "needs Linux and the right to mount in a namespace of its own",
}


def lacking(what: str, reason: str = "") -> NoReturn:
    """Skip the running test; ``what`` is one of the needs listed here, or gives its own reason."""
    pytest.skip(reason or _LACKING[what])
