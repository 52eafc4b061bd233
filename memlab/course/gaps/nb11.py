"""The gap of notebook 11: the sentences that a dream lost."""

from __future__ import annotations

from dataclasses import replace

from memlab.course.gap import Case, Gap
from memlab.memdir.coverage import as_memory, split_sentences, text_of
from memlab.memdir.paths import INDEXES
from memlab.text import words


def unaccounted(
    before: dict[str, str], after: dict[str, str], reasons: dict[str, str]
) -> list[tuple[str, str]]:
    """Return (file, sentence) for each sentence that is lost without a
    reason.
    """
    texts = [set(words(text)) for text in after.values()]

    def is_kept(sentence: str) -> bool:
        wanted = set(words(sentence))
        numbers = {word for word in wanted if any(map(str.isdigit, word))}
        if not wanted:
            return True
        for text in texts:
            enough = 10 * len(wanted & text) >= 7 * len(wanted)
            if enough and numbers <= text:
                return True
        return False

    lost = []
    for file in sorted(before):
        reason = reasons.get(file, "")
        is_claim = reason.startswith("superseded by")
        if file not in after and reason and not is_claim:
            continue
        for sentence in split_sentences(before[file]):
            if not is_kept(sentence):
                lost.append((file, sentence))
    return lost


def refuse_more(mine, own):
    """Let the review refuse every removal of a file that is listed."""

    def removal(result, name):
        change = own(result, name)
        if change.refused:
            return change
        texts = bodies(result.before), bodies(result.files)
        lost = mine(*texts, dict(result.reasons))
        if name not in [file for file, _ in lost]:
            return change
        why = "some of it is found nowhere, and no reason accounts for that"
        return replace(change, refused=why)

    return removal


def bodies(files):
    """Return the body of each memory, or all of a text that is none."""
    found = {}
    for name, data in files.items():
        if name not in INDEXES:
            memory = as_memory(name, data)
            found[name] = memory.body if memory else text_of(data)
    return found


SENTENCES = (
    "Robin indents Python with tabs and never with spaces.",
    "The harbour office answers on channel 12 after eight.",
    "No release goes out between the storm and Easter Monday!",
    "Reviews stay below 200 lines because of the ferry.",
    "The spare key hangs behind the chart of the western bay.",
    "Does Maren approve prices before anything is printed?",
    "Backups run at 03:00 on the old laptop under the stairs.",
    "Errors are shown in plain words above the traceback.",
    "The beach counts everybody back before the lamp is lit.",
)


def dreams(rng):
    a, b, c, d, e, f = SENTENCES[:6]
    long = "\n\n".join((a, c, e, f, "Maren owns the hire.", b))
    purse = {"a.md": a, "b.md": f"{b} {c}"}
    stale = "stale because the season is over"
    rule = "each sentence is looked for by itself"
    yield Case(({"a.md": long}, {"a.md": long.replace(b, "")}, {}), rule)
    yield Case(({"a.md": long, "b.md": d}, {"a.md": long}, {}), rule)
    most = f"{a} {c} {e} {f}"
    yield Case(({"a.md": f"{most} Sell boats."}, {"a.md": most}, {}), rule)
    rule = "a sentence may be kept in any file"
    yield Case((purse, {"new.md": f"{c} {b} {a}"}, {}), rule)
    yield Case((purse, {"a.md": f"{a} {c}", "b.md": b}, {}), rule)
    yield Case((purse, purse, {}), rule)
    rule = "the words of a sentence may be in several sentences of one text"
    two = "Robin indents Python with tabs. And never with spaces."
    yield Case(({"a.md": a}, {"a.md": two}, {}), rule)
    rule = "words that are scattered over several texts don't count together"
    halves = ("Robin indents Python.", "With tabs and never with spaces.")
    yield Case(({"a.md": a}, dict(zip("xy", halves, strict=True)), {}), rule)
    rule = "enough is at least 70% of the distinct words"
    ten = "One two three four five six seven eight nine ten."
    tide = "The tide, the tide, the tide, the ferry and the moon."
    for old, new in (
        (ten, "One two three four five six seven."),
        (ten, "One two three four five six."),
        (tide, "The tide."),
        (tide, "Moon, ferry and tide are the same to Robin."),
    ):
        yield Case(({"a.md": old}, {"a.md": new}, {}), rule)
    rule = "all numbers of a sentence have to be in that text"
    pier = "Call pier7 about the last boat of the day."
    seven = "Meet at 7 on the slip below the office."
    for old, new in (
        (d, d.replace("200", "300")),
        (d, d.replace("200", "20000")),
        (pier, pier.replace("pier7", "the pier")),
        (pier, pier.replace("pier7", "dock7")),
        (seven, seven.replace("7", "17")),
    ):
        yield Case(({"a.md": old}, {"a.md": new}, {}), rule)
    apart = {"a.md": d.replace("200", "fewer"), "b.md": "200"}
    yield Case(({"a.md": d}, apart, {}), rule)
    rule = "only whole words count, and capitals make no difference"
    parts = "Causes: tables, orders, parts, inner cards."
    yield Case(({"a.md": "Use tab or art in car."}, {"b.md": parts}, {}), rule)
    loud = {"b.md": "WHY ROBIN reads IT, on the ferry - home"}
    quiet = {"a.md": "**Why:** Robin reads it on\nthe ferry home."}
    yield Case((quiet, loud, {}), rule)
    rule = "a sentence without any words counts as kept"
    yield Case(({"a.md": f"{a}\n\n---\n\n!"}, {"a.md": a}, {}), rule)
    for text in ("---", ""):
        yield Case(({"a.md": text}, {}, {}), rule)
    rule = "a reason counts only for a file that is not in after"
    yield Case((purse, {"a.md": a}, {"b.md": stale}), rule)
    for text in (d, ""):
        yield Case((purse, {"a.md": a, "b.md": text}, {"b.md": stale}), rule)
    rule = "a reason counts only for its own file"
    yield Case((purse, {}, {"a.md": stale}), rule)
    yield Case((purse, {"a.md": a}, {"b.md": "contradicted by a.md"}), rule)
    rule = "an empty string doesn't count as a reason"
    yield Case((purse, {"a.md": a}, {"b.md": ""}), rule)
    rule = "a reason that begins with superseded by doesn't count"
    for text in (f"{a} {b}", f"{a} {b} {c}"):
        claim = {"b.md": "superseded by a.md"}
        yield Case((purse, {"a.md": text}, claim), rule)
    rule = "only a reason that begins with superseded by is such a claim"
    said = {"b.md": "stale because it was superseded by CLAUDE.md"}
    yield Case((purse, {"a.md": a}, said), rule)
    rule = "the result is sorted by file, then in the order of the text"
    yield Case(({"z.md": f"{c} {a}", "b.md": b, "m.md": d}, {}, {}), rule)
    yield Case(({"a.md": f"{a} {b} {a}"}, {}, {}), rule)
    for _ in range(20):
        yield Case(careless(rng))


