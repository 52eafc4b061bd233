"""What a run of the bench found: collected once, and set as a text table for
a terminal of 80 columns.

All that comes from a model, a label or a prompt file passes through
``text.visible``, so that it cannot steer the terminal.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memlab.bench.answer import Answer
from memlab.bench.compare import (
    FEWEST_CASES,
    NO_VERDICT,
    Case,
    CompareError,
    Comparison,
    NothingShared,
    Row,
    check_same_run,
    compare,
    mostly_correct,
    summary,
)
from memlab.evals.metrics import SIGNIFICANT
from memlab.text import shorten, visible

WIDTH = 80
LABEL, COLUMN = 24, 14
SHOWN = 300
"""Characters of an output that the report shows; the log has all."""
NOTHING = "(nothing)"
"""An output without a word."""
RULES = "rules (no language model, ignores the prompt)"
FEWEST_FLIPS = 6
"""With fewer flips than this, even a one-sided split shows nothing."""


@dataclass(frozen=True)
class Report:
    """Everything that a report says about one task, half and model.

    ``means_correct`` says in one sentence what counts as correct. ``diffs``
    are unified diffs of the prompts against the base, by variant.
    ``final_runs`` counts, over all logs in the folder, how often the final
    half was run with each prompt version. ``note`` says how the run ended, if
    it did not simply finish. ``recorded`` is the date of the tape that was
    replayed, if one was.
    """

    task: str
    half: str
    model: str
    modes: tuple[str, ...]
    first: datetime
    last: datetime
    repeats: int
    base: str
    means_correct: str
    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...]
    baseline: Row | None = None
    diffs: Mapping[str, str] = field(default_factory=dict)
    final_runs: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    recorded: str = ""


def make_report(
    answers: Iterable[Answer],
    base: str,
    *,
    means_correct: str,
    reasons: Mapping[str, str] | None = None,
    baseline: Iterable[Answer] = (),
    diffs: Mapping[str, str] | None = None,
    final_runs: Mapping[str, int] | None = None,
    note: str = "",
    recorded: str = "",
) -> Report:
    """Sum up the variants and compare each with the base.

    Where only the base has answers, and each case was asked at least twice,
    it is compared with itself. ``baseline`` are the answers of the rules.
    Raises CompareError if there are no answers or they do not belong
    together.
    """
    listed = list(answers)
    if not listed:
        raise CompareError(
            "there are no answers", do="Ask the model some cases first."
        )
    check_same_run(listed)
    rows = summary(listed)
    others = [row.variant for row in rows if row.variant != base]
    comparisons = []
    for other in others or [base]:
        try:
            comparisons.append(compare(listed, base, other, reasons))
        except NothingShared:
            continue
    rules = summary(baseline)
    times = [answer.at for answer in listed]
    return Report(
        task=listed[0].task,
        half=listed[0].half,
        model=listed[0].model,
        modes=tuple(sorted({answer.mode for answer in listed})),
        first=min(times),
        last=max(times),
        repeats=max(answer.repeat for answer in listed),
        base=base,
        means_correct=means_correct,
        rows=tuple(rows),
        comparisons=tuple(comparisons),
        baseline=rules[0] if rules else None,
        diffs=diffs or {},
        final_runs=final_runs or {},
        note=note,
        recorded=recorded,
    )


def report_text(report: Report) -> str:
    """Set a report as lines of at most 80 columns."""
    title = name(f"Prompt bench: {report.task}, {report.half} half")
    lines = [*_heading(title, "="), ""]
    lines += _wrapped(who_answered(report))
    lines += _wrapped(f"Correct means: {name(report.means_correct)}")
    if report.note:
        lines += _wrapped(name(report.note))
    lines += ["", *_table(report.rows)]
    if report.baseline:
        lines += ["", *_wrapped(baseline_line(report.baseline))]
    for comparison in report.comparisons:
        lines += ["", *_comparison_lines(comparison)]
    for caution in cautions(report):
        lines += ["", *_wrapped(caution)]
    for variant, diff in report.diffs.items():
        heading = _heading(prompts_heading(variant, report.base), "-")
        lines += ["", *heading, *_diff_lines(diff)]
    return "\n".join(lines) + "\n"


def figures(row: Row) -> list[tuple[str, str]]:
    """Give the figures of one variant as they are shown, with their names."""
    speed = row.tokens_per_second
    return [
        ("prompt version", name(row.version)),
        ("cases", f"{row.cases:,}"),
        ("answers", f"{row.answers:,}"),
        ("correct", percent(row.correct)),
        ("  95 % interval", range_text(row)),
        ("score", f"{row.score:.3f}"),
        *((name(key), f"{value:.3f}") for key, value in row.metrics.items()),
        ("unusable answers", percent(row.fallback)),
        (
            "read from the cache",
            "–" if row.cache is None else percent(row.cache),
        ),
        ("model calls", f"{row.calls:,}"),
        ("tokens in", f"{row.tokens.input:,}"),
        ("tokens out", f"{row.tokens.output:,}"),
        ("seconds per answer", f"{row.seconds:.2f}"),
        (
            "tokens out per second",
            "–" if speed is None else f"{speed:.1f}",
        ),
        (
            "US dollars",
            "no price" if row.dollars is None else f"{row.dollars:.4f}",
        ),
    ]


def who_answered(report: Report) -> str:
    """Say who answered, how and when."""
    repeats = (
        "each case once"
        if report.repeats == 1
        else f"each case up to {report.repeats} times"
    )
    if report.recorded:
        return (
            f"Answered by {name(report.model)}, recorded"
            f" {name(report.recorded)} (replayed), {repeats}."
        )
    first, last = report.first, report.last
    until = (
        f"{last:%H:%M}"
        if first.date() == last.date()
        else f"{last:%Y-%m-%d %H:%M}"
    )
    return (
        f"Answered by {name(report.model)}"
        f" (mode: {name(', '.join(report.modes))}),"
        f" {first:%Y-%m-%d %H:%M} to {until} UTC, {repeats}."
    )


def baseline_line(row: Row) -> str:
    """Give the figure of the rules, labelled as what it is."""
    return (
        f"Fixed baseline: {RULES}: {percent(row.correct)} correct"
        f" ({range_text(row)}) of {row.cases} cases, score {row.score:.3f}."
    )


def prompts_heading(variant: str, base: str) -> str:
    """Name what the diff of a variant compares."""
    return f"The prompts of {name(variant)} against {name(base)}"


def verdict_word(comparison: Comparison) -> str:
    """Give the verdict, or say that there is none."""
    return comparison.verdict or "no verdict"


def names(comparison: Comparison) -> tuple[str, str]:
    """Name the two sides of a comparison so that they can be told apart."""
    base, other = name(comparison.base), name(comparison.other)
    if base == other:
        return f"{base} (first repeats)", f"{base} (later repeats)"
    return base, other


def comparison_sentences(comparison: Comparison) -> list[str]:
    """Say what a comparison shows, and how sure that is."""
    base, other = names(comparison)
    count = len(comparison.cases)
    regressed, fixed = len(comparison.regressed), len(comparison.fixed)
    changed = points(comparison.difference)
    flipped = (
        f"{counted(comparison.flips, 'case')} flipped: {fixed} fixed,"
        f" {regressed} regressed"
    )
    if comparison.verdict:
        low, high = comparison.interval
        changed += f" (95 % interval {_signed(low)} to {_signed(high)})"
        p = comparison.p
        shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
        flipped += f" ({shown}, McNemar's exact test)"
    sentences = [
        f"{other} against {base}: {verdict_word(comparison)}.",
        f"In the {counted(count, 'case')} that both have answered, the share of"
        f" correct answers changed by {changed}.",
        f"{flipped}.",
    ]
    sentences += _why_no_verdict(comparison)
    if comparison.verdict:
        sentences.append(detectable_sentence(comparison))
    sentences += _disagreement(comparison)
    if comparison.left_out:
        sentences.append(_left_out(comparison))
    if comparison.dropped:
        sentences.append(
            "Left out of the comparison:"
            f" {counted(comparison.dropped, 'answer')} without a partner in"
            " the other variant."
        )
    return sentences


def detectable_sentence(comparison: Comparison) -> str:
    """Say how small a difference these cases could have shown."""
    least = comparison.detectable
    if least is None:
        return (
            f"{counted(comparison.flips, 'flip')} cannot show a difference in"
            f" either direction: that takes at least {FEWEST_FLIPS}, all the"
            " same way."
        )
    return (
        f"If {least.flips} of {least.cases} cases flip, the smallest split that"
        f" counts as a difference is {least.more} to {least.fewer}, or"
        f" {100 * least.difference:.1f} points."
    )


def cautions(report: Report) -> list[str]:
    """Say what a reader could otherwise overlook."""
    said = []
    tests = sum(bool(each.verdict) for each in report.comparisons)
    if tests > 1:
        chance = 1 - (1 - SIGNIFICANT) ** tests
        said.append(
            f"{tests} variants were compared with {name(report.base)}. Even"
            " if none of them changed anything, the chance that at least one"
            f" is called better or worse is up to {100 * chance:.0f} %."
        )
    if any(row.fallback for row in report.rows):
        said.append(
            "Where the model failed or its answer could not be used, the"
            " answer counts as wrong. In the agent, the fallback rules would"
            " answer there."
        )
    compared = {each.other for each in report.comparisons} | {report.base}
    said += [
        f"{name(row.variant)} has no case in common with"
        f" {name(report.base)} yet, so they are not compared."
        for row in report.rows
        if row.variant not in compared
    ]
    if report.half == "final":
        said.append(_final_runs(report))
    return said


def bucket_sentence(comparison: Comparison) -> str:
    """Count the cases of all buckets."""
    return (
        f"Regressed {len(comparison.regressed)}, fixed"
        f" {len(comparison.fixed)}, still failing {len(comparison.failing)},"
        f" still correct {len(comparison.unchanged)}; flickering"
        f" {len(comparison.flickering)}."
    )


class Bucket(NamedTuple):
    """Cases that went the same way, and what to write above them."""

    heading: str
    cases: Sequence[Case]


def buckets(comparison: Comparison) -> tuple[Bucket, ...]:
    """Give the regressed, fixed, failing, flickering and reworded cases."""
    base, other = names(comparison)
    return tuple(
        Bucket(f"{title} ({len(cases)})", cases)
        for title, cases in (
            (
                f"Regressed: correct with {base}, wrong with {other}",
                comparison.regressed,
            ),
            (
                f"Fixed: wrong with {base}, correct with {other}",
                comparison.fixed,
            ),
            ("Still failing", comparison.failing),
            (
                "Flickering: the repeats of one variant differ",
                comparison.flickering,
            ),
            ("Changed otherwise", _reworded(comparison)),
        )
    )


def _reworded(comparison: Comparison) -> list[Case]:
    """Give the cases of a task without a verdict whose output changed while
    their correctness did not.
    """
    if comparison.task not in NO_VERDICT:
        return []
    same = comparison.failing + comparison.unchanged
    return [case for case in same if case.reworded]


def shown_answer(answers: Sequence[Answer]) -> Answer:
    """Choose the repeat to show: the first one on the majority's side."""
    correct = mostly_correct(answers)
    return next(
        (answer for answer in answers if answer.correct == correct),
        answers[0],
    )


