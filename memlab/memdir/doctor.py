"""Show what is wrong with a memory directory. Nothing is written.

Without DIR it looks at the memory of the project in this folder, its team
memories and daily logs with it, then at the notes of the project's sessions
and at the personal memories, if there are any.

--rules lists what it looks for, why that matters and how to fix it.

exit status: 0 nothing worse than a note, 1 an error or a warning, 2 it cannot
be examined

--json prints one object: "schema" (2), "directory", "memories" (how many
files), "client" (whose limits for the index apply: "memlab" or "Claude Code"),
"counts" (of "error", "warning", "note"), "layout" ("memory",
"personal" or "notes"), "links", each from "source" to "target" ("" for a link
to nothing) by its "name", and "findings", each with
"rule", "severity", "message", "suggestion", "line" (from 1; 0 is the file as a
whole), "file" (below the directory) and "why". Without DIR, "also" has an
object of the same kind for each further directory.

examples:
  python3 -m memlab doctor                               the memory of the project in this folder
  python3 -m memlab doctor ~/.claude/projects/X/memory   a memory that Claude Code keeps
  python3 -m memlab doctor DIR --instructions CLAUDE.md  also find what CLAUDE.md already says
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from shlex import quote
from time import monotonic

from memlab.errors import MemlabError
from memlab.memdir.instructions import CLAUDE_MD_BYTES, read_prompt_file
from memlab.memdir.layouts import Layout, layout_of, memory_with_logs
from memlab.memdir.links import Link
from memlab.memdir.lint import RULES, SEVERITIES, Diagnosis, Spot, diagnose
from memlab.memdir.places import (
    SESSION_MEMORY,
    LeftBehind,
    MemoryPaths,
    gone_project,
    memory_of,
    memory_paths,
    personal_folder,
)
from memlab.memdir.scan import one_line
from memlab.memdir.toggles import load_settings
from memlab.settings import Settings
from memlab.text import tilde

QUIET_SECONDS = 2.0
_COLOURS = {"error": "\x1b[31;1m", "warning": "\x1b[33m", "note": "\x1b[36m"}
_PLAIN = "\x1b[0m"


def main(argv: Sequence[str] | None = None) -> int:
    """Examine one directory and print what was found; gives the exit status."""
    args = _parser().parse_args(argv)
    if args.rules:
        print(render_rules())
        return 0
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        directory, project = args.directory, None
        left, layout = None, Layout.memory
        settings = Settings()
        others: list[tuple[Path, Layout]] = []
        if directory is None:
            paths = memory_paths(Path.cwd())
            directory, project = paths.memory_dir, paths.project.top
            settings = load_settings(
                paths.project_dir, base=paths.conversations_dir.parent
            )
            left = memory_of(paths)
            others = _other_directories(paths)
        else:
            memory = memory_with_logs(directory)
            if memory is not None and directory.is_dir():
                shown = one_line(str(memory))
                print(
                    f"memlab doctor: {one_line(str(directory))} is in the logs"
                    f" of {shown}, which is examined as a whole",
                    file=sys.stderr,
                )
                directory = memory
            with suppress(MemlabError, OSError):  # settings of another place
                base = memory_paths(Path.cwd()).conversations_dir.parent
                left = gone_project(directory, base)
                layout = layout_of(directory, base)
        found = diagnose(
            directory,
            project_instructions=_instructions(args.instructions, project),
            project=project,
            moved=[_moved(left, project)] if left else [],
            layout=layout,
            settings=settings,
            may_be_missing=bool(left or others),
            progress=_Progress(),
        )
    except (MemlabError, OSError) as error:
        _complain(error)
        return 2
    also = []
    for other, kind in others:
        try:
            also.append(diagnose(other, layout=kind, progress=_Progress()))
        except (MemlabError, OSError) as error:
            _complain(error)
    if args.json:
        whole = found.as_json()
        if args.directory is None:
            whole["also"] = [one.as_json() for one in also]
        print(json.dumps(whole, indent=2))
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print(
            "\n\n".join(render(one, colour=colour) for one in [found, *also])
        )
    if len(also) < len(others):
        return 2
    return 0 if all(one.is_clean for one in [found, *also]) else 1


def _complain(error: Exception) -> None:
    """Say why a directory was not examined."""
    print(f"memlab doctor: {one_line(str(error))}", file=sys.stderr)


def _other_directories(paths: MemoryPaths) -> list[tuple[Path, Layout]]:
    """List what else memlab keeps for the project, as far as it is there."""
    base = paths.conversations_dir.parent
    others = [
        (paths.project_dir / SESSION_MEMORY, Layout.notes),
        (personal_folder(base), Layout.personal),
    ]
    return [
        (folder, layout)
        for folder, layout in others
        if folder.is_dir() and folder != paths.memory_dir
    ]


def render(found: Diagnosis, *, colour: bool = False) -> str:
    """Write a diagnosis for people: how many findings there are, then the
    findings, the worst first, then why each rule matters.
    """
    where = one_line(tilde(found.directory.absolute(), Path.home()))
    lines = [f"{_totals(found)} ({where})"]
    if found.caps.client != "memlab":
        lines.append(
            f"Kept by {found.caps.client}, so its limits for the index apply:"
            f" {found.caps}."
        )
    worst_first = sorted(
        found.findings, key=lambda one: SEVERITIES.index(one.severity)
    )
    for (_, file), group in groupby(
        worst_first, key=lambda finding: (finding.severity, finding.file)
    ):
        lines += ["", one_line(file)]
        for finding in group:
            place = f"line {finding.line}" if finding.line else ""
            mark = f"{finding.severity:7}"
            if colour:
                mark = f"{_COLOURS[finding.severity]}{mark}{_PLAIN}"
            lines.append(
                f"  {mark} {place:>9}  {finding.rule}:"
                f" {one_line(finding.message)}"
            )
            lines.append(f"{'':21}{one_line(finding.suggestion)}")
    named = dict.fromkeys((one.rule, one.why) for one in worst_first)
    if named:
        lines += ["", "Why it matters"]
        lines += [f"  {rule}: {why}" for rule, why in named]
    lines += _links(found.links)
    return "\n".join(lines)


def _totals(found: Diagnosis) -> str:
    """Say how many memories and findings there are: ``4 memories: 1 error``."""
    memories = "memory" if found.memories == 1 else "memories"
    if found.layout is Layout.personal:
        memories = f"personal {memories}"
    if found.layout is Layout.notes:
        memories = f"session{'' if found.memories == 1 else 's'} with notes"
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity, count in found.counts.items()
        if count
    ]
    said = ", ".join(counts) or "nothing is wrong"
    return f"{found.memories:,} {memories}: {said}"


def _links(links: Sequence[Link]) -> list[str]:
    """Draw the links between memories: one line per memory that has any."""
    lines = ["", "Links"] if links else []
    for source, group in groupby(links, key=lambda link: link.source):
        targets = [
            link.target or f"[[{link.name}]] (no memory)" for link in group
        ]
        named = ", ".join(dict.fromkeys(targets))
        lines.append(f"  {one_line(source)} → {one_line(named)}")
    return lines


def render_rules() -> str:
    """Write the table of rules for people: what each one is called, why it
    matters, how to fix.
    """
    lines = []
    for rule in RULES:
        lines.append(f"{rule.name} ({rule.severity})")
        lines.append(f"  {rule.why}")
        lines.append(f"  {rule.fix or 'The finding says what to do.'}")
    return "\n".join(lines)


def _moved(left: LeftBehind, project: Path | None) -> Spot:
    """Say which memory was left behind, and how it comes to the project."""
    if project is None:
        message = f"the folder of its project, {left.root}, is gone"
        if left.root.exists():
            message = f"its folder, {left.root}, belongs to another project"
    else:
        state = (
            "belongs to this project now" if left.root.exists() else "is gone"
        )
        message = (
            f"memory of {left.root}, which {state}, is in {left.folder}"
            f" (memories: {left.memories:,})"
        )
    old, new = quote(str(left.root)), quote(str(project or "NEW"))
    suggestion = (
        "If this project was there before, type: python3 -m memlab move"
        f" {old} {new}"
    )
    return Spot(".", message, suggestion=suggestion)


def _instructions(named: Path | None, project: Path | None) -> str:
    """Read the instructions that the person named, or else the project's own."""
    if named is not None:
        if not named.exists():
            raise FileNotFoundError(
                errno.ENOENT, os.strerror(errno.ENOENT), str(named)
            )
        inside = Path(named.resolve().anchor)
        file = read_prompt_file(named, inside=inside, most=CLAUDE_MD_BYTES)
    elif project is not None:
        file = read_prompt_file(
            project / "CLAUDE.md", inside=project, most=CLAUDE_MD_BYTES
        )
    else:
        return ""
    if file.notice:
        print(f"memlab doctor: {one_line(file.notice)}", file=sys.stderr)
    return file.text


class _Progress:
    """A line every two seconds, so that nobody wonders whether it still runs."""

    def __init__(self) -> None:
        self._shown_at = monotonic()

    def __call__(self, done: int, of: int) -> None:
        if monotonic() - self._shown_at >= QUIET_SECONDS:
            self._shown_at = monotonic()
            print(
                f"memlab doctor: {done:,} of {of:,} files",
                file=sys.stderr,
                flush=True,
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m memlab doctor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="the memory directory (default: that of this project)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print the findings as JSON, for programs",
    )
    parser.add_argument(
        "--rules",
        action="store_true",
        help="list what is looked for, and examine nothing",
    )
    parser.add_argument(
        "--instructions",
        type=Path,
        metavar="FILE",
        help="the project's CLAUDE.md",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
