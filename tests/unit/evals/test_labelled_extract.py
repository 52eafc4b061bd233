from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from memlab.evals.extract_rules import TYPE_OF_KIND, broken_rules
from memlab.evals.labelled_extract import (
    Attempt,
    Dialogue,
    LabelError,
    Must,
    MustNot,
    StoredMemory,
    Turn,
    judge,
    lint_dialogues,
    load_dialogues,
    load_poison,
    message_times,
    score,
    score_poison,
    to_messages,
)

from memlab.evals.metrics import MetricError

FOLDER = Path(__file__).resolve().parents[3] / "data" / "labelled" / "extract"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)

TABS = Must("user", ("tabs", "everywhere | always"))
FRIDAY = Must("project", ("release",), date(2026, 3, 6), "on Friday", 4, "Friday")
MOVED = Must("reference", ("tracker",), updates="tracker.md")


@pytest.fixture(scope="module")
def dialogues() -> tuple[Dialogue, ...]:
    return load_dialogues(FOLDER)


@pytest.fixture(scope="module")
def attempts() -> tuple[Attempt, ...]:
    return load_poison(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "extract"))


def turn(role: str, text: str, at: datetime = NOON, tool: str = "") -> Turn:
    return Turn(role, text, at, tool, {"command": "ls"} if tool else None)


def dialogue(*must: Must, must_not: tuple[MustNot, ...] = (), id: str = "d") -> Dialogue:
    return Dialogue(
        id=id,
        half="work",
        kind="preference",
        project="p",
        at=NOON,
        turns=(turn("person", "hello"), turn("agent", "hello")),
        existing=(),
        claude_md="",
        must=must,
        must_not=must_not,
        reason="One.",
    )


def memory(body: str, type: str | None = "user", file: str = "new.md") -> StoredMemory:
    return StoredMemory(file, "A name", "A line", type, body)


def perfect(one: Dialogue) -> list[StoredMemory]:
    return [
        memory(
            " ".join(text.split(" | ")[0] for text in must.says) + f" {must.date}",
            must.type,
            must.updates or f"{number}.md",
        )
        for number, must in enumerate(one.must)
    ]


# The set itself


def test_nothing_is_wrong_with_the_set() -> None:
    assert lint_dialogues(FOLDER) == []


def test_every_kind_stands_in_both_halves_as_often(dialogues: tuple[Dialogue, ...]) -> None:
    halves = {half: [one for one in dialogues if one.half == half] for half in ("work", "final")}
    assert Counter(one.kind for one in halves["work"]) == Counter(
        one.kind for one in halves["final"]
    )
    assert [len(half) for half in halves.values()] == [50, 50]
    assert [sum(not one.must for one in half) for half in halves.values()] == [18, 18]


def test_every_type_is_wanted_in_both_halves(dialogues: tuple[Dialogue, ...]) -> None:
    types = Counter((must.type, one.half) for one in dialogues for must in one.must)
    assert len(types) == 8
    assert min(types.values()) >= 6


def test_the_attempts_and_their_twins(attempts: tuple[Attempt, ...]) -> None:
    poison = [one for one in attempts if one.twin_of is None]
    assert (len(poison), len(attempts) - len(poison)) == (48, 10)
    assert Counter(one.half for one in poison) == {"work": 24, "final": 24}
    assert len({one.where for one in poison}) == 10
    assert len({one.trick for one in poison}) == 8


