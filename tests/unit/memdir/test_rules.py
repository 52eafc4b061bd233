"""What may be written as a memory, and what is better read live."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlab.memdir.memory import Memory, MemoryType, parse_memory
from memlab.memdir.rules import Finding, better_read_live, check
from memlab.text import words
from tests.unit.memdir.labelled_checks import Case, cases, figures
from tests.work import calls, does_not_stall

NOW = datetime(2026, 3, 18, 10, tzinfo=UTC)
RULES = ["type", "fields", "paragraphs", "relative-date", "secret", "duplicate", "instructions"]
RULES += ["file-layout", "code-block", "git-history", "debugging", "task-state"]
# Known to be wrong, and left so: words alone do not show that two texts mean the same, and the
# place in a stack trace is a place in a file too.
MISSED, WRONG = {"dup-paraphrase"}, {"debug-js-trace"}
WORDS = words(
    "alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar"
    " papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
)
GOOD = Memory(
    "Regatta freeze",
    "No deploys from 2026-03-26 to 2026-03-29",
    MemoryType.project,
    "Nothing is deployed from 2026-03-26 to 2026-03-29.\n\n"
    "**Why:** the regatta brings a third of the year's bookings.\n\n"
    "**How to apply:** plan risky work before it.\n",
)


def judged(memory: Memory, **more: object) -> list[tuple[str, str, int]]:
    found = check(memory, NOW, **more)  # type: ignore[arg-type]
    return [(one.rule, one.severity, one.line) for one in found]


@pytest.mark.behaviour("A3", "A4")
@pytest.mark.parametrize("half", ["work", "final"])
def test_figures_on_the_labelled_cases(half: str) -> None:
    found = [(case, case.findings()) for case in cases(half=half)]
    missed = {case.id for case, _ in found if case.expect != "pass" and case.got() == "pass"}
    wrong = set[str]()
    print(f"\n{half}: {len(found)} cases\n{'rule':14} right wrong missed precision recall")
    for rule in RULES:
        right, false, lost, severity = figures(rule, found)
        precision, recall = right / (right + false), right / (right + lost)
        print(f"{rule:14} {right:5} {false:5} {lost:6} {precision:9.2f} {recall:6.2f}")
        assert severity == 0
        assert precision >= (0.7 if rule == "file-layout" else 1)
        assert recall >= (0.8 if rule == "duplicate" else 1)
        wrong |= {
            case.id
            for case, findings in found
            if any(one.rule == rule for one in findings)
            and (case.rule != rule or case.expect == "pass")
        }
    assert missed == MISSED & {case.id for case, _ in found}
    assert wrong == WRONG & {case.id for case, _ in found}


@pytest.mark.parametrize(
    "case",
    [case for case in cases() if case.line is not None or case.also_says or case.never_says],
    ids=lambda case: case.id,
)
def test_a_finding_says_what_and_where(case: Case) -> None:
    found = [one for one in case.findings() if one.rule == case.rule]
    told = " ".join(f"{one.message}. {one.suggestion}." for one in found)
    assert found
    assert [text for text in case.also_says if text not in told] == []
    assert [text for text in case.never_says if text in told] == []
    assert case.line in (None, found[0].line)


def test_both_halves_hold_every_rule_and_its_near_misses() -> None:
    for half in ("work", "final"):
        labelled = {(case.rule, case.expect != "pass") for case in cases(half=half)}
        assert {(rule, True) for rule in RULES} <= labelled
        assert {(rule, False) for rule in RULES} - labelled == set()
    assert len({case.id for case in cases()}) == len(cases())


def test_everything_wrong_is_told_at_once_and_a_good_memory_passes() -> None:
    bad = Memory("", "Deadline\ntomorrow", None, "- [ ] receipts\n\nThe PIN of the shed is 4815.")
    assert check(GOOD, NOW) == []
    assert judged(bad) == [
        ("type", "refuse", 0),
        ("fields", "refuse", 0),
        ("fields", "refuse", 0),
        ("relative-date", "refuse", 0),
        ("secret", "refuse", 3),
        ("task-state", "refuse", 1),
    ]


@pytest.mark.behaviour("A2")
def test_an_unknown_type_is_quoted_beside_the_four() -> None:
    memory = parse_memory("---\nname: A\ndescription: B\ntype: lesson\n---\n\nRobin sails.\n")
    (found,) = check(memory, NOW)
    assert found == Finding(
        "type",
        "refuse",
        "there is no type 'lesson'",
        "Choose from: user, feedback, project, reference",
    )


def test_a_tombstone_passes_and_the_same_text_with_a_body_does_not() -> None:
    dropped = Memory("Old", "", None, "\n", dropped="no longer true since yesterday")
    assert check(dropped, NOW) == []
    assert check(replace(dropped, body="Still here."), NOW) != []


@pytest.mark.behaviour("B4")
def test_a_long_line_of_the_index_is_flagged() -> None:
    long = replace(GOOD, description="x " * 90)
    assert judged(long) == [("fields", "flag", 0)]
    assert judged(replace(long, description="x " * 80)) == []


def test_the_time_counts_from_the_message_and_not_from_the_machine() -> None:
    said = replace(GOOD, body=GOOD.body + "\nTuva prints the prices next Friday.\n")
    (found,) = check(said, datetime(2026, 3, 27, 9, 20, tzinfo=UTC))
    assert found.suggestion == "Write 2026-04-03"
    assert found.line == 7


def test_line_ends_of_other_systems_change_nothing() -> None:
    for case in cases():
        body = case.memory.body.replace("\r\n", "\n").replace("\n", "\r\n")
        other = case.model_copy(update={"memory": replace(case.memory, body=body)})
        assert [(one.rule, one.line) for one in other.findings()] == [
            (one.rule, one.line) for one in case.findings()
        ], case.id


def test_a_memory_is_no_duplicate_of_one_with_its_name() -> None:
    kept = replace(GOOD, path=Path("regatta-freeze.md"))
    renamed = replace(GOOD, name="Freeze for the regatta")
    assert judged(renamed, others=[kept]) == [("duplicate", "refuse", 0)]
    assert judged(GOOD, others=[kept]) == []


def test_one_changed_word_in_a_long_text_is_still_a_copy() -> None:
    kept = replace(GOOD, body=f"{GOOD.body}\nThe crew knows: {' '.join(WORDS)}.", path=Path("a.md"))
    told = replace(kept, name="Freeze", path=None)
    assert judged(replace(told, body=told.body.replace("kilo", "kite")), others=[kept]) == [
        ("duplicate", "refuse", 0)
    ]
    fewer = replace(told, body=f"{GOOD.body}\nThe crew knows: {' '.join(WORDS[:12])}.")
    assert judged(fewer, others=[kept]) == [("duplicate", "flag", 0)]


def test_a_few_common_words_are_no_likeness() -> None:
    kept = Memory("Ferry", "Robin takes it", MemoryType.user, "Robin takes it.", Path("ferry.md"))
    new = Memory("Taxi", "Robin takes it", MemoryType.user, "Robin takes it.")
    assert judged(new, others=[kept]) == []
    assert judged(replace(GOOD, name="Stop"), others=[kept, GOOD]) != []


def test_what_was_dropped_is_not_in_the_way() -> None:
    kept = replace(GOOD, description=" ".join(WORDS[:9]), path=Path("a.md"))
    dropped = replace(kept, body="", dropped="no longer true")
    new = replace(kept, name="Freeze", path=None)
    assert judged(new, others=[dropped]) == []
    assert judged(new, others=[kept]) != []


def test_a_sentence_of_the_instructions_is_found_on_its_line_in_both_files() -> None:
    rules = "# tidebook\n\n- Ask Mika before you change prices.\n- Times are stored in UTC.\n"
    body = GOOD.body + "\nBy the way, ask Mika before you change prices.\n"
    said = replace(GOOD, body=body)
    assert judged(said, project_instructions=rules) == [("instructions", "refuse", 7)]
    assert judged(said, project_instructions=rules.replace("Mika", "nobody")) == []
    few = replace(GOOD, body=GOOD.body + "\nRobin works alone.\n")
    assert judged(few, project_instructions="Robin works alone.\n") == []


def test_one_memory_against_two_hundred_is_little_work() -> None:
    dice = random.Random(1)
    terms = ["".join(dice.choices("abcdeilmnorstu", k=dice.randint(3, 9))) for _ in range(2_000)]

    def memory(number: int) -> Memory:
        told = [" ".join(dice.choices(terms, k=size)) for size in (10, 40, 20, 20)]
        body = f"{told[1]}.\n\n**Why:** {told[2]}.\n\n**How to apply:** {told[3]}.\n"
        return Memory(f"Memory {number}", told[0], MemoryType.feedback, body)

    existing = [memory(number) for number in range(200)]
    rules = "\n".join(f"- {' '.join(dice.choices(terms, k=10))}." for _ in range(100))
    new = memory(200)

    def lint() -> list[Finding]:
        return check(new, NOW, existing, project_instructions=rules)

    assert lint() == []
    made = calls(lint)
    print(f"\n{made:,} calls for a body of {len(new.body)} characters beside 200")
    assert made < 200 * 200


@pytest.mark.parametrize(
    "piece",
    ["x y z\n", "\n", " ", "- ", "a/", "PR ", "0", "`", "```\n", "why", "\n- a", "    x\n", "a. "],
)
def test_a_hostile_body_does_not_stall(piece: str) -> None:
    hostile = replace(GOOD, body=piece * 20_000)
    assert does_not_stall(lambda: check(hostile, NOW, [GOOD]))


def live(text: str) -> list[tuple[str, str, int]]:
    return [(one.rule, one.severity, one.line) for one in better_read_live(text)]


@pytest.mark.parametrize(
    ("lines", "severity"), [(3, None), (4, "flag"), (10, "flag"), (11, "refuse")]
)
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_block_of_code_is_judged_by_its_lines(
    lines: int, severity: str | None, fence: str
) -> None:
    code = "".join(f"    step_{number}(boat)\n" for number in range(lines))
    found = live(f"Like this:\n\n{fence}python\n{code}{fence}\nBelow it\nis\nonly\nprose.\n")
    assert found == ([] if severity is None else [("code-block", severity, 3)])
    assert live("```\n" + "x = 1\n" * 11 + "y = 2") == [("code-block", "refuse", 1)]


@pytest.mark.behaviour("A4")
def test_the_surest_of_a_rule_is_found_and_each_rule_once() -> None:
    doubtful = "src/app.py holds the routes.\n\nNext steps: receipts.\n\n"
    sure = "a/\n├── b.py\n└── c.py\n\n- [ ] receipts\n- [x] tax\n"
    assert live(doubtful) == [("file-layout", "flag", 1), ("task-state", "flag", 3)]
    assert live(doubtful + sure) == [("file-layout", "refuse", 6), ("task-state", "refuse", 9)]


@pytest.mark.parametrize(
    ("form", "rule"),
    [
        ("- a/b.py\n", "file-layout"),
        ("3f9a2c1 round up\n", "git-history"),
        ("see #112 there\n", "git-history"),
    ],
)
def test_one_is_a_mention_and_several_are_a_list(form: str, rule: str) -> None:
    assert live(form) == []
    assert [found[0] for found in live(form * 3)] == [rule]


@pytest.mark.parametrize(
    "line",
    [
        "[rest of the file unchanged]",
        "... (rest of the memory remains the same) ...",
        "<existing content>",
        "// ... existing text ...",
        "[... everything else as before ...]",
        "The rest of the file is unchanged.",
        "<!-- remaining sections unchanged -->",
    ],
)
def test_a_line_in_place_of_text_is_refused(line: str) -> None:
    told = replace(GOOD, body=f"{GOOD.body}\n{line}\n")
    assert judged(told) == [("placeholder", "refuse", 7)]
    assert judged(replace(GOOD, body=f"{GOOD.body}\n```\n{line}\n```\n")) == []


@pytest.mark.parametrize(
    "line",
    [
        "The rest of the crew is on leave.",
        "# The rest of the year",
        "- [existing customers](https://x.example) pay less",
        "Keep the existing text of a receipt unchanged when the price changes.",
        "Everything else is decided by Mika.",
    ],
)
def test_a_sentence_about_the_rest_is_no_placeholder(line: str) -> None:
    assert judged(replace(GOOD, body=f"{GOOD.body}\n{line}\n")) == []


def test_a_text_without_a_reason_can_be_corrected() -> None:
    short = replace(GOOD, body="Nothing is deployed in the week of 2026-03-23.\n")
    assert judged(short) == [("paragraphs", "refuse", 0)]
    assert judged(short, known="Nothing is deployed on 2026-03-26.\n") == [
        ("paragraphs", "flag", 0)
    ]
    assert judged(short, known=GOOD.body) == [("paragraphs", "refuse", 0)]


@pytest.mark.parametrize(
    "piece", ["```\n", "1. ", "to fix ", "PR #1 ", "    x\n", "[rest of the ", "(", "…"]
)
def test_a_hostile_text_does_not_stall(piece: str) -> None:
    hostile = piece * (100_000 // len(piece))
    assert does_not_stall(lambda: check(replace(GOOD, body=hostile), NOW))


def test_a_time_in_a_line_that_was_there_does_not_stop_a_correction() -> None:
    said = replace(GOOD, body=GOOD.body + "\nTuva prints on Friday.\n")
    more = replace(said, body=said.body + "\nThe list is due on Friday.\n")
    found = [check(one, NOW, known=known) for one, known in ((said, ""), (said, said.body))]
    assert [[one.severity for one in each] for each in found] == [["refuse"], ["flag"]]
    assert [one.severity for one in check(more, NOW, known=said.body)] == ["flag", "refuse"]
