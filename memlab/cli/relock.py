"""Makes the lock files again, for authors: ``python3 -m memlab.cli.relock``
(needs uv).

One resolution for every supported Python and system gives three files: light,
course and dev. They all hold exact versions with hashes, in the form that pip
and uv both read, and no address of an index. The versions are always the
newest within the ranges of pyproject.toml.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from memlab.cli.setup.clone import Clone, find_clone
from memlab.cli.setup.console import Problem, guarded, say
from memlab.cli.setup.packages import DEV, PROFILES, Profile, lock_file

HEADER = """\
# Made by `python3 -m memlab.cli.relock` from {source}; do not edit.
# {what} {name}: exact versions and hashes for every supported Python and system.
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


@dataclass(frozen=True)
class Tool:
    """Packages that ``lite`` needs and nobody else."""

    name: str
    packages: tuple[str, ...]
    options: tuple[str, ...]


TOOLS = (
    # After a new jupyterlite-pyodide-kernel, see which Pyodide it was made
    # for, and change what memlab/cli/lite/command.py says about Pyodide.
    Tool(
        "lite",
        (
            "jupyterlite-core>=0.8.6,<0.9",
            "jupyterlite-pyodide-kernel>=0.8.6,<0.9",
            "jupyter-server>=2,<3",
            "jupyterlab-widgets>=3,<4",
        ),
        ("--universal", "--python-version", "3.11"),
    ),
    Tool(
        "lite-browser",
        ("micropip>=0.11,<0.12",),
        ("--no-deps", "--python-version", "3.14"),
    ),
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
        project = Path(folder, "course")
        project.mkdir()
        (project / "pyproject.toml").write_text(
            _project_to_resolve(clone), "utf-8"
        )
        say("resolving for every Python and system")
        _run(uv, "lock", "--quiet", folder=project)
        texts = {
            lock_file(clone, profile): _export(uv, project, profile)
            for profile in PROFILES.values()
        }
        tools = Path(folder, "tools")
        tools.mkdir()
        constraints = tools / "constraints.txt"
        constraints.write_text(texts[lock_file(clone, DEV)], "utf-8")
        for tool in TOOLS:
            text = _compile_tool(uv, tools, tool)
            texts[clone.locks / f"{tool.name}.txt"] = text
    for path, text in texts.items():
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
    header = HEADER.format(
        source="pyproject.toml", what="Profile", name=profile.name
    )
    return header + _checked(text)


def _compile_tool(uv: str, folder: Path, tool: Tool) -> str:
    """Lock a tool's packages, at the versions that the other locks have where
    they have one.
    """
    wanted = folder / f"{tool.name}.in"
    wanted.write_text("\n".join(tool.packages) + "\n", "utf-8")
    text = _run(
        uv,
        "pip",
        "compile",
        "--quiet",
        *tool.options,
        "--no-build",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        *("--constraint", "constraints.txt"),
        wanted.name,
        folder=folder,
    )
    header = HEADER.format(
        source="memlab/cli/relock.py", what="Tool", name=tool.name
    )
    return header + _checked(text)


def _checked(text: str) -> str:
    """Return a lock without options and comments; raises ``Problem`` if it
    names an index or a folder.
    """
    lines = [
        line for line in text.splitlines() if not line.startswith(("--", "#"))
    ]
    named = [line for line in lines if "://" in line or " @ " in line]
    if named or not lines:
        raise Problem(
            f"this would name an index or a folder in a lock file: {named[:1]}"
        )
    return "\n".join(lines) + "\n"


def _run(*argv: str, folder: Path) -> str:
    ended = subprocess.run(
        argv, cwd=folder, capture_output=True, encoding="utf-8"
    )
    if ended.returncode:
        raise Problem(f"uv {argv[1]} failed:\n{ended.stderr.strip()}")
    return ended.stdout


if __name__ == "__main__":
    sys.exit(guarded(lambda: relock(find_clone())))
