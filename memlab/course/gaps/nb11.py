"""The gap of notebook 11: the sentences that a dream lost."""

from __future__ import annotations

from dataclasses import replace

from memlab.course.gap import Case, Gap
from memlab.evidence.sentences import as_memory, split_sentences, text_of
from memlab.memdir.places import INDEXES
from memlab.text import words


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    """Return (file, sentence) for each sentence that is lost without a reason."""
    texts = [set(words(text)) for text in after.values()]
    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        is_claim = reason.startswith("superseded by")
        if file not in after and reason and not is_claim:
            continue
        for sentence in split_sentences(before[file]):
            wanted = set(words(sentence))
            numbers = {word for word in wanted if any(map(str.isdigit, word))}
            is_kept = not wanted
            for text in texts:
                enough = 10 * len(wanted & text) >= 7 * len(wanted)
                is_kept = is_kept or (enough and numbers <= text)
            if not is_kept:
                lost.append((file, sentence))
    return lost


def refuse_more(mine, own):
    """Let the review refuse every removal of a file that is listed."""

    def removal(result, name):
        change = own(result, name)
        heir_left_out = result.files.get(change.into) != result.after.get(
            change.into
        )
        if (
            change.refused or heir_left_out
        ):  # then the review has its own words
            return change
        texts = bodies(result.before), bodies(result.files)
        lost = mine(*texts, dict(result.reasons))
        if name not in [file for file, _ in lost]:
            return change
        why = "some of its content is lost, and no reason accounts for that"
        return replace(change, refused=why)

    return removal


def bodies(files):
    found = {}
    for name in sorted(files.keys() - set(INDEXES)):
        memory = as_memory(files[name])
        found[name] = memory.body if memory else text_of(files[name])
    return found


A = "Robin indents Python with tabs and never with spaces."
B = "The harbour office answers on channel 12 after eight."
C = "No release goes out between the storm and Easter Monday!"
D = "Reviews stay below 200 lines because of the ferry."
LONG = f"{A}\n\n{C}\n\nThe spare key hangs behind the chart. {D} {B}"
TEN = "One two three four five six seven eight nine ten."
TIDE = "The tide, the tide, the tide, the ferry and the moon."
PIER = "Call pier7 about the last boat of the day."
SEVEN = "Meet at 7 on the slip below the office."
TWO = {"a.md": A, "b.md": f"{B} {C}"}
STALE = "stale because the season is over"
CLAIM = "superseded by a.md"
ONE_TEXT = {
    "each sentence is looked for by itself": [
        (LONG, LONG.replace(B, "")),
        (f"{LONG} Sell boats.", LONG),
    ],
    "the words of a sentence may be in several sentences of one text": [
        (A, "Robin indents Python with tabs. And never with spaces.")
    ],
    "enough is at least 70% of the distinct words": [
        (TEN, "One two three four five six seven."),
        (TEN, "One two three four five six."),
        (TIDE, "The tide."),
        (TIDE, "Moon, ferry and tide are the same to Robin."),
    ],
    "all numbers of a sentence have to be in that text": [
        (D, D.replace("200", "300")),
        (D, D.replace("200", "20000")),
        (PIER, PIER.replace("pier7", "the pier")),
        (PIER, PIER.replace("pier7", "dock7")),
        (SEVEN, SEVEN.replace("7", "17")),
    ],
    "only whole words count, and capitals make no difference": [
        (
            "Use tab or art in car.",
            "Causes: tables, orders, parts, inner cards.",
        ),
        (
            "**Why:** Robin reads it on\nthe ferry.",
            "WHY ROBIN reads IT, on the ferry",
        ),
    ],
    "a sentence without any words counts as kept": [
        (f"{A}\n\n---\n\n!", A),
        ("---", ""),
    ],
}
RULES = {
    "words that are scattered over several texts don't count together": [
        (
            {"a.md": A},
            {
                "x.md": "Robin indents Python.",
                "y.md": "With tabs, never spaces.",
            },
            {},
        )
    ],
    "all numbers have to be in the same text": [
        ({"a.md": D}, {"a.md": D.replace("200", "fewer"), "b.md": "200"}, {})
    ],
    "a sentence may be kept in any file": [
        (TWO, {"new.md": f"{C} {B} {A}"}, {}),
        (TWO, {"a.md": f"{A} {C}", "b.md": B}, {}),
    ],
    "a sentence without any words counts as kept": [
        ({"a.md": "---", "b.md": ""}, {}, {})
    ],
    "a reason counts only for a file that is not in after": [
        (TWO, {"a.md": A, "b.md": D}, {"b.md": STALE}),
        (TWO, {"a.md": A, "b.md": ""}, {"b.md": STALE}),
    ],
    "a reason counts only for its own file": [(TWO, {}, {"a.md": STALE})],
    "an empty string doesn't count as a reason": [
        (TWO, {"a.md": A}, {"b.md": ""})
    ],
    "a reason that begins with superseded by doesn't count": [
        (TWO, {"a.md": f"{A} {B}"}, {"b.md": CLAIM})
    ],
    "only a reason that begins with superseded by is such a claim": [
        (TWO, {"a.md": A}, {"b.md": f"{STALE}, superseded by b.md"})
    ],
    "the result is sorted by file, then in the order of the text": [
        ({"z.md": f"{C} {A} {C}", "b.md": B, "m.md": D}, {}, {})
    ],
}


def dreams(rng):
    for rule, inputs in ONE_TEXT.items():
        for old, new in inputs:
            yield Case(({"a.md": old}, {"a.md": new}, {}), rule)
    for rule, inputs in RULES.items():
        for given in inputs:
            yield Case(given, rule)
    for _ in range(20):
        before = {
            f"{name}.md": " ".join(rng.sample((A, B, C, D), 2))
            for name in "cab"
        }
        after = {}
        for name in rng.sample("abcx", 2):
            after[f"{name}.md"] = " ".join(rng.sample((A, B, C, D), 2))[
                : rng.randint(30, 120)
            ]
        yield Case(
            (
                before,
                after,
                {file: rng.choice(("", STALE, CLAIM)) for file in before},
            )
        )


UNACCOUNTED = Gap(
    name="unaccounted",
    place="memlab.evidence.review._Outcome._removal",
    answer=unaccounted,
    enters=refuse_more,
    cases=dreams,
    hints=(
        "Turn each text of `after` into a set of words, and compare the set of a sentence's words"
        " with each of them, one after the other.",
        "With two sets, `wanted & text` contains the words that are in both. Compare integers:"
        " `10 * len(wanted & text) >= 7 * len(wanted)`.",
        "A whole file is excused if it is not in `after` and has a reason that is not empty and"
        " doesn't begin with `superseded by`.",
    ),
    why="Code can't judge whether a reason is true, but it can find out whether the words are"
    " still there. In a long file, a whole sentence can vanish while nine out of ten words stay.",
    wrong=(
        (">= 7", "> 7", "at least 70%"),
        (" and numbers <= text", "", "all numbers of a sentence"),
        (
            "for text in after.values()",
            'for text in [" ".join(after.values())]',
            "scattered",
        ),
        ("file not in after and ", "", "not in after"),
        (" and not is_claim", "", "begins with superseded by doesn't"),
        (
            'reason.startswith("superseded by")',
            '"superseded by" in reason',
            "only a reason",
        ),
    ),
)
