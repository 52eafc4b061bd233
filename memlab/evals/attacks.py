"""The attack batteries: shell commands and memory paths, each with the verdict it must get.

Left out: the guards that are judged, the trees in which cases are tried (``attack_trees.py``), and
the proofs that the labels are true, which the tests run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from memlab.errors import MemlabError

HALVES = ("work", "final")
SHELL_PROOFS = ("effect", "unparsable", "unbounded", "expansion")
PATH_PROOFS = (
    "escape",
    "internal",
    "twin",
    "split",
    "windows",
    "display",
    "unopenable",
    "race",
)
LIMITS = ("time", "output", "memory")
SHELL_FAMILIES = (
    *("reading", "options", "pipes", "quoting", "globs", "outside", "limits"),
    *("redirection", "here-document", "process-substitution", "command-substitution"),
    *("parameter", "arithmetic", "brace", "tilde", "history", "extglob", "ansi-quoting"),
    *("separator", "background", "newline", "comment", "assignment", "compound", "builtin"),
    *("wrapper", "other-program", "later-stage", "path-as-name", "find-action", "follow"),
    *("link-following", "hidden-operands", "disguised-option", "glob-as-option"),
    *("look-alike", "control-character", "broken", "size"),
)
PATH_FAMILIES = (
    *("ordinary", "dots", "percent", "backslash", "drive-and-unc", "nul", "nfkc"),
    *("normal-forms", "control", "zero-width", "traversal", "absolute", "sibling", "symlink"),
    *("dangling", "loop", "race", "case", "trailing", "reserved", "internals", "lock"),
    *("length", "device", "tilde", "not-a-file"),
)
LEAST_SHELL, LEAST_PATHS = 200, 180

# Ten times as fast where PyYAML was built with libyaml, and as safe.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORM = "Keep to the form in the folder's README.md."


class AttackFileError(MemlabError):
    """A battery is missing, or not of the form it must have."""


@dataclass(frozen=True)
class ShellCase:
    """A command, whether the verdict must allow it, and what shows that the label is true.

    ``@NAME@`` in a text stands for a place of the tree (``attack_trees.fill``). ``confined`` and
    ``trap`` belong to allowed commands, ``proof`` and what follows it to refused ones.
    """

    id: str
    command: str
    allow: bool
    family: str
    half: str
    reason: str
    setup: tuple[str, ...] = ()
    confined: bool | None = None
    trap: tuple[str, ...] = ()
    limit: str = ""
    proof: str = ""
    twin: str = ""
    becomes: str = ""
    trace: str = ""


@dataclass(frozen=True)
class PathCase:
    """A path as a model may hand it in, whether it may be used, and what shows the label true."""

    id: str
    path: str
    allow: bool
    family: str
    half: str
    reason: str
    setup: tuple[str, ...] = ()
    proof: str = ""
    after: tuple[str, ...] = ()


def load_shell_cases(folder: Path | str) -> tuple[ShellCase, ...]:
    """Read ``shell.yaml`` of that folder; raises AttackFileError."""
    return tuple(ShellCase(**item) for item in _items(Path(folder) / "shell.yaml", ShellCase))


def load_path_cases(folder: Path | str) -> tuple[PathCase, ...]:
    """Read ``paths.yaml`` of that folder; raises AttackFileError."""
    return tuple(PathCase(**item) for item in _items(Path(folder) / "paths.yaml", PathCase))


def lint_attacks(folder: Path | str) -> list[str]:
    """Say what is wrong with the batteries in that folder; an empty list means nothing."""
    try:
        shell, paths = load_shell_cases(folder), load_path_cases(folder)
    except AttackFileError as error:
        return [str(error)]
    seen = Counter([case.id for case in shell] + [case.id for case in paths])
    return [
        *(f"{name}: the id stands on {n} cases" for name, n in seen.items() if n > 1),
        *_battery("shell.yaml", shell, SHELL_FAMILIES, LEAST_SHELL),
        *_battery("paths.yaml", paths, PATH_FAMILIES, LEAST_PATHS),
        *(f"{case.id}: {what}" for case in shell for what in _wrong_with_shell(case)),
        *(f"{case.id}: {what}" for case in paths for what in _wrong_with_path(case)),
        *_said_twice([(case.id, f"{case.command!r} {case.setup}") for case in shell]),
        *_said_twice([(case.id, f"{case.path!r} {case.setup}") for case in paths]),
    ]


def _battery(
    name: str, cases: Sequence[ShellCase | PathCase], families: Sequence[str], least: int
) -> list[str]:
    """Say what is wrong with a whole battery: its size, its families, how its halves compare."""
    problems = [] if len(cases) >= least else [f"{name}: {len(cases)} cases, at least {least}"]
    counts = Counter((case.family, case.half) for case in cases)
    for family in families:
        work, final = counts[family, "work"], counts[family, "final"]
        if not (work and final):
            problems.append(f"{name}: family {family} is missing in a half: {work} and {final}")
        elif abs(work - final) > 1:
            problems.append(f"{name}: family {family} has {work} in work and {final} in final")
    for allow in (True, False):
        work, final = (
            sum(case.half == half and case.allow is allow for case in cases) for half in HALVES
        )
        if abs(work - final) > 2:
            label = "allow" if allow else "deny"
            problems.append(f"{name}: {label} has {work} in work and {final} in final")
    odd = sorted({case.family for case in cases} - set(families))
    return problems + [f"{name}: no family is named {family}" for family in odd]


def _wrong_with_shell(case: ShellCase) -> list[str]:
    only_allowed = case.confined is not None or case.trap or case.limit
    only_denied = case.proof or case.twin or case.becomes or case.trace
    rules = {
        "a command to allow needs confined and has no proof": case.allow
        and (case.confined is None or only_denied),
        "a command to refuse needs a proof and has no confined, trap or limit": not case.allow
        and (case.proof not in SHELL_PROOFS or only_allowed),
        "becomes goes with an expansion, and an expansion with becomes": (case.proof == "expansion")
        is not bool(case.becomes),
        "twin and trace go with an effect": (case.twin or case.trace) and case.proof != "effect",
        f"the limit is none of {', '.join(LIMITS)}": case.limit not in ("", *LIMITS),
    }
    return [*_wrong_with_any(case), *(rule for rule, broken in rules.items() if broken)]


def _wrong_with_path(case: PathCase) -> list[str]:
    rules = {
        "a path to allow has no proof": case.allow and (case.proof or case.after),
        "a path to refuse needs a proof": not case.allow and case.proof not in PATH_PROOFS,
    }
    return [*_wrong_with_any(case), *(rule for rule, broken in rules.items() if broken)]


def _wrong_with_any(case: ShellCase | PathCase) -> Iterable[str]:
    if case.half not in HALVES:
        yield f"the half is none of {', '.join(HALVES)}"
    if not case.id.startswith(f"{case.family}-"):
        yield f"the id does not begin with its family, {case.family}"
    if not case.reason.endswith(".") or "\n" in case.reason:
        yield "the reason is no sentence on one line"


def _said_twice(cases: Iterable[tuple[str, str]]) -> list[str]:
    first: dict[str, str] = {}
    return [
        f"{name}: the same as {first[text]}"
        for name, text in cases
        if first.setdefault(text, name) != name
    ]


def _items(path: Path, kind: type[ShellCase] | type[PathCase]) -> list[dict[str, Any]]:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise AttackFileError(f"cannot be read: {error}", where=path, do=_FORM) from error
    if not isinstance(content, list):
        raise AttackFileError("not a list of cases", where=path, do=_FORM)
    return [_item(item, kind, f"{path.name}, case {n}") for n, item in enumerate(content, 1)]


def _item(item: object, kind: type[ShellCase] | type[PathCase], where: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise AttackFileError("not a mapping", where=where, do=_FORM)
    known = {field.name: str(field.type) for field in fields(kind)}
    needed = {field.name for field in fields(kind) if field.default is MISSING}
    if odd := sorted(map(str, (needed - item.keys()) | (item.keys() - known.keys()))):
        raise AttackFileError(f"missing or unknown: {', '.join(odd)}", where=where, do=_FORM)
    return {key: _value(item[key], known[key], f"{where}, {key}") for key in item}


def _value(value: object, kind: str, where: str) -> object:
    if kind.startswith("tuple"):
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
    elif kind.startswith("bool"):
        if isinstance(value, bool):
            return value
    elif isinstance(value, str):
        return value
    elif isinstance(value, Mapping) and value.keys() == {"before", "repeat", "times", "after"}:
        return f"{value['before']}{value['repeat'] * value['times']}{value['after']}"
    raise AttackFileError(f"{value!r} is no {kind}", where=where, do=_FORM)
