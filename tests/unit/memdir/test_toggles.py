"""Switches and settings: who may set them, who wins, and what is wrong."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import SettingsError
from memlab.memdir.toggles import SWITCHES, Toggles, load_settings, load_toggles

FLAGS = ("auto_dream", "session_memory", "team", "personal", "daily_log")  # that have a flag


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path


def load(base: Path, environ: Any = None, defaults: Toggles | None = None, **files: Any) -> Toggles:
    """Read the switches, with these values in the flag file, the user and the local settings."""
    places = {"flags": "flags.json", "user": "settings.json", "local": "project/settings.json"}
    for name, said in files.items():
        text = said if isinstance(said, str) else json.dumps(said)
        (base / places[name]).write_text(text, "utf-8")
    more = {"defaults": defaults} if defaults else {}
    return load_toggles(base / "project", base=base, environ=environ or {}, **more)


@pytest.mark.behaviour("L4")
@pytest.mark.parametrize("name", SWITCHES)
def test_the_first_that_names_a_switch_wins(base: Path, name: str) -> None:
    """The environment, the local and the user settings, the flag file, the default."""
    states = (None, True, False)
    for row in product(states, states, states, states, (True, False)):
        said = dict(zip(("environ", "local", "user", "flags"), row[:4], strict=True))
        flag = {"auto_dream": "enabled"}.get(name, name)
        files = {one: {} if said[one] is None else {name: said[one]} for one in ("local", "user")}
        files["flags"] = {} if said["flags"] is None else {flag: said["flags"]}
        variable = f"MEMLAB_{name.upper()}"
        environ = {} if row[0] is None else {variable: "on" if row[0] else "off"}
        found = load(base, environ, Toggles(**{name: row[4]}), **files)
        order = [variable, "local settings", "user settings", "flags.json", "default"]
        values = [*row[:3], row[3] if name in FLAGS else None, row[4]]
        wins = next(n for n, value in enumerate(values) if value is not None)
        assert (getattr(found, name), found.source(name)) == (values[wins], order[wins])


@pytest.mark.behaviour("L4")
def test_in_your_own_projects_three_are_on_and_a_session_may_set_one(base: Path) -> None:
    found = load(base)
    on = [name for name in SWITCHES if getattr(found, name)]
    assert on == ["auto_memory", "recall", "extraction"]
    assert found.problems == ()
    changed = load(base, local={"team": True}).switched("team", False, "this session")
    assert (changed.team, changed.source("team")) == (False, "this session")


BROKEN = ["{", "[true]", '{"a": 1} b', "\x00"] + [{"auto_dream": one} for one in ("yes", 2, None)]


@pytest.mark.parametrize("said", BROKEN)
def test_broken_settings_are_an_error_that_names_the_file(base: Path, said: Any) -> None:
    with pytest.raises(SettingsError, match=r"settings\.json"):
        load(base, local=said)
    with pytest.raises(SettingsError, match="MEMLAB_BARE: 'maybe' is not on or off"):
        load(base, {"MEMLAB_BARE": "maybe"}, local={})
    assert load(base, {"MEMLAB_BARE": " TRUE "}, user={"gone": 1}).problems == (
        "settings.json: no setting is called 'gone'",
    )


def test_a_persons_own_model_is_also_the_one_that_selects(base: Path) -> None:
    load(base, user={"main_model": "u"})
    for environ, models in (
        ({}, ("u", "u")),
        ({"MEMLAB_MAIN_MODEL": "m", "MEMLAB_SELECT_MODEL": "s"}, ("m", "s")),
    ):
        found = load_settings(base / "project", base=base, environ=environ)
        assert (found.main_model, found.select_model) == models


GOOD = {"enabled": True, "min_hours": 0.5, "min_sessions": 2}


@pytest.mark.behaviour("L4")
@pytest.mark.parametrize(
    ("said", "kept"),
    [(GOOD | {"colour": "blue"}, 3), (GOOD | {"min_hours": True}, 1), (GOOD | {"enabled": "y"}, 0)]
    + [(GOOD | {"min_sessions": one}, 2) for one in (2.5, False, None)]
    + [(text, 0) for text in ("", "{", "[]", "null", "[" * 100_000, "\x00\x01", "\ud800")],
)
def test_a_flag_file_may_be_broken_and_what_comes_before_counts(
    base: Path, said: Any, kept: int
) -> None:
    if said == "\ud800":
        (base / "flags.json").mkdir()
        said = {}
    found = load(base, **({"flags": said} if said != {} else {}))
    values = (found.auto_dream, found.min_hours, found.min_sessions)
    assert values == ((True, 0.5, 2)[:kept] + (False, None, None)[kept:])
    assert len(found.problems) == (kept != 3)
    assert all(one.startswith("flags.json is passed over: ") for one in found.problems)
