"""The gaps of notebook 14: the tail of a compaction, and the daily log."""

from __future__ import annotations

from memlab.course.gap import Case, Gap

TALK, CALL, LARGE = (
    "90t 20t 30t 40t",
    "90t 10c 70r 20t",
    "20t 20t 10c 500r 20t",
)
CALLS, TWO = "50t 10c 60r 10c 60r 30t", "90t 10c 20r 70r 20t"
TAILS = {
    "of the tails that have both, the shortest is right": {TALK: "50-2-400"},
    "the index is counted from the beginning of the conversation": {
        TALK: "30-1-400"
    },
    "the tail needs enough tokens and enough texts": {
        TALK: "60-1-400 10-3-400"
    },
    "exactly min_tokens and max_tokens are allowed": {
        TALK: "70-2-400 40-1-40"
    },
    "the tail must not begin with a result": {
        CALLS: "60-1-400",
        TWO: "50-1-400",
    },
    "only messages of the kind text count as texts": {CALLS: "40-2-400"},
    "if no tail has both, the longest that is allowed is right": {
        TALK: "300-2-400 60-5-400",
        "90c 70r 60t": "50-3-400",
        "10r 20t": "50-1-400",
    },
    "the tail must not have more than max_tokens tokens": {
        TALK: "100-4-120",
        CALL: "50-2-100 80-1-95",
        CALLS: "60-1-99 110-1-165",
        LARGE: "10-2-400",
    },
    "the index of an empty tail is len(messages)": {
        LARGE: "10-1-10",
        "": "10-1-10",
    },
}
KINDS = {"t": "text", "c": "call", "r": "result"}
TURNS = ("15t", "35t", "80t", "9c 90r", "9c 30r 15c 150r")


def tail_case(messages, limits, rule=""):
    pairs = [(int(one[:-1]), KINDS[one[-1]]) for one in messages.split()]
    return Case((pairs, *map(int, limits)), rule)


def tails(rng):
    for rule, talks in TAILS.items():
        for messages, limits in talks.items():
            for one in limits.split():
                yield tail_case(messages, one.split("-"), rule)
    for _ in range(20):
        messages = " ".join(rng.choices(TURNS, k=rng.randint(3, 12)))
        limits = (
            rng.randrange(30, 300),
            rng.randint(1, 4),
            rng.randrange(100, 600),
        )
        yield tail_case(messages, limits)


keep_tail = Gap(
    name="keep_tail",
    place="memlab.agent.compaction.keep_tail",
    cases=tails,
    hints=(
        "Go through the messages from the end to the beginning, and add up tokens and texts.",
        "Stop when the message would bring the tail above `max_tokens`, or when the tail has enough"
        " of both. Keep the index of the best beginning so far, at first `len(messages)`.",
        'At a `"result"`, the index stays as it was, and the loop goes on: the call is further to'
        " the front.",
    ),
    why="Every tail that the loop looks at is one message longer than the one before, so the first"
    " that has enough of both is the shortest. `start` changes only where a tail may begin, so if"
    " the loop ends early, it is the beginning of the longest tail that was allowed.",
    wrong=(
        ("return start", "return len(messages) - start", "the index is"),
        ("min_tokens and texts", "min_tokens or texts", "enough tokens and"),
        ("tokens >= min_tokens", "tokens > min_tokens", "exactly min_tokens"),
        ('kind == "text"', 'kind != "result"', "only messages of the kind"),
        ("            continue\n", "            pass\n", "with a result"),
        ("start = len(messages)", "start = 0", "of an empty tail"),
    ),
)

