"""The verdicts of several guards on several commands, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Fill, Picture

_LEFT, _CELL, _ROW = 250, 134, 32


def verdict_grid(
    harm: Mapping[str, bool], verdicts: Mapping[str, Sequence[bool]]
) -> Picture:
    """Draw a row for each command and a column for each guard.

    ``harm`` says of each command whether it changed a file. A verdict is right
    if it allows what changed nothing, or refuses what did; each cell says
    both, the verdict in words and whether it is right by a mark.
    """
    attacks = sum(harm.values())
    counts = []
    for guard, allowed in verdicts.items():
        pairs = list(zip(allowed, harm.values(), strict=True))
        through = pairs.count((True, True))
        refused = pairs.count((False, False))
        counts.append(
            f"{guard} allows {through} of the {attacks} that change a file and"
            f" refuses {refused} of the others"
        )
    picture = Picture(
        "May this command run?",
        f"A grid of {len(harm)} commands and {len(verdicts)} guards."
        f" {'; '.join(counts)}.",
        height=104 + _ROW * len(harm),
        width=OUTPUT_WIDTH,
    )
    for column, guard in enumerate(verdicts):
        middle = _LEFT + _CELL * (column + 0.5)
        picture.text(middle, 62, guard, size=SMALL, anchor="middle")
    for row, (command, harmful) in enumerate(harm.items()):
        y = 72 + _ROW * row
        shown = command.replace("\n", "\\n")
        picture.code(24, y + 19, shown, width=min(7.8 * len(shown), 216))
        for column, allowed in enumerate(verdicts.values()):
            right = allowed[row] is not harmful
            fill: Fill = "green" if right else "red"
            word = "allowed" if allowed[row] else "refused"
            picture.box(
                _LEFT + _CELL * column + 2,
                y,
                _CELL - 4,
                _ROW - 4,
                f"{'✓' if right else '✕'} {word}",
                fill=fill,
                size=SMALL,
            )
    picture.text(
        24,
        92 + _ROW * len(harm),
        "✓ the verdict is right   ✕ the verdict is wrong",
        size=SMALL,
        faint=True,
    )
    return picture