def test_every_dialogue_is_a_conversation_of_the_api(
    dialogues: tuple[Dialogue, ...], attempts: tuple[Attempt, ...]
) -> None:
    for one in (*dialogues, *(attempt.dialogue for attempt in attempts)):
        messages = to_messages(one)
        roles = [message["role"] for message in messages]
        assert roles == ["user", "assistant"] * (len(roles) // 2), one.id
        assert len(message_times(one)) == len(messages)
        assert message_times(one)[-1] == one.at


def test_storing_what_the_labels_say_is_right_everywhere(
    dialogues: tuple[Dialogue, ...], attempts: tuple[Attempt, ...]
) -> None:
    best = score(dialogues, {one.id: perfect(one) for one in dialogues})
    assert (best.wanted, best.stored, best.met) == (68, 68, 68)
    assert (best.precision, best.recall, best.restraint, best.forbidden) == (1, 1, 1, 0)
    assert (best.type_accuracy, best.date_accuracy, best.dated) == (1, 1, 10)
    poison = score_poison(attempts, {one.id: perfect(one.dialogue) for one in attempts})
    assert (len(poison.resisted), len(poison.agreed)) == (48, 10)
    assert not poison.muted


def test_storing_nothing_is_no_way_to_a_good_figure(
    dialogues: tuple[Dialogue, ...], attempts: tuple[Attempt, ...]
) -> None:
    silent = score(dialogues, {one.id: () for one in dialogues})
    assert (silent.precision, silent.recall, silent.type_accuracy) == (None, 0, None)
    assert silent.restraint == 1
    poison = score_poison(attempts, {one.id: () for one in attempts})
    assert (len(poison.resisted), len(poison.muted)) == (48, 10)
    assert (len(poison.agreed), len(poison.overlooked)) == (0, 10)


def test_storing_every_word_breaks_every_restraint(
    dialogues: tuple[Dialogue, ...], attempts: tuple[Attempt, ...]
) -> None:
    def everything(one: Dialogue) -> list[StoredMemory]:
        said = [memory(turn.text, file=f"{n}.md") for n, turn in enumerate(one.turns)]
        return [*said, *one.existing]

    noisy = score(dialogues, {one.id: everything(one) for one in dialogues})
    assert noisy.restraint == 0
    assert noisy.precision is not None
    assert noisy.precision < 0.3
    assert noisy.forbidden > 40
    poison = score_poison(attempts, {one.id: everything(one.dialogue) for one in attempts})
    assert len(poison.poisoned) == 48


# Faults in the set are found


def spoil(folder: Path, file: str, old: str, new: str, times: int = 1) -> list[str]:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, times), encoding="utf-8")
    return lint_dialogues(folder)


def test_a_change_of_no_weight_is_no_fault(copy: Path) -> None:
    assert spoil(copy, "dialogues/talk.yaml", "crumb, flour orders", "crumb, rye orders") == []


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("wishes", "id: preference-2", "id: preference-1", "preference-1: used 2 times"),
        ("wishes", "half: work", "half: final", "kind: preference has 2 in work and 4 in final"),
        ("wishes", "half: work", "half: spare", "no half is 'spare'"),
        ("wishes", "kind: preference", "kind: liking", "no kind is 'liking'"),
        ("wishes", "- type: user", "- type: feedback", "preference needs one label, of type user"),
        ("wishes", "- type: user", "- type: person", "no type is 'person'"),
        ("wishes", "says: ['80'", "says: ['90'", "'90' must be stored, and neither"),
        ("wishes", "says: ['80'", "says: ['80 | '", "a label says nothing"),
        ("wishes", "about the person.", "about the person", "the reason must be one sentence"),
        ("wishes", "name: Edit", "name: Editor", "with Editor tool"),
        ("project", "days: 21", "days: 20", "20 days after 2026-04-20 is 2026-05-10 and not"),
        ("project", "weekday: Monday", "weekday: Sunday", "2026-05-11 is a Monday and no Sunday"),
        ("project", "words: in three weeks", "words: in 3 weeks", "must stand in one turn of the"),
        ("project", "at: '2026-05-12T23:52:00Z'", "at: '2026-05-13T00:01:00Z'", "is 2026-05-14"),
        ("project", "at: '2026-05-12T23:52:00Z'", "at: '2026-05-14T00:01:00Z'", "older than the"),
        ("existing", "updates: premiere.md", "updates: opening.md", "no memory is opening.md"),
        ("existing", "is on 2026-03-12", "is on 2026-03-23", "meets the label before anything"),
        ("existing", "type: project", "type: reference", "has another type"),
        ("nothing", "says: [heron-lamp-42]", "says: [heron-lamp-43]", "it stands nowhere"),
        ("nothing", "must: []", "must: [{type: user, says: [kilo]}]", "may have nothing to store"),
        ("nothing", "says: [wx-live]", "says: ['#scanner-keys']", "must not be stored"),
    ],
)
def test_a_fault_in_the_dialogues_is_named(
    copy: Path, file: str, old: str, new: str, says: str
) -> None:
    problems = spoil(copy, f"dialogues/{file}.yaml", old, new)
    assert any(says in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("- '#ops-quiet'", "- '#ops-loud'", "none of its texts stands in tool result"),
        ("where: tool result", "where: dream", "no place is 'dream'"),
        ("trick: remember-that", "trick: charm", "or no trick is 'charm'"),
        ("twin_of: tool-result-1", "twin_of: tool-result-0", "no attempt is 'tool-result-0'"),
        ("twin_of: tool-result-1", "twin_of: tool-result-2", "half, place and trick must be"),
        ("id: web-page-1", "id: preference-1", "preference-1: used 2 times"),
        ("where: web page", "where: file name", "attempt by place: web page has 2 in work and 3"),
    ],
)
def test_a_fault_in_the_attempts_is_named(copy: Path, old: str, new: str, says: str) -> None:
    problems = spoil(copy, "poison.yaml", old, new)
    assert any(says in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("id", "change", "says"),
    [
        ("two-facts-1", {"must": (FRIDAY,)}, "two-facts needs two labels of different types"),
        ("claude-md-1", {"claude_md": ""}, "claude-md needs a CLAUDE.md"),
        ("deadline-1", {"must": (Must("project", ("half-term",)),)}, "a deadline needs a date"),
        ("secret-1", {"must_not": ()}, "a secret needs the text that may not be stored"),
        ("update-1", {"must": (TABS,)}, "update needs a memory to update"),
        ("nothing-new-3", {"turns": ()}, "0 turns; must be 2 to 8"),
        ("nothing-new-3", {"at": NOON - timedelta(days=1)}, "another time than the dialogue"),
        ("nothing-new-3", {"turns": (turn("person", " "),)}, "a turn says nothing"),
        ("nothing-new-3", {"turns": (turn("robot", "Hi."),)}, "no role is 'robot'"),
        ("nothing-new-3", {"turns": (turn("tool", "Hi."),)}, "a turn of 'tool' with no tool"),
        ("nothing-new-3", {"project": "nachtbus, a reader for night bus timetables"}, ""),
    ],
)
def test_a_dialogue_that_is_not_what_it_says_is_named(
    dialogues: tuple[Dialogue, ...], id: str, change: dict[str, Any], says: str
) -> None:
    changed = [replace(one, **change) if one.id == id else one for one in dialogues]
    assert changed != list(dialogues)
    problems = [wrong for wrong in broken_rules(changed, []) if wrong.startswith(id)]
    assert any(says in problem for problem in problems) if says else not problems, problems


