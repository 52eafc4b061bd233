"""What the settings files and the environment say: the table of switches, with
what set each one, the figures a person has changed, and the prompts' folder.

The flag file simulates a remote service that turns features on for some
people. It may be old, broken or missing, and nothing stops because of it.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.clock import from_nanoseconds
from memlab.errors import SettingsError
from memlab.settings import Settings
from memlab.text import expand_home

FLAG_FILE = "flags.json"
_FLAGS = {
    "enabled": "auto_dream",
    "min_hours": "min_hours",
    "min_sessions": "min_sessions",
    "session_memory": "session_memory",
    "team": "team",
    "personal": "personal",
    "daily_log": "daily_log",
}
_KINDS: dict[str, type] = {"int": int, "float": float, "str": str}
_WORDS = {
    "1": True,
    "true": True,
    "on": True,
    "0": False,
    "false": False,
    "off": False,
}


def _switch(default: bool, meaning: str) -> Any:
    """Declare one switch with its default and what it means when it is on."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True)
class Toggles:
    """Every switch, and in ``sources`` what set each one that is not at its
    default.

    ``min_hours`` and ``min_sessions`` replace the settings of the dream's
    gates if they are not None. ``problems`` has a line for everything in the
    flag file that was ignored.
    """

    auto_memory: bool = _switch(True, "the agent has a memory")
    recall: bool = _switch(
        True, "memories that help with a message are attached to it"
    )
    extraction: bool = _switch(
        True, "memories are saved from the conversation in the background"
    )
    auto_dream: bool = _switch(
        False, "the memory is consolidated, and so rewritten, when due"
    )
    session_memory: bool = _switch(
        False,
        "notes of each session are kept, which a compaction uses instead of a"
        " summary",
    )
    team: bool = _switch(False, "part of the memory is shared with the team")
    personal: bool = _switch(
        False, "memories about the person hold in every project"
    )
    daily_log: bool = _switch(
        False, "notes go to a daily log, and no dream starts by itself"
    )
    remote: bool = _switch(
        False, "the agent runs on another machine, and does not dream"
    )
    bare: bool = _switch(
        False, "the agent runs with as little as possible, and does not dream"
    )
    index_in_reminder: bool = _switch(
        False,
        "the index is in a reminder before the first message, instead of in"
        " the system prompt",
    )
    fork_reads_anywhere: bool = _switch(
        False,
        "extraction and dreams may read every file, and not only the project,"
        " its memory and its transcripts",
    )
    read_only_git: bool = _switch(
        False,
        "git log, show, diff and status count as commands that only read",
    )
    min_hours: float | None = None
    min_sessions: int | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def source(self, name: str) -> str:
        """Say what set a switch."""
        return self.sources.get(name, "default")

    def switched(self, name: str, on: bool, source: str) -> Toggles:
        """Give a copy in which a switch was set by ``source``."""
        changes: dict[str, Any] = {name: on}
        sources = {**self.sources, name: source}
        return replace(self, sources=sources, **changes)

    def rows(self) -> list[tuple[str, bool, str]]:
        """List every switch with its state and what set it."""
        return [
            (name, getattr(self, name), self.source(name)) for name in SWITCHES
        ]


SWITCHES = {
    each.name: each.metadata["meaning"]
    for each in fields(Toggles)
    if each.metadata
}


def load_toggles(
    project_dir: Path,
    *,
    base: Path,
    environ: Mapping[str, str] | None = None,
    defaults: Toggles | None = None,
    now: datetime | None = None,
) -> Toggles:
    """Read every switch; the first that names it wins, and files of a checkout
    are not asked.

    In order: ``MEMLAB_AUTO_DREAM=1`` and its like, ``settings.json`` in
    ``project_dir``, then in ``base``; ``flags.json`` in ``base``, for dreams
    and the modes only. Raises SettingsError for a switch that is set to
    anything but on or off; the flag file raises nothing.
    """
    problems: list[str] = []
    found = _flags(base / FLAG_FILE, now or datetime.now(UTC), problems)
    for folder, label in (
        (base, "user settings"),
        (project_dir, "local settings"),
    ):
        file = folder / "settings.json"
        for name, value in _object(file).items():
            if name in SWITCHES:
                found[name] = _on_or_off(value, f"{file}, {name}"), label
    for name, text in (os.environ if environ is None else environ).items():
        switch = name.removeprefix("MEMLAB_").lower()
        if name.startswith("MEMLAB_") and switch in SWITCHES:
            found[switch] = (
                _on_or_off(_WORDS.get(text.strip().lower()), name),
                name,
            )
    values = {name: value for name, (value, _) in found.items()}
    sources = {name: source for name, (_, source) in found.items()}
    return replace(
        defaults or Toggles(),
        **values,
        sources=sources,
        problems=tuple(problems),
    )


