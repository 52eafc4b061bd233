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

WEDNESDAY = datetime(2026, 3, 18, 10, tzinfo=UTC)
GOOD = Memory(
    "Regatta freeze",
    "No deploys from 2026-03-26 to 2026-03-29",
    MemoryType.project,
    "Nothing is deployed then.\n\n**Why:** bookings.\n\n**How to apply:** wait.\n",
)


def made(raw: Label) -> Memory:
    text = {key: str(value).replace("¦", "") for key, value in raw.items()}
    path = Path(re.sub(r"\W+", "-", raw.name.lower()) + ".md")
    kind = MemoryType(raw.type) if raw.type else None
    return Memory(**text | {"type": kind}, path=path)  # type: ignore[arg-type]


def findings(case: Label) -> list[Finding]:
    plain = Label(name="Said", description="Something", type="user", body=case.text)
    memory = replace(made(case.memory or plain), path=None)
    others = [made(one) for one in case.existing or ()]
    now, rules = case.now or WEDNESDAY, case.project_instructions
    return check(memory, now, others, project_instructions=rules)


@pytest.mark.behaviour("A3", "A4", "A5")
def test_every_labelled_case_is_judged_as_labelled_and_says_what_and_where() -> None:
    cases = load_labels(*sorted((LABELLED / "checks").glob("*.yaml")))
    wrong: dict[str, object] = {}
    order = ["pass", "flag", "refuse"]
    for case in cases:
        found = findings(case)
        own = [one for one in found if case.rule in ("any", one.rule)]
        got = max((one.severity for one in own), key=order.index, default="pass")
        told = " ".join(f"{one.message}. {one.suggestion}." for one in own)
        dates = [re.findall(r"\d{4}-\d\d-\d\d", one.suggestion)[:1] for one in own]
        if (
            got != case.expect
            or len(own) < len(found)
            or [text for text in case.also_says or () if text not in told]
            or [text for text in case.never_says or () if text in told]
            or (case.date and dates != [[case.date]])
            or (case.line and case.line != own[0].line)
        ):
            wrong[case.id] = found
    # words alone do not show that two texts mean the same
    assert wrong.keys() == {"dup-paraphrase", "debug-js-trace"}
    assert len(cases) == 332


def judged(memory: Memory, **more: Any) -> list[tuple[str, str, int]]:
    found = check(memory, WEDNESDAY, **more)
    return [(one.rule, one.severity, one.line) for one in found]


@pytest.mark.behaviour("A2", "B4")
def test_everything_wrong_is_told_at_once_and_a_good_memory_passes() -> None:
    body = "- [ ] receipts\n\nThe PIN of the shed is 4815."
    told = judged(Memory("", "Due\ntomorrow", None, body))
    assert [rule for rule, severity, _ in told if severity == "refuse"] == (
        ["type", "fields", "fields", "relative-date", "secret", "task-state"]
    )
    (odd,) = check(replace(GOOD, type=None, raw_type="lesson"), WEDNESDAY)
    assert "user, feedback, project, reference" in odd.suggestion
    (odd,) = check(replace(GOOD, type=None, raw_type="['user']"), WEDNESDAY)
    assert "is a list" in odd.message
    for known, severity in {"": "refuse", "Due tomorrow.": "flag"}.items():
        due = judged(replace(GOOD, body=f"Due tomorrow.\n\n{GOOD.body}"), known=known)
        assert ("relative-date", severity, 1) in due, "its day may be unknown"
    room = 200 - len(f"- [{GOOD.name}]({GOOD.name}.md) — ")
    for more, wanted in enumerate(([], [("fields", "flag", 0)])):
        assert judged(replace(GOOD, description="x" * (room + more))) == wanted
    person = replace(GOOD, type=MemoryType.user, path=Path("team/robin.md"))
    assert judged(person) == [("scope", "refuse", 0)]


PLACEHOLDERS = "[rest of the file unchanged]|// ... existing text ..."
ORDINARY = "The rest of the crew is on leave.|Keep the existing text."


@pytest.mark.behaviour("A4")
def test_what_stands_for_other_text_and_code_by_its_lines() -> None:
    for line in f"{PLACEHOLDERS}|{ORDINARY}".split("|"):
        found = judged(replace(GOOD, body=f"{GOOD.body}\n{line}\n"))
        assert found == [("placeholder", "refuse", 7)] * (line in PLACEHOLDERS), line
    for lines, severity in {3: "", 10: "flag", 11: "refuse"}.items():
        code = "```\n" + "    step(boat)\n" * lines + "```\n"
        found = judged(replace(GOOD, body=f"{GOOD.body}\n{code}"))
        assert found == ([("code-block", severity, 7)] if severity else [])


NO_TIMES = (
    "We run Postgres 9.6 and Python 3.11.|It is on the 2nd server, and takes 10 days."
    '|the label "Tomorrow" is red|due tomorrow (2026-03-19)|never deploy on Friday'
)


@pytest.mark.behaviour("A5")
def test_a_number_is_no_date_and_a_day_is_one_in_the_persons_zone() -> None:
    for text in NO_TIMES.split("|"):
        assert find_relative_times(text, WEDNESDAY) == (), text
    (found,) = find_relative_times("due last Monday", WEDNESDAY)
    assert found.instead == "2026-03-09 (or 2026-03-16, if that is meant)"
    shanghai = datetime(2026, 3, 19, 3, 55, tzinfo=timezone(timedelta(hours=8)))
    assert find_relative_times("due tomorrow", shanghai)[0].instead == "2026-03-20"


@pytest.mark.behaviour("D5")
def test_age_in_whole_days_never_negative_and_unknown_where_it_cannot_be() -> None:
    day, now = timedelta(days=1), datetime(2026, 3, 30, 9, tzinfo=UTC)
    second = timedelta(seconds=1)
    for before, days, told, old in (
        (-day - second, None, "at an unknown time", True),
        (day - second, 0, "today", False),
        (day, 1, "1 day ago", False),
        (day + second, 1, "1 day ago", True),
        (47 * day, 47, "47 days ago", True),
    ):
        tokyo = (now - before).astimezone(timezone(timedelta(hours=9)))
        assert (memory_age(tokyo, now), age_in_words(tokyo, now)) == (days, told)
        assert is_old(now - before, now) is old
    for year, age in {1970: None, 1999: None, 2000: 9220, 9999: None}.items():
        assert memory_age(datetime(year, 12, 31, tzinfo=UTC), now) == age


# put together here, so that no other scanner takes this file for a leak
VALUE, RANDOM = "Tamarind" + "Otter57", "kX9vQ2mZ7p" + "L4tB8nR1wY6cD3"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{RANDOM}\n-----END RSA PRIVATE KEY-----"
HIDDEN = (
    f"The pass\xadword is {VALUE}.|The p a s s w o r d is {VALUE}."
    f"|\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44: {VALUE}|パスワードは {VALUE} です。"
    f"|Use {VALUE} as the password.|mysql -u mika -p'{VALUE}' x"
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
    assert first.fingerprint == second.fingerprint
    assert remove_secrets(f"Before.\n{PEM}\nAfter.") == "Before.\n[removed]\nAfter."
    assert find_secrets(f"The key is sha256:{'0f' * 32}") == ()
