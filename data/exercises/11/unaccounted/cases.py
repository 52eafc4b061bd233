"""Dreams that merge, drop with and without a reason, thin out and lie."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from memlab.course.exercise import Case, case

Texts = Mapping[str, str]

SENTENCE = "Each sentence is looked for by itself, however much of the rest of its file is kept"
ANYWHERE = "A sentence may be kept in any file"
SEVERAL = "The words of a sentence may be in several sentences of one text"
ONE_TEXT = "Words that are scattered over several texts don't count together"
SEVEN = "At least 70% of a sentence's distinct words have to be there"
NUMBER = "All numbers of a sentence have to be there"
WHOLE = "A word is there only as a whole word"
CASE = "Capitals, punctuation and line breaks make no difference"
WORDLESS = "A sentence without any words counts as kept"
GONE = "A reason counts only for a file that is gone"
EMPTY = "An empty string doesn't count as a reason"
CLAIM = "A reason that begins with 'superseded by' doesn't count"
BEGINS = "A reason that merely contains the words 'superseded by' counts"
OWN = "A reason counts only for its own file"
ORDER = "The files are in alphabetical order, and the sentences in the order of the text"

SENTENCES = (
    "Robin indents Python with tabs and never with spaces.",
    "The harbour office answers on channel 12 after eight.",
    "No release goes out between the storm and Easter Monday!",
    "Reviews stay below 200 lines because of the ferry.",
    "The spare key hangs behind the chart of the western bay.",
    "Grafana shows returned boats on the board named lantern.",
    "Does Maren approve prices before anything is printed?",
    "Backups run at 03:00 on the old laptop under the stairs.",
    "Errors are shown in plain words above the traceback.",
    "The beach counts everybody back before the lamp is lit.",
)
FILES = ("tabs", "harbour", "freeze", "reviews", "keys", "boards", "prices")


def cases(random: Random) -> list[Case]:
    """Make one case for each rule, and some at random."""
    a, b, c, d, e, f = SENTENCES[:6]
    long = "\n\n".join((a, c, e, f, "Maren owns the hire.", b))
    purse = {"a.md": a, "b.md": f"{b} {c}"}
    stale = "stale because the season is over"
    fixed: list[tuple[Texts, Texts, Texts, str]] = [
        ({}, {}, {}, ANYWHERE),
        (purse, purse, {}, ANYWHERE),
        ({"a.md": long}, {"a.md": long.replace(b, "")}, {}, SENTENCE),
        ({"a.md": long, "b.md": d}, {"a.md": long}, {}, SENTENCE),
        (purse, {"a.md": f"{a}\n{c}"}, {}, SENTENCE),
        (purse, {"new.md": f"{c} {b} {a}"}, {}, ANYWHERE),
        (purse, {"a.md": f"{a} {c}", "b.md": b}, {}, ANYWHERE),
        (
            {"a.md": f"{a} {c} {e} {f} Sell boats."},
            {"a.md": f"{a} {c} {e} {f}"},
            {},
            SENTENCE,
        ),
        (
            {"a.md": a},
            {"a.md": "Robin indents Python with tabs. And never with spaces."},
            {},
            SEVERAL,
        ),
        (
            {"a.md": a},
            {
                "x.md": "Robin indents Python.",
                "y.md": "With tabs and never with spaces.",
            },
            {},
            ONE_TEXT,
        ),
        (
            {"a.md": "One two three four five six seven eight nine ten."},
            {"a.md": "One two three four five six seven."},
            {},
            SEVEN,
        ),
        (
            {"a.md": "One two three four five six seven eight nine ten."},
            {"a.md": "One two three four five six."},
            {},
            SEVEN,
        ),
        (
            {"a.md": "The tide, the tide, the tide, the ferry and the moon."},
            {"a.md": "The tide."},
            {},
            SEVEN,
        ),
        (
            {"a.md": "The tide and the ferry and the moon."},
            {"a.md": "Moon, ferry and tide are the same to Robin."},
            {},
            SEVEN,
        ),
        ({"a.md": d}, {"a.md": d.replace("200", "300")}, {}, NUMBER),
        ({"a.md": d}, {"a.md": d, "b.md": "200"}, {}, NUMBER),
        (
            {"a.md": d},
            {"a.md": d.replace("200", "fewer"), "b.md": "200"},
            {},
            f"{NUMBER}; {ONE_TEXT}",
        ),
        (
            {"a.md": "Call pier7 about the last boat of the day."},
            {"a.md": "Call the pier about the last boat of the day."},
            {},
            NUMBER,
        ),
        (
            {"a.md": "Call pier7 about the last boat of the day."},
            {"a.md": "Call dock7 about the last boat of the day."},
            {},
            NUMBER,
        ),
        (
            {"a.md": "Meet at 7 on the slip below the office."},
            {"a.md": "Meet at 17 on the slip below the office."},
            {},
            f"{NUMBER}; {WHOLE}",
        ),
        (
            {"a.md": "Use tab or art in car."},
            {"a.md": "Causes: tables, orders, parts, inner cards."},
            {},
            WHOLE,
        ),
        (
            {"a.md": "**Why:** Robin reads it on\nthe ferry home."},
            {"a.md": "why robin reads IT, on the ferry - home"},
            {},
            CASE,
        ),
        ({"a.md": f"{a}\n\n---\n\n!"}, {"a.md": a}, {}, WORDLESS),
        ({"a.md": "---"}, {}, {}, WORDLESS),
        ({"a.md": ""}, {}, {}, WORDLESS),
        ({"a.md": a}, {}, {}, ANYWHERE),
        (purse, {"a.md": a}, {"b.md": stale}, GONE),
        (purse, {"a.md": a, "b.md": d}, {"b.md": stale}, GONE),
        (purse, {"a.md": a, "b.md": ""}, {"b.md": stale}, GONE),
        (purse, {}, {"a.md": stale}, OWN),
        (purse, {"a.md": a}, {"b.md": ""}, EMPTY),
        (purse, {"a.md": f"{a} {b}"}, {"b.md": "superseded by a.md"}, CLAIM),
        (
            purse,
            {"a.md": f"{a} {b} {c}"},
            {"b.md": "superseded by a.md"},
            CLAIM,
        ),
        (
            purse,
            {"a.md": a},
            {"b.md": "stale because it was superseded by CLAUDE.md"},
            BEGINS,
        ),
        (purse, {"a.md": a}, {"b.md": "contradicted by a.md"}, OWN),
        ({"z.md": f"{c} {a}", "b.md": b, "m.md": d}, {}, {}, ORDER),
        ({"a.md": f"{a} {b} {a}"}, {}, {}, ORDER),
    ]
    every = "; ".join((SENTENCE, ANYWHERE, GONE, CLAIM, EMPTY, ORDER))
    for _ in range(20):
        fixed.append((*_dream(random), every))
    return [
        case(
            (before, after, reasons),
            expected(before, after, reasons),
            slip,
        )
        for before, after, reasons, slip in fixed
    ]


def expected(
    before: Texts, after: Texts, reasons: Texts
) -> list[tuple[str, str]]:
    """Say what is lost, without the helpers that the learner gets."""
    found = []
    for file in sorted(before):
        reason = reasons.get(file) or "superseded by nothing"
        excused = file not in after and not reason.startswith("superseded by")
        joined = re.sub(r"(?<=\w)\n(?=\w)", " ", before[file])
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", joined):
            sentence = sentence.strip()
            if sentence and not excused and not _kept(sentence, after):
                found.append((file, sentence))
    return found


def _kept(sentence: str, after: Texts) -> bool:
    wanted = _words(sentence)
    numbers = {word for word in wanted if re.search(r"\d", word)}
    for text in after.values():
        had = _words(text)
        missing = wanted - had
        if 10 * len(missing) <= 3 * len(wanted) and not missing & numbers:
            return True
    return not wanted


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def _dream(random: Random) -> tuple[Texts, Texts, Texts]:
    """Make a few memories, and what a careless dream makes of them."""
    names = random.sample(FILES, 3)
    lines = random.sample(SENTENCES, 9)
    before = {
        f"{name}.md": " ".join(lines[3 * n : 3 * n + random.randint(1, 3)])
        for n, name in enumerate(names)
    }
    after = dict(before)
    reasons: dict[str, str] = {}
    for file in before:
        what = random.choice(
            ("stays", "merged", "dropped", "lie", "reason", "thinned", "empty")
        )
        if what == "thinned":
            kept = after[file].split()
            del kept[random.randrange(len(kept)) :]
            after[file] = " ".join(kept)
        elif what != "stays":
            text = after.pop(file)
            heir = random.choice(sorted(after) or ["new.md"])
            if what == "merged":
                after[heir] = f"{after.get(heir, '')}\n{text}".strip()
            if what in ("merged", "lie"):
                reasons[file] = f"superseded by {heir}"
            if what == "reason":
                reasons[file] = "contradicted by what Robin said later"
            if what == "empty":
                reasons[file] = ""
    return before, after, reasons