def votes(answers: Sequence[Answer]) -> str:
    """Say how many repeats were correct."""
    right = sum(answer.correct for answer in answers)
    if len(answers) == 1:
        return "correct" if right else "wrong"
    return f"{right} of {len(answers)} correct"


def by_fallback(answer: Answer) -> str:
    """Say why there is no usable answer; nothing where there is one."""
    if answer.by != "fallback":
        return ""
    return f"no usable answer: {name(answer.error)}"


def name(text: str) -> str:
    """Make a name or a sentence safe to show in one line."""
    return " ".join(visible(text).split())


def percent(value: float) -> str:
    """Give a share as it is shown."""
    return f"{100 * value:.1f} %"


def points(value: float) -> str:
    """Give a difference of shares in points, with its sign."""
    return f"{_signed(value)} points"


def _signed(value: float) -> str:
    rounded = round(100 * value, 1)
    if rounded == 0:
        return "0.0"
    return f"{rounded:+.1f}".replace("-", "−")


def range_text(row: Row) -> str:
    """Give the interval of a row as it is shown."""
    return f"{100 * row.interval.low:.1f}–{100 * row.interval.high:.1f} %"


def counted(number: int, what: str) -> str:
    """Write a number of things, with a plural where it is needed."""
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s"


def _why_no_verdict(comparison: Comparison) -> list[str]:
    if comparison.task in NO_VERDICT:
        return [
            f"For the task {comparison.task} there is no verdict, only a list"
            " of what changed."
        ]
    if not comparison.verdict:
        return [
            f"With fewer than {FEWEST_CASES} cases there is no verdict, only a"
            " list of the cases that flipped."
        ]
    if comparison.verdict == "no difference shown":
        return ["This does not mean that the two are equally good."]
    return []