def load_settings(
    project_dir: Path,
    *,
    base: Path,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings with what a person has changed in them.

    In order: the variable with the setting's name (``MEMLAB_MAIN_MODEL`` for
    ``main_model``), ``settings.json`` in ``project_dir``, then in ``base``.
    Files of a checkout are not asked. A person who names only the main model
    means it for the side-query too, since a server of their own seldom has
    the other one. Raises SettingsError for a value of another kind.
    """
    changes: dict[str, Any] = {}
    kinds = {each.name: _KINDS[str(each.type)] for each in fields(Settings)}
    for folder in (base, project_dir):
        file = folder / "settings.json"
        for name, value in _object(file).items():
            if name in kinds:
                where = f"{file}, {name}"
                changes[name] = _of_kind(kinds[name], value, where)
    variables = os.environ if environ is None else environ
    for name, kind in kinds.items():
        text = variables.get(f"MEMLAB_{name.upper()}", "").strip()
        if text:
            where = f"MEMLAB_{name.upper()}"
            changes[name] = _of_kind(kind, _number(kind, text), where)
    if "main_model" in changes:
        changes.setdefault("select_model", changes["main_model"])
    return Settings().with_changes(**changes)


def _number(kind: type, text: str) -> Any:
    """Read a variable's text as a number where the setting is one."""
    if kind is str:
        return text
    try:
        return kind(text)
    except ValueError:
        return text


def _is_endless(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _of_kind(kind: type, value: Any, where: str) -> Any:
    """Return a value that is of a setting's kind; a whole number will do for
    a fraction.
    """
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is kind and not _is_endless(value):
        return value
    names = {int: "a whole number", float: "a number", str: "a text"}
    raise SettingsError(
        f"{value!r} is not {names[kind]}",
        where=where,
        do="Correct it or remove it",
    )


def prompts_folder(
    project_dir: Path, *, base: Path, environ: Mapping[str, str] | None = None
) -> Path | None:
    """Find the folder of the person's own prompts; None if there is none.

    In order: ``MEMLAB_PROMPTS``, ``prompts`` in ``settings.json`` in
    ``project_dir``, then in ``base``. A relative path counts from the folder
    of the settings file. Files of a checkout are not asked.
    """
    named = (os.environ if environ is None else environ).get("MEMLAB_PROMPTS")
    if named:
        return Path(expand_home(named, Path.home())).absolute()
    for folder in (project_dir, base):
        file = folder / "settings.json"
        value = _object(file).get("prompts")
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip():
            raise SettingsError(
                "this is not the name of a folder",
                where=f"{file}, prompts",
                do="Write a path in quotation marks",
            )
        return folder / expand_home(value, Path.home())
    return None


def _object(file: Path) -> dict[str, Any]:
    try:
        values = json.loads(file.read_text("utf-8-sig"))
        if not isinstance(values, dict):
            raise ValueError("this is no JSON object")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(
            str(error), where=file, do="Correct it or remove it"
        ) from error
    return values


def _on_or_off(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise SettingsError(
            "this is neither on nor off", where=where, do="Write true or false"
        )
    return value


def _flags(
    file: Path, now: datetime, problems: list[str]
) -> dict[str, tuple[Any, str]]:
    """Give what the flag file sets, and how old it is; note what is passed
    over, and why.
    """
    try:
        values = _object(file)
        changed = from_nanoseconds(file.stat().st_mtime_ns)
        hours = max(now - changed, timedelta()) / timedelta(hours=1)
        age = f"{file.name}, {hours:.0f} h old"
    except (SettingsError, OSError) as error:
        missing = isinstance(error, FileNotFoundError)
        problems += [] if missing else [f"{file.name} is passed over: {error}"]
        return {}
    good = {
        flag: value
        for flag, value in values.items()
        if flag in _FLAGS and _fits(flag, value)
    }
    for flag in sorted(_FLAGS.keys() & values.keys() - good.keys()):
        problems.append(
            f"{file.name}: {flag} is passed over: {values[flag]!r:.40}"
        )
    return {_FLAGS[flag]: (value, age) for flag, value in good.items()}


def _fits(flag: str, value: Any) -> bool:
    is_switch = _FLAGS[flag] in SWITCHES
    if is_switch or isinstance(value, bool):
        return is_switch and isinstance(value, bool)
    kind = int if flag == "min_sessions" else (int, float)
    return isinstance(value, kind) and 0 <= value < math.inf