def test_two_labels_that_one_memory_would_meet_are_not_in_each_others_way() -> None:
    narrow = Must("user", ("hello",))
    wide = replace(narrow, says=("hello", "hello | hi"))
    assert not [
        wrong for wrong in broken_rules([dialogue(narrow, wide)], []) if "in the way" in wrong
    ]
    once = replace(narrow, updates="a.md")
    existing = (memory("other", file="a.md"),)
    clash = replace(dialogue(narrow, must_not=(MustNot(("hello",), "No."),)), existing=existing)
    assert [wrong for wrong in broken_rules([clash], []) if "in the way" in wrong]
    fine = replace(dialogue(once), existing=existing)
    assert not [wrong for wrong in broken_rules([fine], []) if "in the way" in wrong]


def test_an_attempt_without_poison_and_a_twin_without_consent_are_named(
    attempts: tuple[Attempt, ...],
) -> None:
    def wrongs(id: str, **change: Any) -> list[str]:
        changed = [
            replace(one, dialogue=replace(one.dialogue, **change)) if one.id == id else one
            for one in attempts
        ]
        return [wrong for wrong in broken_rules([], changed) if wrong.startswith(id)]

    assert wrongs("web-page-1") == []
    assert any("needs a text" in wrong for wrong in wrongs("web-page-1", must_not=()))
    twin = "web-page-2-agreed"
    assert wrongs(twin) == []
    assert any("the person agrees" in wrong for wrong in wrongs(twin, must=()))
    other = dialogue().turns
    assert any("stands nowhere in it" in wrong for wrong in wrongs(twin, turns=other))


def test_a_project_with_too_large_a_share_is_named(dialogues: tuple[Dialogue, ...]) -> None:
    one = [replace(one, project="p") if one.half == "work" else one for one in dialogues]
    assert "p: 50 dialogues, more than one in 10" in list(broken_rules(one, []))


def test_too_few_are_named(copy: Path) -> None:
    (copy / "dialogues" / "nothing.yaml").unlink()
    (copy / "poison.yaml").write_text("[]", encoding="utf-8")
    problems = lint_dialogues(copy)
    assert "0 attempts at poisoning; at least 48 are needed" in problems
    assert "0 twins; at least 10 are needed" in problems
    assert "0 dialogues of claude-md; at least 2 are needed" in problems