def _disagreement(comparison: Comparison) -> list[str]:
    """Explain an interval that seems to say something else than the word."""
    low, high = comparison.interval
    if not comparison.verdict:
        return []
    excludes_zero = low > 0 or high < 0
    if comparison.verdict == "no difference shown" and excludes_zero:
        return [
            "Nevertheless, the interval does not include zero. The verdict"
            " follows the test, which counts only the majority of each case's"
            " repeats and is stricter; more cases may show a difference."
        ]
    if comparison.verdict != "no difference shown" and not excludes_zero:
        return [
            "The interval includes zero all the same: it weighs every repeat,"
            " and the test only each case's majority."
        ]
    wrong_side = high < 0 if comparison.verdict == "better" else low > 0
    if comparison.verdict != "no difference shown" and wrong_side:
        return [
            "The interval says the opposite: it weighs every repeat, and the"
            " test only each case's majority. Ask more repeats before you"
            " believe either."
        ]
    if low == high == 0:
        return [
            "No case differs, so the interval has no width; it cannot show"
            " what other cases would do."
        ]
    return []


def _left_out(comparison: Comparison) -> str:
    base, other = names(comparison)
    parts = [
        f"{counted(len(cases), 'case')} only under {variant} ({_listed(cases)})"
        for variant, cases in (
            (base, comparison.only_base),
            (other, comparison.only_other),
        )
        if cases
    ]
    return f"Left out of the comparison: {'; '.join(parts)}."


