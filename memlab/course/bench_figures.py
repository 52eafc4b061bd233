"""Tables and pictures of the prompt bench: many runs, intervals, and the
cases that flipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memlab.bench.answer import Answer
from memlab.bench.compare import Case, Comparison
from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Picture
from memlab.course.show import Table, table

_LEFT, _RIGHT, _DOT = 60, OUTPUT_WIDTH - 40, 13
_LABELS, _AXIS_LEFT, _AXIS_RIGHT = 24, 250, 610


def draw_differences(
    differences: Sequence[float], title: str, marked: float | None = None
) -> Picture:
    """Draw one dot per run above the points that it gained or lost, rounded
    to whole points; ``marked`` is a run to point at.
    """
    counts = Counter(round(points) for points in differences)
    least = min(*counts, -1 if marked is None else round(marked)) - 1
    most = max(*counts, 1 if marked is None else round(marked)) + 1
    tallest = max(counts.values())
    bottom = 74 + _DOT * max(tallest, 6)
    step = (_RIGHT - _LEFT) / (most - least)
    said = ", ".join(
        f"{_points(value)}: {counts[value]}" for value in sorted(counts)
    )
    alt = (
        f"{title}. A dot for each of {len(differences)} runs, by the points"
        f" gained or lost. {said}."
    )
    picture = Picture(title, alt, height=bottom + 66, width=OUTPUT_WIDTH)
    picture.line((_LEFT - 16, bottom), (_RIGHT + 16, bottom))
    for value in range(least, most + 1):
        x = _LEFT + step * (value - least)
        if value % 2 == 0:
            picture.line((x, bottom), (x, bottom + 5))
            picture.text(
                x,
                bottom + 22,
                _points(value),
                size=SMALL,
                anchor="middle",
                faint=True,
            )
        for number in range(counts[value]):
            y = bottom - 4 - _DOT * (number + 1)
            picture.box(x - 5, y, 10, 10, fill="blue")
    if marked is not None:
        x = _LEFT + step * (round(marked) - least)
        picture.arrow((x, 54), (x, bottom - 6 - _DOT * counts[round(marked)]))
        picture.text(x, 48, "our run", size=SMALL, anchor="middle", bold=True)
    picture.text(
        (_LEFT + _RIGHT) / 2,
        bottom + 48,
        "points gained or lost",
        size=SMALL,
        anchor="middle",
        faint=True,
    )
    return picture


def draw_intervals(comparisons: Mapping[str, Comparison]) -> Picture:
    """Draw the difference and its interval for each comparison, by its
    label, beside the verdict.
    """
    reach = 10.0
    for each in comparisons.values():
        reach = max(reach, *(abs(100 * bound) for bound in each.interval))
    reach = 10 * -(-reach // 10)
    said = "; ".join(
        f"{label}: {_line(each)}" for label, each in comparisons.items()
    )
    picture = Picture(
        "Difference and interval, in points",
        f"An interval for each comparison. {said}.",
        height=118 + 44 * len(comparisons),
        width=OUTPUT_WIDTH,
    )
    middle = (_AXIS_LEFT + _AXIS_RIGHT) / 2
    scale = (_AXIS_RIGHT - _AXIS_LEFT) / 2 / reach
    bottom = 68 + 44 * len(comparisons)
    picture.line((middle, 54), (middle, bottom), dashed=True)
    picture.line((_AXIS_LEFT, bottom), (_AXIS_RIGHT, bottom))
    for points in (-reach, -reach / 2, 0, reach / 2, reach):
        x = middle + scale * points
        picture.line((x, bottom), (x, bottom + 5))
        picture.text(
            x,
            bottom + 22,
            _points(points),
            size=SMALL,
            anchor="middle",
            faint=True,
        )
    for number, (label, each) in enumerate(comparisons.items()):
        y = 74 + 44 * number
        low, high = (middle + scale * 100 * bound for bound in each.interval)
        x = middle + scale * 100 * each.difference
        picture.text(_LABELS, y + 5, label)
        picture.box(low, y - 5, max(2, high - low), 10, fill="blue")
        picture.box(x - 3, y - 10, 6, 20, fill="marked", strong=True)
        words = each.verdict or "too few cases for a verdict"
        picture.text(_AXIS_RIGHT + 20, y + 5, words, size=SMALL)
    return picture


def comparison_table(comparisons: Iterable[Comparison]) -> Table:
    """List each comparison: the share of correct answers, the difference with
    its interval, the flips, p and the verdict.
    """
    return table(
        [
            (
                f"{each.base} → {each.other}",
                len(each.cases),
                f"{_points(100 * each.difference, 1)}",
                interval_in_words(each),
                len(each.regressed),
                len(each.fixed),
                f"{each.p:.3f}",
                each.verdict or "too few cases",
            )
            for each in comparisons
        ],
        (
            "compared",
            "cases",
            "points",
            "95 % interval",
            "regressed",
            "fixed",
            "p",
            "verdict",
        ),
    )


def flip_table(compared: Comparison, most: int = 3) -> Table:
    """List the flipped cases with both answers: those that regressed, then
    those that were fixed, at most ``most`` of each.
    """
    rows = []
    for bucket, cases in (
        ("regressed", compared.regressed),
        ("fixed", compared.fixed),
    ):
        for case in cases[:most]:
            rows.append((bucket, *_flip(case)))
    return table(
        rows,
        (
            "bucket",
            "case",
            "wanted",
            f"{compared.base} said",
            f"{compared.other} said",
        ),
    )


def followed_table(answers: Iterable[Answer]) -> Table:
    """Count for each variant of the task *follow* how many answers comply
    with the memory: where that is right, and where it is wrong.
    """
    listed = list(answers)
    names = ("followed where right", "followed where wrong")
    rows = []
    for variant in dict.fromkeys(answer.variant for answer in listed):
        row = [variant]
        for name in names:
            figures = [
                answer.metrics[name]
                for answer in listed
                if answer.variant == variant and name in answer.metrics
            ]
            row.append(f"{sum(figures):.0f} of {len(figures)}")
        rows.append(row)
    return table(rows, ("variant", *names))


def answer_table(answers: Iterable[Answer], *names: str) -> Table:
    """List answers as the bench records them: what was said, and how it is
    judged. ``names`` are further figures to show, such as ``recall@5``.
    """
    return table(
        [
            (
                answer.repeat,
                answer.said,
                answer.correct,
                f"{answer.score:.2f}",
                *(
                    f"{answer.metrics[name]:.2f}"
                    if name in answer.metrics
                    else None
                    for name in names
                ),
                answer.why,
            )
            for answer in answers
        ],
        ("repeat", "answer", "correct", "score", *names, "why"),
    )


def interval_in_words(compared: Comparison) -> str:
    """Write the interval in points, such as ``-3.8 to +6.4``."""
    low, high = (_points(100 * bound, 1) for bound in compared.interval)
    return f"{low} to {high}"


def _flip(case: Case) -> tuple[str, str, str, str]:
    return (
        case.id,
        case.base[0].wanted,
        said_in_words(case.base),
        said_in_words(case.other),
    )


def said_in_words(answers: Sequence[Answer]) -> str:
    """Write what was said in all repeats: each answer once, with how often
    it came.
    """
    counts = Counter(answer.said for answer in answers)
    if len(counts) == 1:
        return answers[0].said
    return "; ".join(f"{said} (×{count})" for said, count in counts.items())


def _line(compared: Comparison) -> str:
    return (
        f"{_points(100 * compared.difference, 1)} points, from"
        f" {interval_in_words(compared)}, {compared.verdict or 'no verdict'}"
    )


def _points(value: float, decimals: int = 0) -> str:
    """Write points with their sign; 0 has none."""
    text = f"{value:+.{decimals}f}"
    if float(text) == 0:
        return text[1:]
    return text.replace("-", "−")
