"""Hold the races of notebook 10 once, and print them as ``data/recorded/races.json`` has them.

Run on a machine that has nothing else to do:
``python -m tests.benchmarks.races > data/recorded/races.json``
"""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from typing import Any

from memlab.course.races import race

CONTESTS = 100
LOCKS = ("naive", "ours")


def measurement() -> dict[str, Any]:
    """Race for each lock, and say when and on what kind of machine."""
    version = ".".join(platform.python_version_tuple()[:2])
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()}, {os.cpu_count()} cores, Python {version}",
        "races": [
            {
                "lock": seen.lock,
                "processes": seen.processes,
                "contests": seen.contests,
                "holders": {str(number): seen.holders[number] for number in sorted(seen.holders)},
                "milliseconds": round(seen.milliseconds, 3),
            }
            for seen in (race(lock, contests=CONTESTS) for lock in LOCKS)
        ],
    }


if __name__ == "__main__":
    print(json.dumps(measurement(), indent=2))