def _listed(cases: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(name(case) for case in cases[:most])
    return (
        shown
        if len(cases) <= most
        else f"{shown} and {len(cases) - most} more"
    )


def _final_runs(report: Report) -> str:
    versions = len(report.final_runs)
    runs = [
        f"{_times(report.final_runs.get(row.version, 0))} with"
        f" {name(row.variant)}"
        for row in report.rows
    ]
    text = (
        f"In this folder, the final half was run {', '.join(runs)}, and with"
        f" {counted(versions, 'prompt version')} in all."
    )
    if versions > len(report.rows) or any(
        count > 1 for count in report.final_runs.values()
    ):
        text += (
            " Each look at it makes it more like the work half: a prompt"
            " chosen by these figures will do worse on new cases."
        )
    return text


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _table(rows: Sequence[Row]) -> Iterator[str]:
    """Set the variants side by side, as many as fit in a line."""
    per_line = (WIDTH - LABEL) // COLUMN
    for start in range(0, len(rows), per_line):
        if start:
            yield ""
        yield from _columns(rows[start : start + per_line])


def _columns(rows: Sequence[Row]) -> Iterator[str]:
    head = [shorten(name(row.variant), COLUMN - 2) for row in rows]
    yield _line("", head)
    yield "-" * (LABEL + COLUMN * len(rows))
    columns = [dict(figures(row)) for row in rows]
    labels = dict.fromkeys(label for each in columns for label in each)
    for label in labels:
        cells = [column.get(label, "–") for column in columns]
        yield _line(label, [shorten(cell, COLUMN - 2) for cell in cells])


def _line(label: str, cells: Sequence[str]) -> str:
    shown = _short_label(label).ljust(LABEL)
    return shown + "".join(cell.rjust(COLUMN) for cell in cells)


def _short_label(label: str) -> str:
    """Cut a label to its column, keeping its indentation."""
    return label if len(label) < LABEL else label[: LABEL - 2] + "…"


def _comparison_lines(comparison: Comparison) -> Iterator[str]:
    first, *rest = comparison_sentences(comparison)
    yield from _heading(first, "-")
    yield from _wrapped(" ".join(rest))
    yield from _wrapped(bucket_sentence(comparison))
    regressed, fixed, failing, flickering, reworded = buckets(comparison)
    yield from _bucket_lines(regressed, comparison)
    yield from _bucket_lines(fixed, comparison)
    if failing.cases:
        listed = ", ".join(name(case.id) for case in failing.cases)
        yield ""
        yield from _wrapped(f"{failing.heading}: {listed}")
    if flickering.cases:
        listed = ", ".join(
            f"{name(case.id)} ({votes(case.base)}, {votes(case.other)})"
            for case in flickering.cases
        )
        yield ""
        yield from _wrapped(f"{flickering.heading}: {listed}")
    yield from _bucket_lines(reworded, comparison)


def _bucket_lines(bucket: Bucket, comparison: Comparison) -> Iterator[str]:
    if bucket.cases:
        yield ""
        yield from _wrapped(bucket.heading)
    for case in bucket.cases:
        yield from _case_lines(case, *names(comparison))


def _case_lines(case: Case, base: str, other: str) -> Iterator[str]:
    heading = f"{name(case.id)}: {name(case.reason)}".removesuffix(": ")
    yield from _wrapped(heading, "  ", "    ")
    wanted = shorten(visible(case.base[0].wanted), SHOWN)
    yield from _wrapped(f"wanted: {wanted}", "    ", "      ")
    for variant, answers in ((base, case.base), (other, case.other)):
        answer = shown_answer(answers)
        said = shorten(visible(answer.said), SHOWN) or NOTHING
        why = " · ".join(
            part
            for part in (votes(answers), name(answer.why), by_fallback(answer))
            if part
        )
        yield from _wrapped(f"{variant}: {said}", "    ", "      ")
        yield from _wrapped(why, "      ", "      ")


def _diff_lines(diff: str) -> Iterator[str]:
    if not diff.strip():
        yield "  (no difference)"
    for line in visible(diff).splitlines():
        mark, rest = line[:1], line[1:]
        yield from _wrapped(rest, f"  {mark}", f"  {mark}  ") or [f"  {mark}"]


def _heading(text: str, line: str) -> list[str]:
    return [*_wrapped(text), line * min(WIDTH, len(text))]


def _wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=later
    )
