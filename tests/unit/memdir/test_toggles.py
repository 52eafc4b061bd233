"""Switches and settings: who may set them, who wins, and what is wrong."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import SettingsError
from memlab.memdir.toggles import SWITCHES, Toggles, load_settings, load_toggles

FLAGS = "auto_dream", "team"  # that have a flag
FILES = {"flags": "flags.json", "user": "settings.json", "local": "p/settings.json"}


def load(base: Path, environ: Any = None, **files: Any) -> Toggles:
    """Read the switches, with these values in the flag file, the user and the local settings."""
    (base / "p").mkdir(exist_ok=True)
    for name, said in files.items():
        text = said if isinstance(said, str) else json.dumps(said)
        (base / FILES[name]).write_text(text, "utf-8")
    return load_toggles(base / "p", base=base, environ=environ or {})


@pytest.mark.behaviour("L4")
@pytest.mark.parametrize("name", ["auto_memory", "recall", "auto_dream", "team"])
def test_the_first_that_names_a_switch_wins(tmp_path: Path, name: str) -> None:
    """The environment, the local and the user settings, the flag file, the default."""
    default = getattr(load(tmp_path), name)
    variable, flag = f"MEMLAB_{name.upper()}", {"auto_dream": "enabled"}.get(name, name)
    for environ, local, user, flags in product((None, True, False), repeat=4):
        said: Any = {"local": {name: local}, "user": {name: user}}
        said["flags"] = {flag: flags}
        said = {k: {} if None in one.values() else one for k, one in said.items()}
        given = {} if environ is None else {variable: "on" if environ else "off"}
        found = load(tmp_path, given, **said)
        order = [variable, "local settings", "user settings", "flags.json", "default"]
        values = [environ, local, user, flags if name in FLAGS else None, default]
        wins = next(n for n, value in enumerate(values) if value is not None)
        assert (getattr(found, name), found.source(name)) == (values[wins], order[wins])


@pytest.mark.behaviour("L4")
def test_by_default_three_are_on_and_what_is_wrong_is_named(tmp_path: Path) -> None:
    found = load(tmp_path)
    on = [name for name in SWITCHES if getattr(found, name)]
    assert (on, found.problems) == (["auto_memory", "recall", "extraction"], ())
    twice = '{"bare": true, "bare": false}'
    for said in ("{", "[true]", {"auto_dream": "yes"}, {"auto_dream": None}, twice):
        with pytest.raises(SettingsError, match=r"settings\.json"):
            load(tmp_path, local=said)
    with pytest.raises(SettingsError, match="MEMLAB_BARE: 'maybe' is not on or off"):
        load(tmp_path, {"MEMLAB_BARE": "maybe"}, local={})
    said = {"zzz": 1, "main_model": "u", "mian_model": "v"}
    near, far = load(tmp_path, user=said).problems
    assert "no setting is called 'mian_model'. Did you mean main_model?" in near
    assert "settings.json: no setting is called 'zzz'. Remove it" in far
    for value in ("nan", "inf", "-1"):
        with pytest.raises(SettingsError, match=r"(?i)drain_seconds"):
            load_settings(tmp_path, base=tmp_path, environ={"MEMLAB_DRAIN_SECONDS": value})
    models = load_settings(tmp_path / "p", base=tmp_path, environ={})
    assert (models.main_model, models.select_model) == ("u", "u")


GOOD = {"enabled": True, "min_hours": 0.5, "min_sessions": 2}


@pytest.mark.behaviour("L4")
def test_a_flag_file_may_be_broken_and_what_comes_before_counts(tmp_path: Path) -> None:
    for said, kept in (
        (GOOD | {"colour": "blue"}, 3),
        (GOOD | {"min_hours": True}, 1),
        (GOOD | {"min_sessions": 2.5}, 2),
        *[(text, 0) for text in ("", "{", "[]", "null", "[" * 100_000, "\x00\x01")],
    ):
        found = load(tmp_path, flags=said)
        values = (found.auto_dream, found.min_hours, found.min_sessions)
        assert values == ((True, 0.5, 2)[:kept] + (False, None, None)[kept:])
        assert len(found.problems) == (kept != 3)
