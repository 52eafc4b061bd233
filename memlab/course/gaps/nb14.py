"""The gaps of notebook 14: the tail of a compaction, and the daily log."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

KINDS = {"t": "text", "c": "call", "r": "result"}


def talk(text: str) -> list[tuple[int, str]]:
    return [(int(one[:-1]), KINDS[one[-1]]) for one in text.split()]


TALK = talk("90t 20t 30t 40t")
WORK = talk("90t 10c 70r 20t")
TWO_CALLS = talk("50t 10c 60r 10c 60r 30t")
LARGE = talk("20t 20t 10c 500r 20t")


def tails(rng):
    rule = "of the tails that have both, the shortest is right"
    yield Case((TALK, 50, 2, 400), rule)
    rule = "the index is counted from the beginning of the conversation"
    yield Case((talk("40t"), 10, 1, 100), rule)
    yield Case((TALK, 30, 1, 400), rule)
    rule = "the tail needs enough tokens and enough texts"
    for given in ((60, 1), (10, 3), (150, 1), (10, 2), (120, 2)):
        yield Case((TALK, *given, 400), rule)
    rule = "exactly min_tokens and exactly max_tokens are allowed"
    for given in ((70, 2, 400), (90, 1, 90), (40, 1, 400)):
        yield Case((TALK, *given), rule)
    rule = "the tail must not begin with a result"
    for messages, *given in (
        (WORK, 50, 1, 400),
        (TWO_CALLS, 60, 1, 400),
        (TWO_CALLS, 110, 1, 400),
        (talk("90t 10c 20r 70r 20t"), 50, 1, 400),
    ):
        yield Case((messages, *given), rule)
    rule = "only messages of the kind text count as texts"
    yield Case((WORK, 20, 2, 400), rule)
    yield Case((TWO_CALLS, 40, 2, 400), rule)
    rule = "if no tail has both, the longest that is allowed is right"
    for messages, *given in (
        (TALK, 300, 2, 400),
        (talk("90c 70r 60t"), 50, 3, 400),
        (talk("10r 20t"), 50, 1, 400),
        (TALK, 60, 5, 400),
    ):
        yield Case((messages, *given), rule)
    rule = "the tail must not have more than max_tokens tokens"
    for messages, *given in (
        (TALK, 100, 4, 120),
        (WORK, 50, 2, 100),
        (WORK, 80, 1, 95),
        (TWO_CALLS, 60, 1, 99),
        (TWO_CALLS, 110, 1, 165),
        (LARGE, 10, 2, 400),
        (talk("20t 100t"), 50, 1, 100),
    ):
        yield Case((messages, *given), rule)
    rule = "the index of an empty tail is len(messages)"
    for messages in (LARGE, [], talk("500t")):
        yield Case((messages, 10, 1, 10), rule)
    for _ in range(16):
        text = []
        for _ in range(rng.randint(2, 6)):
            text.append(f"{rng.randrange(10, 90)}t")
            for _ in range(rng.choice((0, 0, 1, 2))):
                text.append(f"{rng.randint(5, 20)}c {rng.randint(20, 300)}r")
            text.append(f"{rng.randrange(10, 90)}t")
        limits = rng.randrange(50, 300), rng.randint(1, 4)
        limits = *limits, rng.randrange(300, 700)
        yield Case((talk(" ".join(text)), *limits))


keep_tail = Gap(
    name="keep_tail",
    place="memlab.agent.compaction.keep_tail",
    cases=tails,
    hints=(
        "Go through the messages from the end to the beginning, and add up"
        " tokens and texts. When can you stop?",
        "There are two reasons to stop: the message would bring the tail above"
        " `max_tokens`, or the tail has enough of both. Keep the index of the"
        " best beginning so far in a variable, which starts as"
        " `len(messages)`.",
        'At a `"result"`, the variable stays as it was, and the loop goes on:'
        " the call is further to the front.",
    ),
    why="Every tail that the loop looks at is one message longer than the one"
    " before, so the first one that has enough of both is the shortest. The"
    " variable `start` changes only at a message with which a tail may begin,"
    " and only while the tail is not too large. If the loop ends early because"
    " of `max_tokens`, it is the beginning of the longest tail that was"
    " allowed.",
    wrong=(
        ("return start", "return len(messages) - start", "the index is"),
        ("min_tokens and texts", "min_tokens or texts", "enough tokens and"),
        ("tokens >= min_tokens", "tokens > min_tokens", "exactly min_tokens"),
        ("tokens > max_tokens", "tokens >= max_tokens", "exactly max_tokens"),
        ('kind == "text"', "1", "only messages of the kind text"),
        ('kind == "text"', 'kind != "result"', "only messages of the kind"),
        ("            continue\n", "            pass\n", "with a result"),
        ("tokens > max_tokens", "tokens - size > max_tokens", "not have more"),
        ("start = len(messages)", "start = 0", "of an empty tail"),
        (
            "        start = place\n        if tokens >= min_tokens and texts"
            " >= min_texts:\n            break\n",
            "        if tokens >= min_tokens and texts >= min_texts:\n"
            "            start = place\n            break\n",
            "if no tail has both",
        ),
        (
            "            break\n    return start",
            "            pass\n    return start",
            "the shortest",
        ),
    ),
)

DAY = "2026-03-30"
LOG = "logs/2026/03/2026-03-30.md"
OLD = "- Robin wants tabs.\n- The season opens on 2026-04-04.\n"
NEW = "- Iggy keeps the goats.\n"
CUT = "- Robin wants tabs.\n- The season op"


def appends(rng):
    rule = "lines that are added at the end are allowed"
    for before in (OLD, "\n", "- Tabs.\n"):
        yield Case((LOG, before, before + NEW, DAY), rule)
    rule = "the first line may be written into an empty log"
    yield Case((LOG, "", NEW, DAY), rule)
    rule = "what is added need not end with a line end"
    yield Case((LOG, OLD, OLD + NEW.strip(), DAY), rule)
    rule = "what is added may begin with anything"
    yield Case((LOG, OLD, OLD + NEW[2:], DAY), rule)
    rule = "what is added has to contain more than whitespace"
    for before, after in (("", ""), (OLD, OLD), (OLD, OLD + "\n \n")):
        yield Case((LOG, before, after, DAY), rule)
    yield Case((LOG, CUT, CUT + "\n", DAY), rule)
    rule = "after has to begin with before, character for character"
    for after in (
        OLD.replace("tabs", "spaces") + NEW,
        NEW + OLD,
        "",
        NEW,
        OLD.replace("\n", "\r\n") + NEW,
        OLD.rstrip() + " " + NEW,
        OLD.replace(".\n", ". \n") + NEW,
        OLD[:-1],
    ):
        yield Case((LOG, OLD, after, DAY), rule)
    yield Case((LOG, OLD + "\n", OLD + NEW, DAY), rule)
    rule = (
        "after a line that was cut off, what is added begins with a line end"
    )
    for added in ("ens never.\n", " " + NEW, "\n" + NEW, "\r\n" + NEW):
        yield Case((LOG, CUT, CUT + added, DAY), rule)
    rule = "only the log of this day may be written, and its path is exact"
    for path in (
        "logs/2026/03/2026-03-29.md",
        "logs/2026/02/2026-03-30.md",
        "logs/2025/03/2026-03-30.md",
        "logs/2026-03-30.md",
        "logs/2026/03/../03/2026-03-30.md",
        "logs/2026/03/x2026-03-30.md",
        "2026-03-30.md",
        f"old/{LOG}",
        f"{LOG}.bak",
        LOG.upper(),
    ):
        yield Case((path, "", NEW, DAY), rule)
    for _ in range(12):
        day = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        path = f"logs/{day[:4]}/{day[5:7]}/{day}.md"
        lines = [f"- remark {rng.randrange(99)}\n" for _ in range(3)]
        text = "".join(lines)
        rng.shuffle(lines)
        yield Case((path, text, "".join(lines) + NEW, day))


may_append = Gap(
    name="may_append",
    place="memlab.memdir.daily_log.may_append",
    guard=True,
    cases=appends,
    hints=(
        "Make the only path that is allowed from `today`, and compare the"
        " whole path with it.",
        "`after.startswith(before)` answers most of the rest."
        " `after[len(before) :]` is what was added, and `strip()` removes the"
        " white space at both ends of it.",
        'Suppose that `before` is `"- Robin wants tabs"`. Is'
        ' `"- Robin wants tabs no longer"` an append?',
    ),
    why="If `after` begins with `before`, every character that was there is"
    " still there. Only one earlier line can still change: the last one, if it"
    " has no line end. With a line end added to what is compared, this line is"
    " treated like the others.",
    wrong=(
        ("path != log_path", "not path and log_path", "its path is exact"),
        (
            "path != log_path(date.fromisoformat(today))",
            'not path.endswith(f"{today}.md")',
            "its path is exact",
        ),
        ('kept and not kept.endswith("\\n")', "False", "was cut off"),
        ("kept and not", "not", "an empty log"),
        ("not after.startswith(kept)", "kept not in after", "for character"),
        (
            "not after.startswith(kept)",
            "after.split()[: len(kept.split())] != kept.split()",
            "character for character",
        ),
        ('added.strip() != ""', 'added != ""', "more than whitespace"),
        ('added.strip() != ""', 'added.endswith("\\n")', "need not end"),
        ('added.strip() != ""', 'added.startswith("- ")', "with anything"),
    ),
)

NOTES = "- Tabs.\n- Tea.\n- Iggy keeps the goats.\n"
CAFE = "- Café at Nüé's.\n- Größe prüfen.\n"
WORDS = ("tide", "ferry", "café", "goats", "Größe", "pier")


def logs(rng):
    rule = "the lines stay in order, and nothing in them changes"
    for text in (NOTES, "- Tabs.  \n  Tea.\n", "- Tabs.\n\n- Tea.\n"):
        yield Case((text, 1_000), rule)
    rule = "the newest lines are kept, and only whole ones"
    for most in (35, 30):
        yield Case((NOTES, most), rule)
    yield Case(("- a - b\n- c\n", 8), rule)
    rule = "exactly so many bytes still fit"
    for most in (31, 24, 39):
        yield Case((NOTES, most), rule)
    rule = "the line end counts as well"
    yield Case((NOTES, 38), rule)
    yield Case(("\n\n\n", 2), rule)
    rule = "no line in between is left out"
    yield Case(("- a\n- long line\n- b\n", 9), rule)
    rule = "if not even the last line fits, nothing is returned"
    for text, most in ((NOTES, 23), (NOTES, 1), ("", 10), (NOTES, 0)):
        yield Case((text, most), rule)
    rule = "bytes count, not characters"
    for most in (34, 18, 38, 19, 39):
        yield Case((CAFE, most), rule)
    for _ in range(12):
        lines = [
            f"- {' '.join(rng.choices(WORDS, k=3))}.\n"
            for _ in range(rng.randint(2, 7))
        ]
        text = "".join(lines)
        yield Case((text, rng.randrange(10, len(text.encode()) + 5)))


log_tail = Gap(
    name="log_tail",
    place="memlab.memdir.daily_log.log_tail",
    cases=logs,
    hints=(
        "`text.splitlines(keepends=True)` is a list of the lines, each with"
        " its line end. Begin with the last one.",
        "Put each line in front of those that you have kept. Stop before the"
        " text becomes longer than `most` bytes.",
    ),
    why="The loop goes from the newest line to the oldest and stops at the"
    " first one that does not fit. A line is kept whole or not at all, so the"
    " text begins at the start of a line.",
    wrong=(
        ("(line + tail).encode()", "line + tail", "bytes count"),
        ("> most", ">= most", "exactly so many bytes"),
        ("reversed(text_lines(text))", "text_lines(text)", "stay in order"),
        (
            "            break\n",
            "            continue\n",
            "no line in between",
        ),
        ("tail = line + tail", "tail = line.strip() + tail", "stay in order"),
        (
            "text_lines(text)",
            "[line for line in text_lines(text) if line.strip()]",
            "nothing in them changes",
        ),
        (
            "def log_tail(text, most):\n    return text[-most:]\n",
            "only whole ones",
        ),
        (
            "def log_tail(text, most):\n"
            "    end = text.encode()[-most:].decode(errors='ignore')\n"
            "    if end == text:\n"
            "        return text\n"
            "    return end.partition('\\n')[2]\n",
            "exactly so many bytes",
        ),
    ),
)
