"""What the settings files and the environment say: the switches, with what set
each one, the figures that a person has changed, and the folder of their
prompts.

Files of a checkout are never asked. The flag file simulates a remote service
that turns features on for some people. It may be old, broken or missing, and
nothing stops because of it. What a switch does is not known here.
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
_SWITCH_FLAGS = {"enabled": "auto_dream"} | {
    name: name for name in ("session_memory", "team", "personal", "daily_log")
}
_FLAGS = {
    **{flag: (name, bool) for flag, name in _SWITCH_FLAGS.items()},
    "min_hours": ("min_hours", float),
    "min_sessions": ("min_sessions", int),
}
_KINDS: dict[str, type] = {"int": int, "float": float, "str": str}
_WORDS = {"1": True, "true": True, "on": True}
_WORDS |= {"0": False, "false": False, "off": False}
_WRONG = {
    bool: ("this is neither on nor off", "Write true or false"),
    int: ("is not a whole number", "Correct it or remove it"),
    float: ("is not a number", "Correct it or remove it"),
    str: ("is not a text", "Correct it or remove it"),
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
    """Read every switch; the first that names it wins.

    In order: ``MEMLAB_AUTO_DREAM=1`` and its like, ``settings.json`` in
    ``project_dir``, then in ``base``; ``flags.json`` in ``base``, for dreams
    and the modes only. Raises SettingsError for a switch that is set to
    anything but on or off; the flag file raises nothing.
    """
    flags, problems = _flags(base / FLAG_FILE, now or datetime.now(UTC))
    kinds = dict.fromkeys(SWITCHES, bool)
    found = {**flags, **_stated(kinds, project_dir, base, environ)}
    return replace(
        defaults or Toggles(),
        **{name: value for name, (value, _) in found.items()},
        sources={name: source for name, (_, source) in found.items()},
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
    ``main_model``), ``settings.json`` in ``project_dir``, then in ``base``. A
    person who names only the main model means it for the side-query too, since
    a server of their own seldom has the other one. Raises SettingsError for a
    value of another kind.
    """
    kinds = {each.name: _KINDS[str(each.type)] for each in fields(Settings)}
    found = _stated(kinds, project_dir, base, environ)
    changes = {name: value for name, (value, _) in found.items()}
    if "main_model" in changes:
        changes.setdefault("select_model", changes["main_model"])
    return Settings().with_changes(**changes)


def prompts_folder(
    project_dir: Path, *, base: Path, environ: Mapping[str, str] | None = None
) -> Path | None:
    """Find the folder of the person's own prompts; None if there is none.

    In order: ``MEMLAB_PROMPTS``, ``prompts`` in ``settings.json`` in
    ``project_dir``, then in ``base``. A relative path counts from the folder
    of the settings file.
    """
    found = _stated({"prompts": str}, project_dir, base, environ)
    name, source = found.get("prompts", ("", ""))
    if not name.strip():
        return None
    folders = {"local settings": project_dir, "user settings": base}
    return folders.get(source, Path.cwd()) / expand_home(name, Path.home())


def _stated(
    kinds: Mapping[str, type],
    project_dir: Path,
    base: Path,
    environ: Mapping[str, str] | None,
) -> dict[str, tuple[Any, str]]:
    """Give the value of each named key that is set, and what set it."""
    found: dict[str, tuple[Any, str]] = {}
    for folder, source in (
        (base, "user settings"),
        (project_dir, "local settings"),
    ):
        file = folder / "settings.json"
        for name, value in _object(file).items():
            if name in kinds:
                value = _of_kind(kinds[name], value, f"{file}, {name}")
                found[name] = value, source
    variables = os.environ if environ is None else environ
    for name, kind in kinds.items():
        source = f"MEMLAB_{name.upper()}"
        text = variables.get(source, "").strip()
        if text:
            value = _of_kind(kind, _from_text(kind, text), source)
            found[name] = value, source
    return found


def _from_text(kind: type, text: str) -> Any:
    """Read a variable's text as a value of a kind, if it is one."""
    if kind is bool:
        return _WORDS.get(text.lower(), text)
    try:
        return kind(text)
    except ValueError:
        return text


def _of_kind(kind: type, value: Any, where: str) -> Any:
    """Return a value that is of a kind; a whole number will do for a
    fraction.
    """
    is_endless = isinstance(value, float) and not math.isfinite(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is kind and not is_endless:
        return value
    what, do = _WRONG[kind]
    if kind is not bool:
        what = f"{value!r} {what}"
    raise SettingsError(what, where=where, do=do)


def _object(file: Path) -> dict[str, Any]:
    try:
        values = json.loads(file.read_text("utf-8-sig"))
        if not isinstance(values, dict):
            raise ValueError("this is no JSON object")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        do = "Correct it or remove it"
        raise SettingsError(str(error), where=file, do=do) from error
    return values


def _flags(
    file: Path, now: datetime
) -> tuple[dict[str, tuple[Any, str]], list[str]]:
    """Give what the flag file sets, with its age, and what is passed over."""
    try:
        values = _object(file)
        changed = from_nanoseconds(file.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}, []
    except (SettingsError, OSError) as error:
        return {}, [f"{file.name} is passed over: {error}"]
    hours = max(now - changed, timedelta()) / timedelta(hours=1)
    found, problems = {}, []
    for flag in sorted(_FLAGS.keys() & values.keys()):
        name, kind = _FLAGS[flag]
        value = values[flag]
        try:
            if _of_kind(kind, value, flag) < 0:
                raise SettingsError("no number is below 0")
            found[name] = value, f"{file.name}, {hours:.0f} h old"
        except SettingsError:
            problem = f"{flag} is passed over: {value!r:.40}"
            problems.append(f"{file.name}: {problem}")
    return found, problems
