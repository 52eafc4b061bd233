"""The scoreboard: the same twelve questions after every notebook, measured
afresh without a model.

Left out: stored results. Every row is computed when it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from memlab.course.baselines import STAGES
from memlab.course.lab import Lab
from memlab.course.measuring import Row, Rule, measure
from memlab.course.tables import Table, table


@dataclass(frozen=True, repr=False)
class Scoreboard:
    """The rows so far, shown as one table."""

    rows: tuple[Row, ...]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        return table(
            [
                (
                    f"{row.notebook:02d}",
                    row.label,
                    f"{row.found} / {row.of}",
                    row.tokens_mean,
                )
                for row in self.rows
            ],
            (
                "notebook",
                "what the request holds",
                "evidence in it",
                "tokens, mean",
            ),
        )

    @property
    def detail(self) -> Table:
        """Every question on its own: in which stages its evidence stood in the
        request.
        """
        stages = [f"{row.notebook:02d} {row.label}" for row in self.rows]
        hits = zip(*(row.detail for row in self.rows), strict=True)
        lines = [
            (each[0].question, *(hit.found for hit in each)) for each in hits
        ]
        return table(lines, ("question", *stages))

    def _repr_markdown_(self) -> str:
        return self.table.markdown

    def __repr__(self) -> str:
        return repr(self.table)


def scoreboard(lab: Lab, upto: int | None = None) -> Scoreboard:
    """Measure every stage up to a notebook, the lab's own by default, afresh
    and now.

    The rule is the lab's part ``stands_in``: the learner's, if they brought
    one.
    """
    last = lab.number if upto is None else upto
    rule: Rule = lab.parts.get("stands_in")
    due = [stage for stage in STAGES if int(stage.name.split()[0]) <= last]
    rows = [
        measure(stage.name, stage.builder(lab), lab.questions, rule)
        for stage in due
    ]
    return Scoreboard(tuple(rows))