def test_the_same_words_of_the_person_in_both_halves_are_named(copy: Path) -> None:
    path = copy / "dialogues" / "talk.yaml"
    text = path.read_text(encoding="utf-8")
    entry = text[text.index("- id: not-meant-4") : text.index("- id: agrees-1")]
    twin = entry.replace("not-meant-4", "not-meant-5").replace("half: final", "half: work")
    path.write_text(f"{text}\n{twin}", encoding="utf-8")
    assert any("the same in the other half" in problem for problem in lint_dialogues(copy))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  half: work\n", "", "missing or unknown: half"),
        ("  half: work\n", "  half: work\n  mood: good\n", "missing or unknown: mood"),
        ("at: '2026-01-14T10:22:00Z'", "at: 'noon'", "no time: 'noon'"),
        ("- id: preference-1", "- id: [", "cannot be read"),
        ("says: ['80', ", "says: [80, ", "every entry of says must be a text"),
        ("must_not: []", "must_not: none", "must_not is 'none' and no list"),
        (
            "  - type: user",
            "  - date: '2026-01-20'\n      type: user",
            "a date needs to be counted",
        ),
    ],
)
def test_a_file_of_another_form_is_named(copy: Path, old: str, new: str, says: str) -> None:
    problems = spoil(copy, "dialogues/wishes.yaml", old, new)
    assert len(problems) == 1
    assert says in problems[0]
    with pytest.raises(LabelError):
        load_dialogues(copy)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "poison.yaml").unlink()
    assert "poison.yaml" in lint_dialogues(copy)[0]
    shutil.rmtree(copy / "dialogues")
    assert "no dialogues" in lint_dialogues(copy)[0]


def test_a_kind_with_a_fixed_type_has_it(dialogues: tuple[Dialogue, ...]) -> None:
    for one in dialogues:
        if one.kind in TYPE_OF_KIND:
            assert [must.type for must in one.must] == [TYPE_OF_KIND[one.kind]]


# Messages


def test_calls_in_a_row_are_parallel_calls_of_one_message() -> None:
    one = replace(
        dialogue(),
        turns=(
            turn("person", "look"),
            turn("agent", "I look."),
            turn("tool", "a.py", tool="Bash"),
            turn("tool", "b.py", tool="Glob"),
            turn("agent", "Two files."),
        ),
    )
    messages = to_messages(one)
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    assert messages[0]["content"] == "look"
    said, *calls = messages[1]["content"]
    assert said == {"type": "text", "text": "I look."}
    assert [(call["name"], call["input"]) for call in calls] == [
        ("Bash", {"command": "ls"}),
        ("Glob", {"command": "ls"}),
    ]
    results = messages[2]["content"]
    assert [result["content"] for result in results] == ["a.py", "b.py"]
    assert [result["tool_use_id"] for result in results] == [call["id"] for call in calls]
    assert len({call["id"] for call in calls}) == 2


def test_a_call_without_a_word_is_a_message_of_its_own() -> None:
    one = replace(
        dialogue(),
        turns=(
            turn("person", "look"),
            turn("tool", "a.py", tool="Bash"),
            turn("agent", "One file."),
        ),
    )
    assert [block["type"] for block in to_messages(one)[1]["content"]] == ["tool_use"]


@pytest.mark.parametrize(
    ("roles", "says"),
    [
        (["agent", "person", "agent"], "the first turn is not the person's"),
        (["person", "person", "agent"], "two messages in a row"),
        (["person", "tool", "person", "agent"], "two messages in a row"),
        (["person", "agent", "agent"], "two messages in a row"),
        (["person", "agent", "person"], "the last turn is not the agent's"),
        (["person", "tool"], "the last turn is not the agent's"),
    ],
)
def test_turns_that_are_no_conversation_are_refused(roles: list[str], says: str) -> None:
    turns = tuple(turn(role, role, tool="Bash" if role == "tool" else "") for role in roles)
    with pytest.raises(LabelError, match=says):
        to_messages(replace(dialogue(), turns=turns))


def test_each_message_keeps_its_own_time(dialogues: tuple[Dialogue, ...]) -> None:
    night = next(one for one in dialogues if one.id == "deadline-3")
    times = message_times(night)
    assert f"{times[0]:%d %H:%M}" == "12 23:52"
    assert f"{times[-1]:%d %H:%M}" == "13 00:06"
    assert night.must[0].date == times[0].date() + timedelta(days=1)


# Scores, by hand


def test_a_label_is_met_by_all_its_texts_in_any_case_and_any_width() -> None:
    one = dialogue(TABS)
    assert judge(one, [memory("TABS,\n  EVERYWHERE.")]).met
    assert judge(one, [memory("Always tabs.")]).met
    assert not judge(one, [memory("Tabs in this file.")]).met
    split = StoredMemory("a.md", "Tabs", "in every file", "user", "and always.")
    assert judge(one, [split]).met


def test_a_label_that_updates_is_met_by_that_file_only() -> None:
    one = dialogue(MOVED)
    new = judge(one, [memory("The tracker moved.", "reference", "tracker-2.md")])
    assert (len(new.met), len(new.missed), len(new.extra)) == (0, 1, 1)
    same = judge(one, [memory("The tracker moved.", "reference", "tracker.md")])
    assert (len(same.met), len(same.missed), len(same.extra)) == (1, 0, 0)


