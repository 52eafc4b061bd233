"""The gaps of notebook 14: the tail of a compaction, and the daily log."""

from __future__ import annotations

from memlab.course.gap import Case, Gap


def ruled(table):
    for rule, inputs in table.items():
        for each in inputs.split("; "):
            yield rule, *each.split(" → ")


TALK, CALL, LARGE = (
    "90t 20t 30t 40t",
    "90t 10c 70r 20t",
    "20t 20t 10c 500r 20t",
)
CALLS, TWO = "50t 10c 60r 10c 60r 30t", "90t 10c 20r 70r 20t"
TAILS = {  # messages → min_tokens-min_texts-max_tokens
    "of the tails that have both, the shortest is right": f"{TALK} → 50-2-400",
    "the index is counted from the beginning": f"{TALK} → 30-1-400",
    "the tail needs enough tokens and texts": f"{TALK} → 60-1-400; {TALK} → 10-3-400",
    "exactly so many tokens are allowed": f"{TALK} → 70-2-400; {TALK} → 40-1-40",
    "the tail must not begin with a result": f"{CALLS} → 60-1-400; {TWO} → 50-1-400",
    "only messages of the kind text count as texts": f"{CALLS} → 40-2-400",
    "if no tail has both, the longest that is allowed is right": (
        f"{TALK} → 300-2-400; {TALK} → 60-5-400; 90c 70r 60t → 50-3-400; 10r 20t → 50-1-400"
    ),
    "the tail must not have more than max_tokens tokens": (
        f"{TALK} → 100-4-120; {CALL} → 50-2-100; {CALLS} → 110-1-165; {LARGE} → 10-2-400"
    ),
    "the index of an empty tail is len(messages)": f"{LARGE} → 10-1-10;  → 10-1-10",
}
KINDS = {"t": "text", "c": "call", "r": "result"}
TURNS = ("15t", "35t", "80t", "9c 90r", "9c 30r 15c 150r")


def tail_case(messages, limits, rule=""):
    pairs = [(int(one[:-1]), KINDS[one[-1]]) for one in messages.split()]
    return Case((pairs, *map(int, limits)), rule)


def tails(rng):
    for rule, messages, limits in ruled(TAILS):
        yield tail_case(messages, limits.split("-"), rule)
    for _ in range(20):
        messages = " ".join(rng.choices(TURNS, k=rng.randint(3, 12)))
        tokens, texts = rng.randrange(30, 300), rng.randint(1, 4)
        yield tail_case(messages, (tokens, texts, rng.randrange(100, 600)))


keep_tail = Gap(
    name="keep_tail",
    place="memlab.agent.compaction.keep_tail",
    cases=tails,
    hints=(
        "Go through the messages backwards, and add up tokens and texts. Stop when the next message"
        " would bring the tail above `max_tokens`, or when the tail has enough of both.",
        'Keep the best index so far, at first `len(messages)`. A `"result"` does not change it.',
    ),
    why="Every tail that the loop looks at is one message longer than the one before, so the first"
    " that has enough of both is the shortest. `start` changes only where a tail may begin.",
    wrong=(
        ("return start", "return len(messages) - start", "the index is"),
        ("min_tokens and texts", "min_tokens or texts", "enough tokens and"),
        ("tokens >= min_tokens", "tokens > min_tokens", "exactly so many"),
        ('kind == "text"', 'kind != "result"', "only messages of the kind"),
        ("            continue\n", "            pass\n", "with a result"),
        ("start = len(messages)", "start = 0", "of an empty tail"),
    ),
)

