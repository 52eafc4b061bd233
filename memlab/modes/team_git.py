"""What git may see of the team's repository: its history, and none of its
configuration.

A repository's configuration can name programs: a pager, a file-system monitor,
an external diff, a filter, a hook, an alias, a signature checker. A list of
the dangerous keys would never be complete, because some of them contain names
that the repository chooses. So git is pointed at a git directory of our own,
which contains our configuration and no hooks, and borrows the rest: HEAD, the
refs and the objects. The configuration of the person and of the system is not
read either.

Left out: repositories whose objects or git directory are elsewhere, such as
submodules, because they could lead to another repository's history; and what
only the configuration knows, such as upstream branches and filters.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from memlab.agent.tool import ToolError
from memlab.memdir.places import find_project, git_folders

_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = false
\tfsmonitor = false
\tuntrackedCache = false
\tpreloadIndex = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tpackedGitWindowSize = 16m
\tpackedGitLimit = 128m
\tbigFileThreshold = 32m
[gpg]
\tprogram = /dev/null
[gpg "ssh"]
\tprogram = /dev/null
[gpg "x509"]
\tprogram = /dev/null
[log]
\tshowSignature = false
[protocol]
\tallow = never
"""
_BORROWED = ("packed-refs", "refs", "reftable", "shallow", "info/exclude")
_EXTENSION = re.compile(
    r"^\s*(objectformat|refstorage)\s*=\s*(sha1|sha256|files|reftable)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_BYTES = 64_000
_SECONDS = 10.0


def git_log(*options: str, cwd: Path, root: Path) -> str:
    """Give what ``git log`` prints of the repository of ``cwd``, which has to
    be below ``root``; raises ToolError where git cannot be used.
    """
    fixed = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
    line = ["git", "--no-pager", "--no-optional-locks", "log", *fixed]
    path = os.confstr("CS_PATH") if os.name == "posix" else None
    program = shutil.which("git", path=path)
    if program is None:
        raise ToolError("git is not on this system")
    with tempfile.TemporaryDirectory(prefix="memlab-git-") as scratch:
        environment = _environment(cwd, root, Path(scratch))
        try:
            ran = subprocess.run(
                [*line, *options],
                executable=program,
                cwd=cwd,
                env={"LC_ALL": "C.UTF-8", "TZ": "UTC", **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ToolError("git cannot be used here") from error
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").splitlines()
        raise ToolError(f"git says: {said[0] if said else 'nothing'}")
    return ran.stdout.decode("utf-8", "replace")


def _environment(cwd: Path, root: Path, scratch: Path) -> dict[str, str]:
    """Make a git directory in ``scratch`` for the repository of ``cwd``, and
    return the variables that point git at it.

    Raises ToolError if there is no repository, or if it leads out of itself.
    """
    project = find_project(cwd)
    try:
        own, common = git_folders(project.top)
    except (OSError, ValueError) as error:
        what = "git cannot be used here: there is no repository of its own"
        raise ToolError(what) from error
    top = os.path.realpath(project.top)
    if not Path(top).is_relative_to(os.path.realpath(root)):
        raise ToolError("git cannot be used here: the repository is elsewhere")
    _check_folders(own, common)

    (scratch / "info").mkdir(parents=True)
    (scratch / "objects").mkdir()
    (scratch / "HEAD").write_bytes(_read(own / "HEAD"))
    (scratch / "config").write_text(_configuration(common), encoding="utf-8")
    for name in _BORROWED:
        if (common / name).exists():
            (scratch / name).symlink_to(common / name)
    if not (scratch / "refs").exists():
        (scratch / "refs").mkdir()
    environment = {
        "GIT_DIR": str(scratch),
        "GIT_WORK_TREE": top,
        "GIT_OBJECT_DIRECTORY": str(common / "objects"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(scratch),
    }
    return environment


def _check_folders(own: Path, common: Path) -> None:
    """Raise ToolError for a git directory whose parts lead somewhere else."""
    real = [Path(os.path.realpath(folder)) for folder in (own, common)]
    objects = common / "objects"
    parts = [
        own / "HEAD",
        common / "config",
        objects,
        *(common / name for name in _BORROWED),
        *objects.glob("*"),
        *(objects / "pack").glob("*"),
        *(common / "refs").rglob("*"),
    ]
    for part in parts:
        where = Path(os.path.realpath(part))
        if not any(where.is_relative_to(folder) for folder in real):
            raise ToolError(
                f"git cannot be used here: {part.name} in the git directory"
                " leads elsewhere"
            )
    if (objects / "info" / "alternates").exists():
        raise ToolError(
            "git cannot be used here: the repository borrows objects from"
            " another one"
        )


def _configuration(common: Path) -> str:
    """Write our configuration, with the formats that the repository is in."""
    text = _read(common / "config").decode("utf-8", "replace")
    formats = [
        f"\t{found[1]} = {found[2]}\n" for found in _EXTENSION.finditer(text)
    ]
    config = _CONFIG.format(version=1 if formats else 0)
    if formats:
        config += "[extensions]\n" + "".join(formats)
    return config


def _read(path: Path) -> bytes:
    """Read the start of a plain file; a missing one is empty, and so is a pipe,
    which could hold us up for ever.
    """
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as source:
            return source.read(_MOST_BYTES)
    except OSError as error:
        raise ToolError(
            f"git cannot be used here: {path.name} cannot be read"
        ) from error