def careless(rng):
    """Make three memories, and what a careless dream makes of them."""
    lines = rng.sample(SENTENCES, 9)
    before = {}
    for number, name in enumerate(rng.sample("abcdefg", 3)):
        end = 3 * number + rng.randint(1, 3)
        before[f"{name}.md"] = " ".join(lines[3 * number : end])
    after, reasons = dict(before), {}
    for file in before:
        what = rng.choice(("stays", "merged", "lie", "reason", "thinned"))
        if what == "thinned":
            after[file] = after[file][: rng.randrange(len(after[file]))]
        elif what != "stays":
            text = after.pop(file)
            heir = rng.choice(sorted(after) or ["new.md"])
            reasons[file] = f"superseded by {heir}"
            if what == "merged":
                after[heir] = f"{after.get(heir, '')}\n{text}".strip()
            elif what == "reason":
                reasons[file] = rng.choice(("", "stale because it is over"))
    return before, after, reasons


UNACCOUNTED = Gap(
    name="unaccounted",
    place="memlab.memdir.review._Result.removal",
    answer=unaccounted,
    enters=refuse_more,
    cases=dreams,
    hints=(
        "First turn each text of `after` into a set of words. Then write a"
        " small function that says whether a sentence is kept: it compares the"
        " set of the sentence's words with each of these sets, one after the"
        " other.",
        "With two sets, `wanted & text` has the words that are in both."
        " Compare whole numbers instead of fractions: `10 * len(wanted & text)"
        " >= 7 * len(wanted)`.",
        "A file is excused as a whole if it is not in `after`, its reason is"
        " not empty, and the reason doesn't begin with `superseded by`. A file"
        " that is still in `after` is never excused.",
    ),
    why="The model that proposes a removal can't be the one that judges it."
    " Code can't judge whether a reason is true, but it can find out whether"
    " the words are still there. It looks at each sentence separately: in a"
    " long file, a whole sentence can disappear and nine out of ten words are"
    " still there.",
    wrong=(
        ("7 * len(wanted)", "8 * len(wanted)", "at least 70%"),
        (">= 7", "> 7", "at least 70%"),
        (" and numbers <= text", "", "all numbers of a sentence"),
        ("any(map(str.isdigit, word))", "word.isdigit()", "all numbers"),
        (
            "texts = [set(words(text)) for text in after.values()]",
            'texts = [set(words(" ".join(after.values())))]',
            "scattered over several texts",
        ),
        (
            "texts = [set(words(text)) for text in after.values()]",
            "texts = ["
            "set(words(one)) for text in after.values()"
            " for one in split_sentences(text)]",
            "several sentences of one text",
        ),
        ("sorted(before)", "before", "sorted by file"),
        ("file not in after and ", "", "not in after"),
        ("and reason and", "and file in reasons and", "an empty string"),
        (" and not is_claim", "", "begins with superseded by doesn't"),
        (
            'reason.startswith("superseded by")',
            '"superseded by" in reason',
            "only a reason that begins",
        ),
        ("return True\n        for", "return False\n        for", "any words"),
        ("set(words(sentence))", "words(sentence)", "unsupported operand"),
    ),
)
