from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import SettingsError
from memlab.memdir.toggles import SWITCHES, Toggles, load_toggles

COURSE = Toggles(auto_dream=True)


class ToggleSetup:
    """A base with one project in it, whose files a test writes as it likes."""

    def __init__(self, base: Path) -> None:
        self.base, self.project = base, base / "projects" / "-home-robin-tidebook"
        self.project.mkdir(parents=True)

    def flags(self, values: Any) -> None:
        file = self.base / "flags.json"
        file.write_text(values if isinstance(values, str) else json.dumps(values), "utf-8")

    def user(self, values: Any) -> None:
        (self.base / "settings.json").write_text(json.dumps(values), "utf-8")

    def local(self, values: Any) -> None:
        (self.project / "settings.json").write_text(json.dumps(values), "utf-8")

    def load(self, defaults: Toggles | None = None, **environ: str) -> Toggles:
        told = {"defaults": defaults} if defaults else {}
        return load_toggles(self.project, base=self.base, environ=environ, **told)


@pytest.fixture
def setup(tmp_path: Path) -> ToggleSetup:
    return ToggleSetup(tmp_path / ".memlab")


@pytest.mark.behaviour("L4")
def test_in_your_own_projects_everything_is_on_but_what_rewrites_shares_or_limits(
    setup: ToggleSetup,
) -> None:
    found = setup.load()
    on = [name for name in SWITCHES if getattr(found, name)]
    assert on == ["auto_memory", "recall", "extraction"]
    assert {found.source(name) for name in SWITCHES} == {"default"}


def test_a_setting_that_nobody_reads_is_named(setup: ToggleSetup) -> None:
    setup.user({"auto_dream": True, "prompts": "mine", "separate_worktrees": True, "gone": 1})
    setup.local({"main_model": "m", "extract_every_turn": 2})
    assert setup.load().problems == (
        "settings.json: no setting is called 'gone'",
        "settings.json: no setting is called 'extract_every_turn'",
    )


STATES = (None, True, False)
"""Not set, on, off."""
COMBINATIONS = tuple(product(STATES, STATES, STATES, STATES, (True, False)))
"""What the environment, the local and the user settings, the flag file and the defaults say."""
FLAGS = {
    "auto_dream": "enabled",
    "session_memory": "session_memory",
    "team": "team",
    "personal": "personal",
    "daily_log": "daily_log",
}
"""The flag for each switch that has one; the flag file leaves the others alone."""


@pytest.mark.behaviour("L4")
def test_the_table_of_all_combinations_of_what_can_set_a_switch(setup: ToggleSetup) -> None:
    """Every switch sees all 162 combinations, and each at another time than its neighbours."""
    seen: dict[str, set[object]] = {name: set() for name in SWITCHES}
    for row in range(len(COMBINATIONS)):
        combination = {
            name: COMBINATIONS[(row + 31 * place) % len(COMBINATIONS)]
            for place, name in enumerate(SWITCHES)
        }
        environ = {
            f"MEMLAB_{name.upper()}": "on" if said[0] else "off"
            for name, said in combination.items()
            if said[0] is not None
        }
        setup.local({name: said[1] for name, said in combination.items() if said[1] is not None})
        setup.user({name: said[2] for name, said in combination.items() if said[2] is not None})
        flags = {FLAGS.get(name, name): said[3] for name, said in combination.items()}
        setup.flags({name: state for name, state in flags.items() if state is not None})
        found = setup.load(
            Toggles(**{name: said[4] for name, said in combination.items()}), **environ
        )

        for name, (variable, local, user, flag, default) in combination.items():
            flag = flag if name in FLAGS else None
            in_order = {
                f"MEMLAB_{name.upper()}": variable,
                "local settings": local,
                "user settings": user,
                "flags.json": flag,
                "default": default,
            }
            source = next(source for source, state in in_order.items() if state is not None)
            assert (getattr(found, name), found.source(name)) == (in_order[source], source)
            seen[name].add(combination[name])
    assert all(len(combinations) == 162 for combinations in seen.values())


@pytest.mark.behaviour("L4")
def test_a_switch_set_in_a_session_says_so_and_leaves_the_others(setup: ToggleSetup) -> None:
    setup.local({"team": True, "recall": False})
    found = setup.load().switched("team", False, "this session")
    assert (found.team, found.source("team")) == (False, "this session")
    assert (found.recall, found.source("recall")) == (False, "local settings")


