"""What the settings files and the environment say: the switches, with what set
each one, the figures that a person has changed, and the folder of their
prompts.

Files of a checkout are never asked. The flag file simulates a remote service
that turns features on for some people. It may be old, broken or missing, and
nothing stops because of it. What a switch means is in `toggles.toml`; what it
does is not known here.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from memlab.errors import SettingsError
from memlab.memdir.places import PLACE_SETTINGS, read_settings
from memlab.settings import Settings
from memlab.text import expand_home

Variables = Mapping[str, str] | None
FLAG_FILE = "flags.json"
_TABLE = tomllib.loads(
    Path(__file__).with_name("toggles.toml").read_text("utf-8")
)
SWITCHES: dict[str, str] = _TABLE["switches"]
_FIGURES = {each.name: str(each.type) for each in fields(Settings)}
_KNOWN = {*SWITCHES, *_FIGURES, *PLACE_SETTINGS, "prompts"}


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


_DEFAULTS = Toggles()


def load_toggles(
    project_dir: Path,
    *,
    base: Path,
    environ: Variables = None,
    defaults: Toggles = _DEFAULTS,
) -> Toggles:
    """Read every switch; the first that names it wins.

    In order: ``MEMLAB_AUTO_DREAM=1`` and its like, ``settings.json`` in
    ``project_dir``, then in ``base``; ``flags.json`` in ``base``, for dreams
    and the modes only. Raises SettingsError for a switch that is set to
    anything but on or off; the flag file raises nothing.
    """
    found: dict[str, tuple[Any, str]] = {}
    problems = []
    try:
        flags = read_settings(base / FLAG_FILE)
        for flag, (name, kind) in _TABLE["flags"].items():
            if flag in flags:
                found[name] = _value(flags[flag], kind, flag), FLAG_FILE
    except SettingsError as error:  # what was read before counts
        problems.append(f"{FLAG_FILE} is passed over: {error}")
    switches = dict.fromkeys(SWITCHES, "bool")
    found |= _stated(switches, project_dir, base, environ)
    for file in (base / "settings.json", project_dir / "settings.json"):
        for key in sorted(read_settings(file).keys() - _KNOWN):
            near = get_close_matches(key, _KNOWN, 1)
            do = f"Did you mean {near[0]}?" if near else "Remove it."
            problems.append(f"{file}: no setting is called {key!r:.40}. {do}")
    return replace(
        defaults,
        **{name: value for name, (value, _) in found.items()},
        sources={name: source for name, (_, source) in found.items()},
        problems=tuple(problems),
    )


def load_settings(
    project_dir: Path, *, base: Path, environ: Variables = None
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
    project_dir: Path, *, base: Path, environ: Variables = None
) -> Path | None:
    """Find the folder of the person's own prompts; None if there is none.

    In order: ``MEMLAB_PROMPTS``, ``prompts`` in ``settings.json`` in
    ``project_dir``, then in ``base``. A relative path counts from the folder
    of the settings file.
    """
    found = _stated({"prompts": "str"}, project_dir, base, environ)
    name, source = found.get("prompts", ("", ""))
    folders = {"local settings": project_dir, "user settings": base}
    folder = folders.get(source, Path.cwd())
    return folder / expand_home(name, Path.home()) if name else None


def _stated(
    kinds: Mapping[str, str], project_dir: Path, base: Path, environ: Variables
) -> dict[str, tuple[Any, str]]:
    """Give the value of each named setting that is set, and what set it."""
    found = {}
    places = {"user settings": base, "local settings": project_dir}
    for source, folder in places.items():
        file = folder / "settings.json"
        for name, value in read_settings(file).items():
            if name in kinds:
                where = f"{file}, {name}"
                found[name] = _value(value, kinds[name], where), source
    variables = os.environ if environ is None else environ
    for name, kind in kinds.items():
        source = f"MEMLAB_{name.upper()}"
        text = variables.get(source, "").strip()
        if text:
            found[name] = _value(text, kind, source), source
    return found


def _value(value: Any, kind: str, where: str) -> Any:
    """Read a value of a kind, be it a text or not; raises SettingsError."""
    text = str(value).lower()
    try:
        if kind == "bool":
            return _TABLE["words"][text]
        if kind == "str" and isinstance(value, str):
            return value
        return {"int": int, "float": float}[kind](text)
    except (KeyError, ValueError) as error:
        what = f"{value!r:.40} is not {_TABLE['kinds'][kind]}"
        raise SettingsError(
            what, where=where, do="Correct it or remove it"
        ) from error
