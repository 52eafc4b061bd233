"""Shows what was measured of the first stage, from its dated tables.

Times differ between computers and between runs, so a notebook shows recorded
ones, with their date. ``python -m memlab.evals.many --record`` writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from memlab.course.data_files import data_folder
from memlab.course.show import Table, table

SQLITE = "first_stage.yaml"
POSTGRES = "postgres.yaml"


def recorded_stage(file: str = SQLITE) -> dict[str, Any]:
    """Read what was measured of a first stage on one machine."""
    path = data_folder("landscape") / file
    recorded: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return recorded


def stage_recall_table() -> Table:
    """Show recall@5 and the size of the index by the number of memories."""
    rows = [
        (
            f"{size['memories']:,}",
            f"{size['newest']:.3f}",
            f"{size['first_stage']:.3f}",
            f"{size['all_files']:.3f}",
            f"{size['build_cpu_seconds']:.1f}",
            f"{size['index_bytes'] / 1e6:.1f}",
        )
        for size in recorded_stage()["sizes"]
    ]
    return table(
        rows,
        (
            "memories",
            "found in the newest 200",
            "with first stage",
            "all files ranked",
            "to index them, s",
            "index, MB",
        ),
    )


def stage_times_table() -> Table:
    """Show milliseconds of processor time by the number of memories: the
    median, and what 95 of 100 stay below.

    The time of the processor hardly depends on what else a machine does.
    """
    rows = []
    for size in recorded_stage()["sizes"]:
        times = size["milliseconds"]
        rows.append(
            (
                f"{size['memories']:,}",
                *(
                    _processor(times["search_by_terms"][terms])
                    for terms in (1, 3, 10)
                ),
                _processor(times["propose"]),
                _processor(times["scan"]),
                _processor(times["check"]),
            )
        )
    return table(
        rows,
        (
            "memories",
            "search, 1 term",
            "3 terms",
            "10 terms",
            "search and headers",
            "scan",
            "full check",
        ),
    )


def server_table() -> Table:
    """Show what a PostgreSQL server with many projects took and did."""
    server = recorded_stage(POSTGRES)["many_projects"]
    times = server["milliseconds"]
    bytes_each = server["bytes"] / server["memories"]
    rows = [
        ("projects", f"{server['projects']:,}"),
        ("memories of all projects", f"{server['memories']:,}"),
        ("bytes per memory, with indexes", f"{bytes_each:,.0f}"),
        ("search, ms", _both(times["search"])),
        ("all that one recall asks, ms", _both(times["all_of_a_recall"])),
        ("one changed memory, ms", _both(times["one_changed_memory"])),
        *(
            (
                f"searches a second, {clients} at once",
                f"{server[f'searches_per_second_{clients}_clients']:,.0f}",
            )
            for clients in (1, 8, 32)
        ),
        (
            "memories indexed a second, two writers",
            f"{server['inserts_per_second_two_writers']:,.0f}",
        ),
    ]
    return table(rows, ("PostgreSQL, many projects", "measured"))


def one_project_table() -> Table:
    """Show recall@5 and milliseconds of one project on a server, by the number
    of its memories.
    """
    rows = [
        (
            f"{size['memories']:,}",
            f"{size['first_stage']:.3f}",
            _both(size["milliseconds"]["search"]),
            _both(size["milliseconds"]["search_without_isolation"]),
        )
        for size in recorded_stage(POSTGRES)["one_project"]
    ]
    return table(
        rows,
        (
            "memories of one project",
            "found",
            "search, ms",
            "without row-level security, ms",
        ),
    )


def _processor(times: Mapping[str, float]) -> str:
    return f"{times['cpu_p50']:g} / {times['cpu_p95']:g}"


def _both(times: Mapping[str, float]) -> str:
    return f"{times['p50']:g} / {times['p95']:g}"