LOG = "logs/2026/03/2026-03-30.md"
OLD, CUT = "- Wants tabs.\n- Opens in April.\n", "- Wants tabs.\n- Opens"
NEW = "- Iggy keeps the goats.\n"
APPENDS = {
    "lines that are added are allowed": [(OLD, OLD + NEW), ("\n", "\n" + NEW)],
    "the first line may be written into an empty log": [("", NEW)],
    "what is added need not end with a line end": [(OLD, OLD + "- Goats")],
    "what is added may begin with anything": [(OLD, OLD + "Goats.\n")],
    "what is added has to contain more than whitespace": [
        ("", ""),
        (OLD, OLD),
        (OLD, OLD + "\n \n"),
        (CUT, CUT + "\n"),
    ],
    "after has to begin with before, character for character": [
        (OLD, OLD.replace("tabs", "spaces") + NEW),
        (OLD, NEW + OLD),
        (OLD, OLD.replace("\n", "\r\n") + NEW),
        (OLD, OLD.rstrip() + " " + NEW),
        (OLD, OLD[:-1]),
        (OLD + "\n", OLD + NEW),
    ],
    "after a line that was cut off, what is added begins with a line end": [
        (CUT, CUT + "ens never.\n"),
        (CUT, CUT + " " + NEW),
        (CUT, CUT + "\n" + NEW),
        (CUT, CUT + "\r\n" + NEW),
    ],
}
PATHS = (
    "logs/2026/03/2026-03-29.md logs/2026/02/2026-03-30.md logs/2025/03/2026-03-30.md"
    " logs/2026-03-30.md logs/2026/03/../03/2026-03-30.md logs/2026/03/x2026-03-30.md"
    f" 2026-03-30.md old/{LOG} {LOG}.bak {LOG.upper()}"
)


def appends(rng):
    for rule, inputs in APPENDS.items():
        for before, after in inputs:
            yield Case((LOG, before, after, "2026-03-30"), rule)
    rule = "only the log of this day may be written, and its path is exact"
    for path in PATHS.split():
        yield Case((path, "", NEW, "2026-03-30"), rule)
    for _ in range(12):
        day = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        before, path = (
            "".join(rng.choices("-.\n", k=3)),
            f"logs/2026/{day[5:7]}/{day}.md",
        )
        yield Case((path, before, before[rng.randint(-3, 1) :] + before, day))


may_append = Gap(
    name="may_append",
    place="memlab.memdir.daily_log.may_append",
    guard=True,
    cases=appends,
    hints=(
        "Make the only path that is allowed from `today`, and compare the whole path with it.",
        "`after.startswith(before)` answers most of the rest, and `after[len(before) :]` is what"
        ' was added. But does `"- Robin wants tabs no longer"` only append to'
        ' `"- Robin wants tabs"`?',
    ),
    why="If `after` begins with `before`, only one earlier line can still change: the last one, if"
    " it has no line end. With a line end added to what is compared, it is a line like the others.",
    wrong=(
        ("path != log_path", "not path and log_path", "its path is exact"),
        ('kept and not kept.endswith("\\n")', "False", "was cut off"),
        ("kept and not", "not", "an empty log"),
        ("not after.startswith(kept)", "kept not in after", "for character"),
        ('added.strip() != ""', 'added != ""', "more than whitespace"),
        ('added.strip() != ""', 'added.startswith("- ")', "with anything"),
    ),
)

NOTES = "- Tabs.\n- Tea.\n- Iggy keeps the goats.\n"
LOGS = {
    "the lines stay in order, and unchanged": {
        NOTES: "99",
        "- Tea.  \n\n Go.\n": "99",
    },
    "the newest whole lines are kept": {NOTES: "35 30", "- a - b\n- c\n": "8"},
    "exactly so many bytes still fit": {NOTES: "31 24 39"},
    "the line end counts as well": {NOTES: "38", "\n\n\n": "2"},
    "no line in between is left out": {"- a\n- long line\n- b\n": "9"},
    "if not even the last line fits, nothing is returned": {
        NOTES: "23 1 0",
        "": "10",
    },
    "bytes count, not characters": {
        "- Café at Nüé's.\n- Größe.\n": "31 26 11 10"
    },
}


def logs(rng):
    for rule, texts in LOGS.items():
        for text, limits in texts.items():
            for most in limits.split():
                yield Case((text, int(most)), rule)
    for _ in range(12):
        lines = rng.choices(("- tide\n", "- café, pier\n", "\n", "Größe"), k=6)
        yield Case(("".join(lines), rng.randrange(5, 60)))


log_tail = Gap(
    name="log_tail",
    place="memlab.memdir.daily_log.log_tail",
    cases=logs,
    hints=(
        "`text.splitlines(keepends=True)` is a list of the lines, each with its line end. Begin"
        " with the last one.",
        "Put each line in front of those that you have kept. Stop before the text becomes longer"
        " than `most` bytes.",
    ),
    why="The loop goes from the newest line to the oldest and stops at the first that does not fit."
    " A line is kept whole or not at all, so the text begins at the start of a line.",
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
            "def log_tail(text, most):\n    return text[-most:]\n",
            "newest whole lines",
        ),
    ),
)
