"""What may be written as a memory: the labelled cases, relative dates, secrets, and the rest."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memlab.evals.labelled import LABELLED, Label, load_labels
from memlab.memdir.dates import age_in_words, find_relative_times, is_old, memory_age
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import Finding, check
from memlab.memdir.secrets import find_secrets, remove_secrets
from memlab.settings import Settings
from tests.work import calls, does_not_stall

WEDNESDAY = datetime(2026, 3, 18, 10, tzinfo=UTC)
ORDER = ["pass", "flag", "refuse"]
GOOD = Memory(
    "Regatta freeze",
    "No deploys from 2026-03-26 to 2026-03-29",
    MemoryType.project,
    "Nothing is deployed then.\n\n**Why:** bookings.\n\n**How to apply:** wait.\n",
)


def made(raw: Label) -> Memory:
    text = {key: str(value).replace("¦", "") for key, value in raw.items()} | {"type": ""}
    text.pop("type")
    path = Path(re.sub(r"\W+", "-", raw.name.lower()) + ".md")
    return Memory(**text, type=MemoryType(raw.type) if raw.type else None, path=path)


def findings(case: Label, end: str = "\n") -> list[Finding]:
    plain = Label(name="Said", description="Something", type="user", body=case.text)
    memory = replace(made(case.memory or plain), path=None)
    memory = replace(memory, body=memory.body.replace("\r\n", "\n").replace("\n", end))
    others = [made(one) for one in case.existing or ()]
    now, rules = case.now or WEDNESDAY, case.project_instructions
    return check(memory, now, others, project_instructions=rules)


@pytest.mark.behaviour("A3", "A4", "A5")
def test_every_labelled_case_is_judged_as_labelled_and_says_what_and_where() -> None:
    cases = load_labels(*sorted((LABELLED / "checks").glob("*.yaml")))
    wrong: dict[str, object] = {}
    for case in cases:
        found = findings(case)
        own = [one for one in found if case.rule in ("any", one.rule)]
        got = max((one.severity for one in own), key=ORDER.index, default="pass")
        told = " ".join(f"{one.message}. {one.suggestion}." for one in own)
        dates = [re.findall(r"\d{4}-\d\d-\d\d", one.suggestion)[:1] for one in own]
        if (
            got != case.expect
            or [one.rule for one in found if one not in own]
            or [text for text in case.also_says or () if text not in told]
            or [text for text in case.never_says or () if text in told]
            or (case.date and dates != [[case.date]])
            or (case.line and case.line != own[0].line)
        ):
            wrong[case.id] = found
    # words alone do not show that two texts mean the same, and a place in a trace is one in a file
    assert wrong.keys() == {"dup-paraphrase", "debug-js-trace"}
    assert len(cases) == 332
    for case in cases[::7]:
        lines = [[one.line for one in findings(case, end)] for end in ("\r\n", "\n")]
        assert lines[0] == lines[1]


def judged(memory: Memory, **more: Any) -> list[tuple[str, str, int]]:
    found = check(memory, WEDNESDAY, **more)
    return [(one.rule, one.severity, one.line) for one in found]


@pytest.mark.behaviour("A2", "B4")
def test_everything_wrong_is_told_at_once_and_a_good_memory_passes() -> None:
    bad = Memory("", "Due\ntomorrow", None, "- [ ] receipts\n\nThe PIN of the shed is 4815.")
    assert judged(GOOD) == []
    assert judged(bad) == [
        *[("type", "refuse", 0), ("fields", "refuse", 0), ("fields", "refuse", 0)],
        *[("relative-date", "refuse", 0), ("secret", "refuse", 3)],
        ("task-state", "refuse", 1),
    ]
    (odd,) = check(replace(GOOD, type=None, raw_type="lesson"), WEDNESDAY)
    assert "'lesson'" in odd.message
    assert "user, feedback, project, reference" in odd.suggestion
    room = 200 - len(f"- [{GOOD.name}]({GOOD.name}.md) — ")
    assert judged(replace(GOOD, description="x" * room)) == []
    long = replace(GOOD, description="x" * (room + 1))
    assert judged(long) == [("fields", "flag", 0)]
    assert judged(Memory("Old", "", None, "\n", dropped="not true since yesterday")) == []
    person = replace(GOOD, type=MemoryType.user, path=Path("team/robin.md"))
    assert judged(person) == [("scope", "refuse", 0)]


WORDS = (
    "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november"
    " oscar papa quebec romeo sierra"
)
COPY = replace(GOOD, body=f"{GOOD.body}\nThe crew: {WORDS}.", path=Path("a.md"))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, "refuse"),
        ({"body": COPY.body.replace("kilo", "kite")}, "refuse"),
        ({"body": COPY.body.replace("kilo lima mike november oscar papa", "")}, "flag"),
        ({"name": GOOD.name}, ""),
        ({"body": "Else.\n**Why:** x\n**How to apply:** y", "description": "z"}, ""),
    ],
)
def test_a_copy_of_another_memory_is_refused(change: Any, found: str) -> None:
    new = replace(COPY, **{"name": "Freeze", "path": None, **change})
    assert judged(new, others=[COPY]) == ([("duplicate", found, 0)] if found else [])
    assert judged(new, others=[replace(COPY, body="", dropped="no longer true")]) == []


def test_what_the_instructions_say_is_refused_by_its_line() -> None:
    rules = "# tidebook\n\n- Ask Mika before you change prices.\n"
    said = replace(GOOD, body=GOOD.body + "\nWell, ask Mika before you change prices.\n")
    assert judged(said, project_instructions=rules) == [("instructions", "refuse", 7)]
    for news in (rules.replace("before", "not before"), rules.replace("Mika", "no one")):
        assert judged(said, project_instructions=news) == []


PLACEHOLDERS = (
    "[rest of the file unchanged]|... (rest of the text is the same) ...|<existing content>"
    "|// ... existing text ...|[... everything else as before ...]"
    "|<!-- remaining sections unchanged -->"
)
ORDINARY = (
    "The rest of the crew is on leave.|# The rest of the year|- [existing users](https://x.y)"
    "|Keep the existing text of a receipt.|Everything else is decided by Mika."
)


@pytest.mark.behaviour("A4")
def test_what_stands_for_other_text_and_code_by_its_lines() -> None:
    for line in f"{PLACEHOLDERS}|{ORDINARY}".split("|"):
        found = judged(replace(GOOD, body=f"{GOOD.body}\n{line}\n"))
        wanted = [("placeholder", "refuse", 7)] if line in PLACEHOLDERS else []
        assert found == wanted, line
    for lines, severity in {3: "", 4: "flag", 10: "flag", 11: "refuse"}.items():
        code = "```\n" + "    step(boat)\n" * lines + "```\n"
        found = judged(replace(GOOD, body=f"{GOOD.body}\n{code}"))
        assert found == ([("code-block", severity, 7)] if severity else [])
    for form, rule in {"- a/b.py\n": "file-layout", "see #12\n": "git-history"}.items():
        assert judged(replace(GOOD, body=f"{form}\n{GOOD.body}")) == [], "a mention"
        # a list
        assert judged(replace(GOOD, body=f"{form * 3}\n{GOOD.body}"))[0][0] == rule


def test_what_was_there_already_does_not_stop_a_correction() -> None:
    short = replace(GOOD, body="Nothing is deployed from 2026-03-23 on.\n")
    late = replace(GOOD, body=GOOD.body + "\nTuva prints on Friday.\n")
    more = replace(late, body=late.body + "\nThe list is due on Friday.\n")
    conflict = replace(GOOD, body=f"{GOOD.body}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    for memory, known, wanted in (
        (short, "", ["refuse"]),
        (short, "Nothing is deployed on 2026-03-26.\n", ["flag"]),
        (short, GOOD.body, ["refuse"]),
        (late, "", ["refuse"]),
        (late, late.body, ["flag"]),
        (more, late.body, ["flag", "refuse"]),
        (conflict, "", ["refuse"]),
        (conflict, conflict.body, []),
    ):
        assert [one.severity for one in check(memory, WEDNESDAY, known=known)] == wanted


@pytest.mark.behaviour("A5")
@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("next Friday", "2026-03-27 (or 2026-03-20, if that is meant)"),
        ("next Tuesday", "2026-03-24"),
        ("last Monday", "2026-03-09 (or 2026-03-16, if that is meant)"),
        ("this Wednesday", "2026-03-18"),
        ("coming Wednesday", "2026-03-25"),
        ("next week", "the week of 2026-03-23"),
        ("last month", "2026-02"),
        ("in 10 months", "2027-01"),
        ("three years ago", "2023"),
        ("nine weeks ago", "2026-01-14"),
        ("day after tomorrow", "2026-03-20"),
        ("soon", ""),
    ],
)
def test_a_time_is_counted_from_the_message(said: str, instead: str) -> None:
    (found,) = find_relative_times(f"It happens {said}.", WEDNESDAY)
    assert (found.words, found.instead, found.sure) == (said, instead, len(instead) > 7)


NO_TIMES = (
    "We run Postgres 9.6 and Python 3.11.|It is on the 2nd server, and takes 10 days."
    '|the label "Tomorrow" is red|the preset `next week`|due tomorrow (2026-03-19)'
    "|on Sunday, 22 March, all are out|never deploy on Friday|from Monday to Friday"
    "|as soon as it is light|the last Friday of May|a tomorrow-first view|```\ntoday\n```"
)
TIMES = (
    'he said "tomorrow it is red"|due tomorrow (with luck)|on Sunday, all are out|soon it is'
    "|they deploy on Friday|a tomorrow view|the preset of next week"
)


@pytest.mark.behaviour("A5")
def test_a_number_is_no_date_and_a_day_is_one_in_the_persons_zone() -> None:
    for text in NO_TIMES.split("|"):
        assert find_relative_times(text, WEDNESDAY) == (), text
    for text in TIMES.split("|"):
        assert len(find_relative_times(text, WEDNESDAY)) == 1, text
    shanghai = datetime(2026, 3, 19, 3, 55, tzinfo=timezone(timedelta(hours=8)))
    assert find_relative_times("due tomorrow", shanghai)[0].instead == "2026-03-20"


@pytest.mark.behaviour("D5")
def test_age_in_whole_days_never_negative_and_unknown_where_it_cannot_be() -> None:
    day, now = timedelta(days=1), datetime(2026, 3, 30, 9, tzinfo=UTC)
    second = timedelta(seconds=1)
    for before, days, told, old in (
        (-day - second, None, "at an unknown time", True),
        (-day, 0, "today", False),
        (day - second, 0, "today", False),
        (day, 1, "1 day ago", False),
        (day + second, 1, "1 day ago", True),
        (2 * day, 2, "2 days ago", True),
        (47 * day, 47, "47 days ago", True),
    ):
        tokyo = (now - before).astimezone(timezone(timedelta(hours=9)))
        assert (memory_age(tokyo, now), age_in_words(tokyo, now)) == (days, told)
        assert is_old(now - before, now) is old
    for year, age in {1970: None, 1999: None, 2000: 9220, 9999: None}.items():
        assert memory_age(datetime(year, 12, 31, tzinfo=UTC), now) == age
    assert not is_old(now - 7 * day, now, Settings(caveat_after_hours=24 * 7))


# put together here, so that no other scanner takes this file for a leak
VALUE, RANDOM = "Tamarind" + "Otter57", "kX9vQ2mZ7p" + "L4tB8nR1wY6cD3"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{RANDOM}\n-----END RSA PRIVATE KEY-----"
HIDDEN = (
    f"The pass\xadword is {VALUE}.|The p a s s w o r d is {VALUE}.|contrasen\u0303as: {VALUE}"
    f"|\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44: {VALUE}|パスワードは {VALUE} です。"
    f"|Пароль: {VALUE}|Use {VALUE} as the password.|<db.password>{VALUE}</db.password>"
    f"|mysql -u mika -p'{VALUE}' x|DB_PW: ${{DB_PW:-{VALUE}}}|Wi-Fi: Guest, {VALUE}"
)


@pytest.mark.behaviour("L2")
def test_a_secret_is_seen_as_a_reader_sees_it_and_removed_whole() -> None:
    for text in HIDDEN.split("|"):
        secret = find_secrets(text)[0]
        assert VALUE not in remove_secrets(text) + repr(secret)
        assert VALUE in text[secret.start : secret.end]
        found = check(replace(GOOD, body=text), WEDNESDAY)
        assert ("secret", "refuse") in [(one.rule, one.severity) for one in found]
        assert VALUE not in str(found)
    first, second = find_secrets(f"Password: {VALUE}\nthe password is now '{VALUE}'")
    assert (first.fingerprint, second.line_in("x\ny")) == (second.fingerprint, 2)
    assert remove_secrets(f"Before.\n{PEM}\nAfter.") == "Before.\n[removed]\nAfter."
    text = f"One p\u200b a s s w o r d: {VALUE}"
    assert text[find_secrets(text)[0].offset :].startswith("p\u200b a")
    for harmless in (f"sha256:{'0f' * 32}", "FEED_API_KEY= (empty)"):
        assert find_secrets(f"The key is {harmless}") == ()


HOSTILE = (
    "x y z\n||a/|0|`|why|\n- a|    x\n|1. |to fix |PR #1 |[rest of the |(|…|today |in a |"
    "```\n|token=1|password:*|eyJ-|token is |p a s s |a@|on monday 2026-03-18 "
)


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE.split("|"))
def test_a_hostile_text_does_not_stall(piece: str) -> None:
    hostile = replace(GOOD, body=(piece or "\n") * (40_000 // len(piece or "\n")))
    assert does_not_stall(lambda: check(hostile, WEDNESDAY))
    assert does_not_stall(lambda: remove_secrets(hostile.body))


def test_two_hundred_other_memories_are_little_work() -> None:
    terms = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]
    bodies = [" ".join(terms[number % 50 : number % 50 + 80]) for number in range(200)]
    others = [replace(GOOD, name=f"M{n}", body=body) for n, body in enumerate(bodies)]
    assert calls(lambda: check(GOOD, WEDNESDAY, others)) < 200 * 200