def test_every_switch_is_listed_once_with_its_meaning() -> None:
    assert all(SWITCHES.values())
    assert tuple(SWITCHES) == (
        "auto_memory",
        "recall",
        "extraction",
        "auto_dream",
        "session_memory",
        "team",
        "personal",
        "daily_log",
        "remote",
        "bare",
        "index_in_reminder",
        "fork_reads_anywhere",
    )


def test_a_flag_turns_dreams_on_and_brings_its_numbers(setup: ToggleSetup) -> None:
    setup.flags({"enabled": True, "min_hours": 0.5, "min_sessions": 2, "colour": "blue"})
    found = setup.load()
    assert (found.auto_dream, found.min_hours, found.min_sessions) == (True, 0.5, 2)
    assert found.source("auto_dream") == found.source("min_hours") == "flags.json"
    assert found.problems == ()


def test_the_environment_wins_over_every_file(setup: ToggleSetup) -> None:
    setup.local({"auto_dream": False, "remote": False})
    found = setup.load(MEMLAB_AUTO_DREAM="1", MEMLAB_REMOTE="on", MEMLAB_HOME="/elsewhere")
    assert (found.auto_dream, found.remote) == (True, True)
    assert found.source("remote") == "MEMLAB_REMOTE"


@pytest.mark.parametrize(
    ("word", "state"), [("1", True), (" TRUE ", True), ("off", False), ("0", False)]
)
def test_words_that_mean_on_and_off(setup: ToggleSetup, word: str, state: bool) -> None:
    assert setup.load(MEMLAB_BARE=word).bare is state


@pytest.mark.parametrize("word", ["maybe", "2"])
def test_any_other_word_is_an_error_that_names_the_variable(setup: ToggleSetup, word: str) -> None:
    with pytest.raises(SettingsError, match=f"MEMLAB_BARE: {word!r} is not on or off"):
        setup.load(MEMLAB_BARE=word)


@pytest.mark.parametrize("value", ["yes", 2, None, []])
def test_a_setting_that_is_no_switch_is_an_error_that_names_file_and_key(
    setup: ToggleSetup, value: Any
) -> None:
    setup.local({"auto_dream": value})
    with pytest.raises(SettingsError, match=r"settings\.json, auto_dream: .* is not on or off"):
        setup.load()


@pytest.mark.parametrize("text", ["{", "[true]", '{"a": 1} b', "\x00"])
def test_broken_settings_are_an_error(setup: ToggleSetup, text: str) -> None:
    (setup.base / "settings.json").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"settings\.json"):
        setup.load()


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, "\x00\x01"])
def test_a_broken_flag_file_is_passed_over_and_noted(setup: ToggleSetup, text: str) -> None:
    setup.flags(text)
    found = setup.load(COURSE)
    assert found.auto_dream
    assert found.source("auto_dream") == "default"
    assert len(found.problems) == 1
    assert found.problems[0].startswith("flags.json is passed over: ")


def test_a_flag_file_that_is_not_utf8_or_a_folder_is_passed_over(setup: ToggleSetup) -> None:
    (setup.base / "flags.json").write_bytes(b"\xff\xfe{")
    assert len(setup.load().problems) == 1
    (setup.base / "flags.json").unlink()
    (setup.base / "flags.json").mkdir()
    assert len(setup.load().problems) == 1


def test_without_a_flag_file_there_is_nothing_to_note(setup: ToggleSetup) -> None:
    assert setup.load().problems == ()


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("enabled", "yes"),
        ("min_hours", True),
        ("min_sessions", 2.5),
        ("min_sessions", False),
        ("min_sessions", None),
    ],
)
def test_a_flag_of_the_wrong_type_is_passed_over_and_those_before_it_count(
    setup: ToggleSetup, flag: str, value: Any
) -> None:
    good = {"enabled": True, "min_hours": 12, "min_sessions": 3}
    setup.flags(good | {flag: value})
    found = setup.load()
    kept = {
        "enabled": found.auto_dream,
        "min_hours": found.min_hours,
        "min_sessions": found.min_sessions,
    }
    names = list(good)
    wanted = good | dict.fromkeys(names[names.index(flag) :])
    if flag == "enabled":
        wanted["enabled"] = False
    assert kept == wanted
    (problem,) = found.problems
    assert problem.startswith(f"flags.json is passed over: {flag}: {value!r} is not")
