from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from memlab.course import Case, case, unaccounted

Texts = Mapping[str, str]
_GONE = "a file that is gone is a loss only if one of its lines stands nowhere in after"
_SPREAD = "a line is kept if most of its words stand in one text, and not spread over several"
_CLAIM = 'a "superseded by" is a claim: look whether the content is there'
_REWRITE = "a reason accounts for a file that is gone, and not for one that was rewritten"
LINES = (
    "Robin indents Python with tabs and never with spaces",
    "The harbour office answers on channel twelve after eight",
    "No release goes out between the storm and Easter Monday",
    "Reviews stay below two hundred lines because of the ferry",
    "The spare key hangs behind the chart of the western bay",
    "Grafana shows returned boats under the board named lantern",
    "Maren approves prices before anything is printed on paper",
    "Backups run at night on the old laptop under the stairs",
    "Errors are told in plain words and the traceback stands below",
    "The beach counts everybody back before the lamp is lit",
)
FILES = (
    "tabs",
    "harbour",
    "freeze",
    "reviews",
    "keys",
    "boards",
    "prices",
    "backups",
    "errors",
)


def cases(random: Random) -> list[Case]:
    """Give dreams that merge, drop with and without a reason, hollow out and lie."""
    a, b, c, d = LINES[:4]
    purse = {"a.md": a, "b.md": f"{b}\n{c}"}
    merged = {"a.md": f"{a}\n{b}\n{c}"}
    stale = "stale because the season is over"
    fixed: list[tuple[Texts, Texts, Texts, str]] = [
        ({}, {}, {}, _GONE),
        (purse, purse, {}, _GONE),
        (purse, merged, {}, _GONE),
        (purse, merged, {"b.md": "superseded by a.md"}, _CLAIM),
        (purse, {"a.md": a}, {"b.md": "superseded by a.md"}, _CLAIM),
        (purse, {"a.md": a}, {}, _GONE),
        (purse, {"a.md": f"{a}\n{b}"}, {}, _GONE),
        (purse, {"a.md": a}, {"b.md": stale}, _REWRITE),
        (purse, {"a.md": a, "b.md": d}, {"b.md": stale}, _REWRITE),
        (purse, {"a.md": a, "b.md": ""}, {}, _REWRITE),
        ({"a.md": f"{a}\n\n{b}\n"}, {"x.md": f"{b}.\n{a}."}, {}, _GONE),
        (
            {"a.md": a},
            {
                "x.md": "Robin indents Python",
                "y.md": "with tabs and never with spaces",
            },
            {},
            _SPREAD,
        ),
        (
            {"a.md": a},
            {"a.md": a.replace("never with", "no longer")},
            {},
            _SPREAD,
        ),
        (purse, {}, {"a.md": stale}, f"{_GONE}; {_REWRITE}"),
    ]
    for _ in range(14):
        lines = random.sample(LINES, 7)
        names = random.sample(FILES, 3)
        sizes = zip(names, (lines[:2], lines[2:3], lines[3:5]), strict=True)
        before = {f"{name}.md": "\n".join(held) for name, held in sizes}
        after, reasons = _dreamt(random, before, lines[5:])
        fixed.append(
            (before, after, reasons, f"{_GONE}; {_CLAIM}; {_REWRITE}")
        )
    return [
        case(
            (before, after, reasons), unaccounted(before, after, reasons), slip
        )
        for before, after, reasons, slip in fixed
    ]


def _dreamt(
    random: Random, before: Texts, others: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    after, reasons = dict(before), dict[str, str]()
    for file in list(before):
        what = random.choice(
            ("stays", "merged", "dropped", "lie", "reason", "rewritten")
        )
        if what == "rewritten":
            after[file] = random.choice(
                (others[0], f"{before[file]}\n{others[1]}")
            )
        elif what != "stays":
            text = after.pop(file)
            heir = random.choice(sorted(after) or ["new.md"])
            if what == "merged":
                after[heir] = f"{after.get(heir, '')}\n{text}".strip()
            if what in ("merged", "lie"):
                reasons[file] = f"superseded by {heir}"
            if what == "reason":
                reasons[file] = "contradicted by what was decided later"
    return after, reasons
