"""Makes the lock files again, for authors: ``python3 -m memlab.cli.relock``
(needs uv).

One resolution for every supported Python and system gives three files: light,
course and dev. They hold exact versions with hashes, in the form that pip and
uv both read, and no address of an index. It always takes the newest versions
within the ranges of pyproject.toml.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from memlab.cli.setup.clone import Clone, find_clone
from memlab.cli.setup.console import Problem, guarded, say
from memlab.cli.setup.packages import PROFILES, Profile, lock_file

HEADER = """\
# Made by `python3 -m memlab.cli.relock` from pyproject.toml; do not edit.
# Profile {name}: exact versions and hashes for every supported Python and system.
"""
# For each of these, every package has to have a wheel: nobody should need a
# compiler.
SYSTEMS = (
    "sys_platform == 'linux' and platform_machine == 'x86_64'",
    "sys_platform == 'linux' and platform_machine == 'aarch64'",
    "sys_platform == 'darwin' and platform_machine == 'arm64'",
    "sys_platform == 'darwin' and platform_machine == 'x86_64'",
    "sys_platform == 'win32' and platform_machine == 'AMD64'",
)


def relock(clone: Clone) -> int:
    """Resolve once and write one lock per profile; raises ``Problem`` and then
    changes nothing.
    """
    uv = shutil.which("uv")
    if uv is None:
        raise Problem(
            "uv is not on the PATH. Install it (pip install uv) and run this"
            " again"
        )
    with tempfile.TemporaryDirectory(prefix="memlab-relock-") as folder:
        project = Path(folder)
        (project / "pyproject.toml").write_text(
            _project_to_resolve(clone), "utf-8"
        )
        say("resolving for every Python and system")
        _run(uv, "lock", "--quiet", folder=project)
        texts = {
            profile: _export(uv, project, profile)
            for profile in PROFILES.values()
        }
    for profile, text in texts.items():
        path = lock_file(clone, profile)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        say(f"wrote {path.relative_to(clone.root).as_posix()}")
    return 0


def _project_to_resolve(clone: Clone) -> str:
    """Describe a project with memlab's dependencies and nothing else.

    The build system is among them, because memlab itself is installed without
    build isolation.
    """
    described = tomllib.loads(clone.pyproject.read_text("utf-8"))
    project = described["project"]
    dependencies = (
        described["build-system"]["requires"] + project["dependencies"]
    )
    lines = [
        "[project]",
        'name = "memlab"',
        'version = "0"',
        f"requires-python = {json.dumps(project['requires-python'])}",
        f"dependencies = {json.dumps(dependencies)}",
        "[project.optional-dependencies]",
        *(
            f"{name} = {json.dumps(packages)}"
            for name, packages in project["optional-dependencies"].items()
        ),
        "[tool.uv]",
        "no-build = true",
        f"required-environments = {json.dumps(SYSTEMS)}",
    ]
    return "\n".join(lines) + "\n"


def _export(uv: str, project: Path, profile: Profile) -> str:
    extras = [word for extra in profile.extras for word in ("--extra", extra)]
    plain = ("--no-emit-project", "--no-annotate", "--no-header")
    text = _run(
        uv, "export", "--quiet", "--frozen", *plain, *extras, folder=project
    )
    lines = [
        line for line in text.splitlines() if not line.startswith(("--", "#"))
    ]
    named = [line for line in lines if "://" in line or " @ " in line]
    if named or not lines:
        raise Problem(
            f"this would name an index or a folder in a lock file: {named[:1]}"
        )
    return HEADER.format(name=profile.name) + "\n".join(lines) + "\n"


def _run(*argv: str, folder: Path) -> str:
    ended = subprocess.run(
        argv, cwd=folder, capture_output=True, encoding="utf-8"
    )
    if ended.returncode:
        raise Problem(f"uv {argv[1]} failed:\n{ended.stderr.strip()}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(guarded(lambda: relock(find_clone())))
