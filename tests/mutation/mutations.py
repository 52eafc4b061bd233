"""The list of one-line changes: one for each figure that the course teaches, and one for each rule
without which memlab would not be what it teaches.

Left out: running them, which ``python -m tests.mutation`` does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """One change to one line of the package, and the notebook or the test that has to notice it.

    ``old`` stands exactly once in ``file`` (a path from the project's root); it may reach over
    several lines to be found once, but ``new`` changes only one of them.
    """

    file: str
    old: str
    new: str
    why: str
    """The figure or the rule that this change would break."""
    noticed_by: str
    """The number of the notebook that turns red, or the test, if no notebook shows the rule."""

    def __str__(self) -> str:
        """Return the one line that names it in a report."""
        return f"{self.noticed_by[:2]} {self.file}: {self.why}"


def changed_text(mutation: Mutation, text: str) -> str:
    """Return the text of the mutation's file after the change.

    Raises ``ValueError`` if it is not one change to one line of code that compiles.
    """
    if text.count(mutation.old) != 1:
        raise ValueError(f"the old text stands there {text.count(mutation.old)} times, not once")
    after = text.replace(mutation.old, mutation.new)
    pairs = zip(text.splitlines(), after.splitlines(), strict=True)
    if sum(old != new for old, new in pairs) != 1:
        raise ValueError("it does not change exactly one line")
    if mutation.file.endswith(".py"):
        compile(after, mutation.file, "exec", dont_inherit=True)
    return after


SETTINGS = "memlab/settings.py"
ATTACH = "tests/unit/recall/test_recall.py"
LOCK = "tests/unit/dream/test_lock.py"
DREAM = "tests/unit/dream/test_dream.py"
REVIEW = "tests/unit/evidence/test_review.py"
COMPACTION = "tests/unit/agent/test_compaction.py"

# fmt: off
MUTATIONS: tuple[Mutation, ...] = (
    # Every figure that the course teaches as a decision.
    Mutation(SETTINGS, "index_max_lines: int = default(200", "index_max_lines: int = default(201",
        "the index's cap on lines", "02"),
    Mutation(SETTINGS, "index_max_bytes: int = default(25_000",
        "index_max_bytes: int = default(25_001", "the index's cap on bytes", "02"),
    Mutation(SETTINGS, "index_line_characters: int = default(200",
        "index_line_characters: int = default(150", "the length of an index line", "02"),
    Mutation(SETTINGS, "override_min_characters: int = default(3",
        "override_min_characters: int = default(2", "the shortest directory that may be given",
        "tests/unit/memdir/test_places.py"),
    Mutation(SETTINGS, "scan_max_files: int = default(200", "scan_max_files: int = default(199",
        "how many files the scan lists", "03"),
    Mutation(SETTINGS, "scan_header_lines: int = default(30", "scan_header_lines: int = default(31",
        "how many lines of a file are read", "03"),
    Mutation(SETTINGS, "caveat_after_hours: float = default(24",
        "caveat_after_hours: float = default(48", "from when on a memory gets its caveat", "03"),
    Mutation(SETTINGS, "select_max_output_tokens: int = default(256",
        "select_max_output_tokens: int = default(200", "the length of a side-query's answer", "04"),
    Mutation(SETTINGS, "select_max_memories: int = default(5",
        "select_max_memories: int = default(2", "at most five memories", "04"),
    Mutation(SETTINGS, "surface_max_lines: int = default(200",
        "surface_max_lines: int = default(150", "how many lines of a file are attached",
        f"{ATTACH}::test_a_file_is_cut_at_200_lines_and_4096_bytes"),
    Mutation(SETTINGS, "surface_max_bytes: int = default(4_096",
        "surface_max_bytes: int = default(4_000", "how many bytes of a file are attached",
        f"{ATTACH}::test_a_file_is_cut_at_200_lines_and_4096_bytes"),
    Mutation(SETTINGS, "surface_session_bytes: int = default(60_000",
        "surface_session_bytes: int = default(80_000", "what recall may add to a session",
        f"{ATTACH}::test_it_is_spent_in_the_order_of_choice"),
    Mutation(SETTINGS, "prefetch_wait_seconds: float = default(1.0",
        "prefetch_wait_seconds: float = default(0.5", "how long the first call waits for memories",
        "05"),
    Mutation(SETTINGS, "drain_seconds: float = default(10.0", "drain_seconds: float = default(8.0",
        "how long stop hooks are awaited", "05"),
    Mutation(SETTINGS, "extract_every_turns: int = default(1,",
        "extract_every_turns: int = default(2,", "how often extraction runs", "08"),
    Mutation(SETTINGS, "extract_max_turns: int = default(5,",
        "extract_max_turns: int = default(6,", "how many turns an extraction has", "06"),
    Mutation(SETTINGS, "dream_min_hours: float = default(24,",
        "dream_min_hours: float = default(20,", "a day between dreams", "09"),
    Mutation(SETTINGS, "dream_scan_minutes: float = default(10,",
        "dream_scan_minutes: float = default(5,", "minutes between session scans", "09"),
    Mutation(SETTINGS, "dream_min_sessions: int = default(5,",
        "dream_min_sessions: int = default(2,", "a dream needs something to review", "09"),
    Mutation(SETTINGS, "lock_lease_hours: float = default(1,",
        "lock_lease_hours: float = default(3,", "a lock counts for an hour",
        f"{LOCK}::test_a_body_that_names_nobody_holds_for_an_hour"),
    Mutation(SETTINGS, "dream_max_minutes: float = default(50,",
        "dream_max_minutes: float = default(60,", "a dream ends before its lock counts no more",
        f"{DREAM}::test_a_failing_dream_leaves_memory_and_lock_as_before"),
    Mutation(SETTINGS, "dream_max_turns: int = default(50,", "dream_max_turns: int = default(51,",
        "how many turns a dream has",
        f"{DREAM}::test_a_failing_dream_leaves_memory_and_lock_as_before"),
    Mutation("memlab/cli/dream.py",
        '"apply" if args.yes else "ask"', '"apply" if args.yes else "apply"',
        "a person is asked what a dream may change",
        "tests/unit/cli/test_chat.py::test_it_does_not_start_without_a_terminal_or_beside_another"),
    Mutation(SETTINGS, "session_keep_min_tokens: int = default(10_000",
        "session_keep_min_tokens: int = default(4_000", "how much stays beside a session's notes",
        f"{COMPACTION}::test_ten_thousand_tokens_and_five_texts_stay_but_not_over_forty_thousand"),
    Mutation(SETTINGS, "session_keep_min_texts: int = default(5",
        "session_keep_min_texts: int = default(4", "how many texts stay beside a session's notes",
        f"{COMPACTION}::test_ten_thousand_tokens_and_five_texts_stay_but_not_over_forty_thousand"),
    Mutation(SETTINGS, "session_keep_max_tokens: int = default(40_000",
        "session_keep_max_tokens: int = default(50_000", "how much stays at most",
        f"{COMPACTION}::test_ten_thousand_tokens_and_five_texts_stay_but_not_over_forty_thousand"),
    # What a memory is, and where it lies.
    Mutation("memlab/memdir/frontmatter.py",
        "head[start + len(old) :]", "head[start + len(old) + 1 :]",
        "a changed value leaves the rest of the file alone", "01"),
    Mutation("memlab/memdir/dates.py",
        "timedelta(_STEPS[word] * 7 - today", "timedelta(_STEPS[word] * 14 - today",
        "the day that 'next Friday' means", "01"),
    Mutation("memlab/memdir/secrets.toml",
        "pattern = '''(?i) {{is}}{{mixed}}'''", "pattern = '''(?i) {{is}}{{quoted}}'''",
        "a password in plain words is found", "01"),
    Mutation("memlab/memdir/journal.py",
        "if now == one.before != one.after:", "if one.before != now != one.after:",
        "opening carries out what has its line in the journal", "01"),
    Mutation("memlab/memdir/folder.py",
        "            if self.durable:\n                os.fsync(file)\n        if not",
        "            if self.durable:\n                pass\n        if not",
        "contents are on the disk before their line is", "tests/unit/memdir/test_folder.py"),
    Mutation("memlab/memdir/journal.py",
        "            self.folder.remove(_image(sha))\n", "            pass\n",
        "forgetting for good leaves no copy", "tests/unit/memdir/test_erase.py"),
    Mutation("memlab/memdir/places.py",
        'root = common.parent if common.name == ".git" else common',
        'root = top',
        "worktrees share one memory", "tests/unit/memdir/test_places.py"),
    Mutation("memlab/memdir/folder.py", "os.open(part, flags, dir_fd=folder)",
        "os.open(part, flags & ~_NO_FOLLOW, dir_fd=folder)",
        "a folder is opened without following a link", "tests/unit/memdir/test_folder.py"),
    # Index, scan, recall.
    Mutation("memlab/memdir/index.py",
        "    if first >= 0:\n        while", "    if False:\n        while",
        "a new pointer goes on top", "tests/unit/memdir/test_index.py"),
    Mutation("memlab/memdir/index.py",
        "return is_start or found.line == whole", "return True",
        "lines written by hand stay as they are", "tests/unit/memdir/test_index.py"),
    Mutation("memlab/models/cache.py",
        "self._dies.get(key, now) > now", "self._dies.get(key, now) >= now",
        "only a prefix that was kept can be read", "06"),
    Mutation("memlab/memdir/scan.py", "(-files.mtime(name)", "(files.mtime(name)",
        "newest first", "03"),
    Mutation("memlab/recall/selection.py",
        'if stopped in ("refusal", "max_tokens"):', 'if stopped == "refusal":',
        "half an answer is no answer, and the log says so", "04"),
    Mutation("memlab/models/standin/rules.py",
        "and not explains_tool_in_use(header, tools)", "and header.filename",
        "documentation of a tool in use is withheld", "04"),
    # The agent, its forks and their sandbox.
    Mutation("memlab/clock.py", "(until, self._slept, waker)", "(self._now, self._slept, waker)",
        "sleepers wake in the order of time", "05"),
    Mutation("memlab/agent/loop.py",
        "after_tools = self._recalled(turn, self.prefetch.collect())", "pass",
        "memories join the tool results", "05"),
    Mutation("memlab/agent/permissions.py",
        "if real.exists() and path not in context.read_files:", "if not real.name:",
        "a file is read before it is edited", "05"),
    Mutation("memlab/agent/permissions.py",
        'return _may_write(context, given)', "return _YES",
        "a fork writes memories only", "06"),
    Mutation("memlab/agent/conversation.py", "self.messages += history.messages",
        "self.messages += history.messages[-10:]",
        "a fork carries the whole conversation", "06"),
    Mutation("memlab/agent/shell.py", 'if kind == "odd":', 'if kind == "od":',
        "what a shell obeys is refused unquoted", "07"),
    Mutation("memlab/agent/shell_run.py", "real = Path(os.path.realpath(self.cwd / path))",
        "real = Path(os.path.abspath(self.cwd / path))",
        "an operand is judged by where a link leads", "07"),
    # Extraction, gates, lock, dream.
    Mutation("memlab/extract/extractor.py", "if run.stopped in self.final:", "if run.stopped:",
        "a failed run leaves the cursor where it was", "08"),
    Mutation("memlab/extract/extractor.py",
        "if agent_saved_itself(journal, self.context.session, new):", "if False:",
        "a turn in which the agent wrote is skipped", "08"),
    Mutation("memlab/extract/extractor.py", "while self.pending:", "while self.pending and False:",
        "the last context is never lost",
        "tests/unit/extract/test_extraction.py"),
    Mutation("memlab/dream/gates.py", "{gate.__name__: gate for gate in gates}",
        "{gate.__name__: gate for gate in (*gates[:2], gates[3], gates[2], gates[4])}",
        "the throttle comes before the scan", "09"),
    Mutation("memlab/dream/lock.py",
        'if not is_ours(lock.read() or "", token):', "if lock.read() is None:",
        "a rollback looks whose lock it is",
        f"{LOCK}::test_a_holder_that_lost_the_lock_can_end_nothing"),
    Mutation("memlab/dream/lock.py",
        '(state[0] + "done\\n", int(ours[1]))', '(state[0] + "done\\n", state[1])',
        "a crashed holder's stamp is put back",
        f"{LOCK}::test_healing_puts_back_the_stamp"),
    Mutation("memlab/evidence/review.py", "elif keeps < MERGED:", "elif keeps < 0:",
        "a merge has to keep most of the content", REVIEW),
    Mutation("memlab/evidence/review.py", "new = self.new_sentences(name) if alone else []",
        "new: list[Sentence] = []", "what nobody said waits if nobody sees it", REVIEW),
    Mutation("memlab/dream/stage.py", "return Path(self.inward(str(super().path(typed))))",
        "return super().path(typed)", "a dream's tools lead to the copy",
        "tests/unit/dream/test_stage.py::test_real_paths_mean_the_copy"),
    Mutation("memlab/dream/plan.py", "if not mine:", "if mine is None:",
        "a dream that lost its lock commits nothing",
        f"{DREAM}::test_a_lock_lost_on_the_way_commits_nothing"),
    Mutation("memlab/harness.py", "await self.dreams.check(prefix)", "pass",
        "the dream check follows extraction", "tests/unit/test_sessions.py"),
    # Whose words a sentence is.
    Mutation("memlab/prompts/blocks.py", 'return _FREE.sub(r"\\1_\\2", data)', "return data",
        "data cannot close or open a block",
        "tests/unit/prompts/test_prompts.py::test_any_data_comes_back_and_no_tag_in_it_counts_however_it_is_written"),
    Mutation("memlab/evidence/support.py", "        if strangers:", "        if False:",
        "a stranger's words are not the person's", "08"),
    Mutation("memlab/evidence/support.py",
        "min((one.stamp.origin for one in used)", "max((one.stamp.origin for one in used)",
        "a merged sentence has the least trusted origin of its sources",
        "tests/unit/evidence/test_support.py"),
    Mutation("memlab/evidence/support.py",
        "Verdict.SUPPORTED if sentence.label else Verdict.UNSUPPORTED", "Verdict.SUPPORTED",
        "a sentence without a source is unsupported", "tests/unit/evidence/test_support.py"),
    # Modes, other systems, what a measurement may claim.
    Mutation("memlab/agent/compaction.py", "        if kind == \"result\":\n            continue",
        "        if kind == \"result\":\n            pass",
        "a tail does not begin with a tool's result", COMPACTION),
    Mutation("memlab/memdir/daily_log.py", "if path != log_path(today):",
        "if not is_below_logs(path):", "only the log of today grows",
        "tests/unit/memdir/test_daily_log.py"),
    Mutation("memlab/memdir/rules.py", "    if in_team and memory.type is MemoryType.user:",
        "    if False:", "a memory about a person is not shared",
        "tests/unit/modes/test_team.py::"
        "test_a_memory_about_a_person_stays_private"),
    Mutation("memlab/memdir/personal.py",
        "names = {name.casefold() for _, name in project if name}", "names = set()",
        "a project's memory of the same name wins", "tests/unit/modes/test_personal.py"),
    Mutation("memlab/landscape/mem0.py",
        """return [f"DELETE {nearest['corrects']}", "ADD"]""", 'return ["ADD"]',
        "Mem0 deletes what a fact contradicts", "tests/unit/landscape/test_systems.py"),
    Mutation("memlab/recall/sqlite.py", "VALUES ('optimize')", "VALUES ('integrity-check')",
        "nothing of a memory that is gone is left in the search index",
        "tests/unit/test_forget_for_good.py::"
        "test_a_file_that_vanished_leaves_no_term_in_the_index"),
    Mutation("memlab/models/tape.py",
        "kept = redactor.json(reply)", "kept = reply",
        "no secret in an answer reaches a tape",
        "tests/unit/models/test_tape.py::"
        "test_no_key_reaches_a_tape_and_memlab_gets_what_was_said"),
    Mutation("memlab/evals/metrics.py",
        "p: float = 2 * tail / 2**flips", "p: float = tail / 2**flips",
        "McNemar's test has two sides", "tests/unit/evals/test_measure.py"),
    Mutation("memlab/bench/compare.py",
        "if self.shared < FEWEST_CASES:", "if self.shared < 0:",
        "below 20 cases there is no verdict", "tests/unit/bench/test_recorded.py"),
)
# fmt: on
