"""What the settings files and the environment say: the switches, with what set
each one, the figures that a person has changed, and the folder of their
prompts.

Files of a checkout are never asked. The flag file simulates a remote service
that turns features on for some people. It may be old, broken or missing, and
nothing stops because of it. What a switch means is in `toggles.toml`; what it
does is not known here.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memlab.clock import from_nanoseconds
from memlab.errors import SettingsError
from memlab.memdir.places import PLACE_SETTINGS, read_settings
from memlab.settings import Settings
from memlab.text import expand_home

Found = dict[str, tuple[Any, str]]  # each name with its value and what set it
FLAG_FILE = "flags.json"
_TABLE = tomllib.loads(
    Path(__file__).with_name("toggles.toml").read_text("utf-8")
)
SWITCHES: dict[str, str] = _TABLE["switches"]
_WORDS: dict[str, bool] = _TABLE["words"]
_KINDS: dict[str, str] = _TABLE["kinds"]
_FIGURES = {each.name: str(each.type) for each in fields(Settings)}


@dataclass(frozen=True)
class Toggles:
    """Every switch, and in ``sources`` what set each one that is not at its
    default.

    ``min_hours`` and ``min_sessions`` replace the settings of the dream's
    gates if they are not None. ``problems`` has a line for everything in the
    flag file and the settings files that is passed over.
    """

    auto_memory: bool = True
    recall: bool = True
    extraction: bool = True
    auto_dream: bool = False
    session_memory: bool = False
    team: bool = False
    personal: bool = False
    daily_log: bool = False
    remote: bool = False
    bare: bool = False
    index_in_reminder: bool = False
    fork_reads_anywhere: bool = False
    read_only_git: bool = False
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
    found, problems = _flags(base / FLAG_FILE, now or datetime.now(UTC))
    kinds = dict.fromkeys(SWITCHES, "bool")
    found |= _stated(kinds, project_dir, base, environ)
    known = {*SWITCHES, *_FIGURES, *PLACE_SETTINGS, "prompts"}
    for file in (base / "settings.json", project_dir / "settings.json"):
        for key in sorted(read_settings(file).keys() - known):
            problems.append(f"{file.name}: no setting is called {key!r:.40}")
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
    found = _stated(_FIGURES, project_dir, base, environ)
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
    found = _stated({"prompts": "str"}, project_dir, base, environ)
    name, source = found.get("prompts", ("", ""))
    if not name.strip():
        return None
    folders = {"local settings": project_dir, "user settings": base}
    return folders.get(source, Path.cwd()) / expand_home(name, Path.home())


def _stated(
    kinds: Mapping[str, str],
    project_dir: Path,
    base: Path,
    environ: Mapping[str, str] | None,
) -> Found:
    """Give the value of each named key that is set, and what set it."""
    found: Found = {}
    places = {"user settings": base, "local settings": project_dir}
    for source, folder in places.items():
        file = folder / "settings.json"
        for name, value in read_settings(file).items():
            if name in kinds:
                where = f"{file}, {name}"
                found[name] = _checked(value, kinds[name], where), source
    variables = os.environ if environ is None else environ
    for name, kind in kinds.items():
        source = f"MEMLAB_{name.upper()}"
        text = variables.get(source, "").strip()
        if text:
            value = _from_text(text, kind)
            found[name] = _checked(value, kind, source), source
    return found


def _from_text(text: str, kind: str) -> Any:
    """Read a variable's text as a value of a kind, if it is one."""
    if kind == "bool":
        return _WORDS.get(text.lower(), text)
    with suppress(ValueError):
        return {"int": int, "float": float, "str": str}[kind](text)
    return text


def _checked(value: Any, kind: str, where: str) -> Any:
    """Return a value that is of a kind; a whole number will do for a
    fraction.
    """
    if kind == "float" and type(value) is int:
        value = float(value)
    is_endless = isinstance(value, float) and not math.isfinite(value)
    if type(value).__name__ == kind and not is_endless:
        return value
    what, do = "this is neither on nor off", "Write true or false"
    if kind != "bool":
        what = f"{value!r} is not {_KINDS[kind]}"
        do = "Correct it or remove it"
    raise SettingsError(what, where=where, do=do)


def _flags(file: Path, now: datetime) -> tuple[Found, list[str]]:
    """Give what the flag file sets, with its age, and what is passed over."""
    try:
        values = read_settings(file)
        changed = from_nanoseconds(file.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}, []
    except (SettingsError, OSError) as error:
        return {}, [f"{file.name} is passed over: {error}"]
    hours = max(now - changed, timedelta()) / timedelta(hours=1)
    found: Found = {}
    problems = []
    for flag in sorted(_TABLE["flags"].keys() & values.keys()):
        name, kind = _TABLE["flags"][flag]
        value = values[flag]
        try:
            if _checked(value, kind, flag) < 0:
                raise SettingsError("no number is below 0")
            found[name] = value, f"{file.name}, {hours:.0f} h old"
        except SettingsError:
            problem = f"{flag} is passed over: {value!r:.40}"
            problems.append(f"{file.name}: {problem}")
    return found, problems
