"""The notebooks for which the strict tests are switched on, by their two digits.

A notebook is added here once it has been rewritten; the tests then apply to it.
"""

WRONG_ANSWERS: tuple[str, ...] = ("00", "01", "02", "03", "04", "05", "06", "07", "09", "12")
"""Each gap has at least five wrong answers."""

TWICE: tuple[str, ...] = (
    "00",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "10",
    "11",
    "12",
)
"""Each cell may be run twice, after a restart, and with every gap solved: ``twice``."""

CORE: tuple[str, ...] = (
    "00",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "10",
    "11",
    "12",
)
"""The cells tagged ``core`` run alone: ``core``."""

MINUTES: tuple[str, ...] = (
    "00",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "07",
    "08",
    "09",
    "10",
    "11",
    "12",
)
"""The minutes in the opener and in ``notebooks/README.md`` are those of the formula."""