DAY, LOG = "2026-03-30", "logs/2026/03/2026-03-30.md"
OLD, CUT, NEW = (
    "- Tabs.\n- Opens in April.\n",
    "- Tabs.\n- Opens",
    "- Goats.\n",
)
APPENDS = {  # before → after
    "lines that are added are allowed": f"{OLD} → {OLD}{NEW}; \n → \n{NEW}",
    "the first line may be written into an empty log": f" → {NEW}",
    "what is added need not end with a newline": f"{OLD} → {OLD}- Goats",
    "what is added may begin with anything": f"{OLD} → {OLD}Goats.\n",
    "what is added is more than whitespace": f" → ; {OLD} → {OLD}\n \n; {CUT} → {CUT}\n",
    "after has to begin with before, character for character": (
        f"{OLD} → - Spaces.\n{OLD[8:]}{NEW}; {OLD} → {NEW}{OLD}; {OLD} → {OLD[:-1]}"
        f"; - Tabs.\n → - Tabs.\r\n{NEW}; {OLD} → {OLD[:-1]} {NEW}; {OLD}\n → {OLD}{NEW}"
    ),
    "after a line that was cut off, what is added begins with a newline": (
        f"{CUT} → {CUT}ens.\n; {CUT} → {CUT} {NEW}; {CUT} → {CUT}\n{NEW}; {CUT} → {CUT}\r\n{NEW}"
    ),
}
PATHS = (
    f"logs/2026/03/2026-03-29.md logs/2026/02/{DAY}.md logs/2025/03/{DAY}.md logs/{DAY}.md"
    f" logs/2026/03/../03/{DAY}.md logs/2026/03/x{DAY}.md {DAY}.md old/{LOG} {LOG}.bak"
)


def appends(rng):
    for rule, before, after in ruled(APPENDS):
        yield Case((LOG, before, after, DAY), rule)
    for path in (*PATHS.split(), LOG.upper()):
        rule = "only the log of this day may be written, and its path is exact"
        yield Case((path, "", NEW, DAY), rule)
    for _ in range(12):
        day = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        path = f"logs/2026/{day[5:7]}/{day}.md"
        before = "".join(rng.choices("-.\n", k=3))
        yield Case((path, before, before[rng.randint(-3, 1) :] + before, day))


may_append = Gap(
    name="may_append",
    place="memlab.memdir.daily_log.may_append",
    guard=True,
    cases=appends,
    hints=(
        "Build the only allowed path from `today`, and compare the whole of `path` with it.",
        "`after[len(before) :]` is what was added, if `after.startswith(before)`. But does"
        ' `"- Robin wants tabs no longer"` only append to `"- Robin wants tabs"`?',
    ),
    why="If `after` begins with `before`, only one earlier line can still change: the last one, if"
    " it has no newline. With a newline added to `before`, that line is like all the others.",
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
LOGS = {  # text → most
    "lines stay in order, unchanged": f"{NOTES} → 99; - Tea.  \n\n Go.\n → 99",
    "the newest whole lines are kept": f"{NOTES} → 35; {NOTES} → 30; - a - b\n- c\n → 8",
    "exactly so many bytes fit": f"{NOTES} → 31; {NOTES} → 24; {NOTES} → 39",
    "the newline counts as well": f"{NOTES} → 38; \n\n\n → 2",
    "no line in between is left out": "- a\n- long line\n- b\n → 9",
    "if no line fits, the result is empty": f"{NOTES} → 23; {NOTES} → 1; {NOTES} → 0;  → 10",
    "bytes count, not characters": "- Größe.\n → 11; - Größe.\n → 10; - é\n- é\n → 9",
}


def logs(rng):
    for rule, text, most in ruled(LOGS):
        yield Case((text, int(most)), rule)
    for _ in range(12):
        lines = rng.choices(
            ("- tide\n", "- café, pier\n", "\n", "Größe\n"), k=6
        )
        yield Case(("".join(lines), rng.randrange(5, 60)))


log_tail = Gap(
    name="log_tail",
    place="memlab.memdir.daily_log.log_tail",
    cases=logs,
    hints=(
        "`text.splitlines(keepends=True)` is a list of the lines, each with its newline.",
        "Begin with the last line, and put earlier ones in front. Stop before `most` is exceeded.",
    ),
    why="The loop stops at the first line that does not fit, and keeps a line whole or not at all.",
    wrong=(
        ("(line + tail).encode()", "line + tail", "bytes count"),
        ("> most", ">= most", "exactly so many bytes"),
        ("reversed(text_lines(text))", "text_lines(text)", "stay in order"),
        (
            "            break\n",
            "            continue\n",
            "no line in between",
        ),
        (
            "def log_tail(text, most):\n    return text[-most:]\n",
            "newest whole lines",
        ),
    ),
)