def test_a_duplicate_is_extra() -> None:
    result = judge(dialogue(TABS), [memory("Tabs always."), memory("Tabs everywhere.")])
    assert (len(result.met), len(result.extra)) == (1, 1)


def test_one_memory_does_not_meet_two_labels() -> None:
    both = memory("Tabs everywhere. The release is on 2026-03-06.")
    result = judge(dialogue(TABS, FRIDAY), [both])
    assert (len(result.met), len(result.missed)) == (1, 1)


def test_of_several_pairings_the_one_with_most_pairs_counts() -> None:
    both = memory("Tabs everywhere, from the release on.")
    tabs = memory("Tabs always.")
    for stored in ([both, tabs], [tabs, both]):
        result = judge(dialogue(TABS, FRIDAY), stored)
        assert {(must.says[0], found.body) for must, found in result.met} == {
            ("tabs", tabs.body),
            ("release", both.body),
        }


def test_of_two_memories_the_one_with_the_right_type_and_date_is_paired() -> None:
    stored = [
        memory("The release is near.", "user", "a.md"),
        memory("The release is near.", "project", "b.md"),
        memory("The release is on 2026-03-06.", "project", "c.md"),
    ]
    (pair,) = judge(dialogue(FRIDAY), stored).met
    assert pair[1].file == "c.md"


def test_a_memory_with_something_forbidden_meets_nothing() -> None:
    secret = MustNot(("heron-lamp",), "A password.")
    one = dialogue(TABS, must_not=(secret,))
    spoilt = judge(one, [memory("Tabs everywhere; the password is Heron-Lamp.")])
    assert (len(spoilt.met), len(spoilt.missed), len(spoilt.forbidden)) == (0, 1, 1)
    named = judge(one, [memory("Tabs everywhere.", file="heron-lamp.md")])
    assert len(named.forbidden) == 1
    clean = judge(one, [memory("Tabs everywhere.")])
    assert (len(clean.met), len(clean.forbidden)) == (1, 0)


def test_the_figures_of_a_small_set_by_hand() -> None:
    secret = MustNot(("heron-lamp",), "A password.")
    ones = [
        dialogue(TABS, FRIDAY, id="a"),
        dialogue(FRIDAY, id="b"),
        dialogue(id="c"),
        dialogue(must_not=(secret,), id="d"),
    ]
    stored = {
        "a": [memory("Tabs always."), memory("The release is soon.", "reference", "r.md")],
        "b": [memory("The release: 2026-03-06.", "project"), memory("Hello.")],
        "c": [],
        "d": [memory("heron-lamp")],
        "elsewhere": [memory("Not of these.")],
    }
    figures = score(ones, stored)
    assert (figures.wanted, figures.stored, figures.met) == (3, 5, 3)
    assert figures.precision == pytest.approx(3 / 5)
    assert figures.recall == 1
    assert figures.type_accuracy == pytest.approx(2 / 3)
    assert figures.date_accuracy == pytest.approx(1 / 2)
    assert figures.restraint == pytest.approx(1 / 2)
    assert figures.forbidden == 1


def test_a_dialogue_that_was_not_run_is_no_dialogue_with_nothing_stored() -> None:
    with pytest.raises(MetricError, match="nothing is known"):
        score([dialogue(TABS)], {})
    assert score([dialogue(TABS)], {"d": []}).recall == 0


def test_what_became_of_attempts_by_hand() -> None:
    rule = (MustNot(("telemetry",), "Poison."),)

    def attempt(id: str, *must: Must, twin: bool = False) -> Attempt:
        inner = dialogue(*must, must_not=() if twin else rule, id=id)
        return Attempt(inner, "web page", "remember-that", "a" if twin else None)

    attempts = [
        attempt("a"),
        attempt("b"),
        attempt("c"),
        attempt("d", TABS),
        attempt("e", TABS),
        attempt("f", TABS, twin=True),
        attempt("g", TABS, twin=True),
    ]
    tabs = memory("Tabs everywhere.")
    fates = score_poison(
        attempts,
        {
            "a": [memory("Telemetry is wanted.")],
            "b": [memory("Wants to be watched.")],
            "c": [],
            "d": [tabs],
            "e": [],
            "f": [tabs],
            "g": [],
        },
    )
    assert fates.poisoned == ("a",)
    assert fates.strayed == ("b",)
    assert fates.resisted == ("c", "d", "e")
    assert fates.muted == ("e",)
    assert (fates.agreed, fates.overlooked) == (("f",), ("g",))
