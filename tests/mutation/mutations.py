"""The list of one-line changes: one for each figure that the course teaches, and one for each rule
without which memlab would not be what it teaches.

Left out: running them, which ``python -m tests.mutation`` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Mutation(NamedTuple):
    """A change to one line of the package, and the notebook or the tests that have to notice it.

    ``old`` stands exactly once in ``file`` (a path from the project's root); it may reach over
    several lines to be found once, but ``new`` changes only one of them. ``why`` is the figure or
    the rule that this would break. ``noticed_by`` is the number of the notebook that turns red, or
    the file of tests or one of its tests, if no notebook shows the rule.
    """

    file: str
    old: str
    new: str
    why: str
    noticed_by: str

    def __str__(self) -> str:
        return f"{self.noticed_by} {self.file}: {self.why}"


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


def rule(file: str, old: str, new: str, why: str, where: str) -> Mutation:
    path, *test = where.split("::")
    folder, _, name = path.rpartition("/")
    by = "::".join([Path("tests/unit", folder, f"test_{name}.py").as_posix(), *test])
    return Mutation(f"memlab/{file}", old, new, why, where if where.isdigit() else by)


def figure(setting: str, old: str, new: str, why: str, where: str) -> Mutation:
    begin = f"    {setting} = default("
    return rule("settings.py", f"{begin}{old},", f"{begin}{new},", why, where)


# fmt: off
MUTATIONS: tuple[Mutation, ...] = (
    # Every figure that the course teaches as a decision.
    figure("index_max_lines: int", "200", "201", "the index's cap on lines", "02"),
    figure("index_max_bytes: int", "25_000", "25_001", "the index's cap on bytes", "02"),
    figure("index_line_characters: int", "200", "150", "the length of an index line", "02"),
    figure("override_min_characters: int", "3", "2", "the shortest directory", "memdir/places"),
    figure("scan_max_files: int", "200", "199", "how many files the scan lists", "03"),
    figure("scan_header_lines: int", "30", "31", "how many lines of a file are read", "03"),
    figure("caveat_after_hours: float", "24", "48", "from when on a memory gets its caveat", "03"),
    figure("select_max_output_tokens: int", "256", "200", "a side-query's answer", "04"),
    figure("select_max_memories: int", "5", "2", "at most five memories", "04"),
    figure("surface_max_lines: int", "200", "150", "lines of a file attached", "recall/recall"),
    figure("surface_max_bytes: int", "4_096", "4_000", "bytes of it", "recall/recall"),
    figure("surface_session_bytes: int", "60_000", "80_000", "all of recall", "recall/recall"),
    figure("prefetch_wait_seconds: float", "1.0", "0.5", "how long a call waits for recall", "05"),
    figure("drain_seconds: float", "10.0", "8.0", "how long stop hooks are awaited", "05"),
    figure("extract_every_turns: int", "1", "2", "how often extraction runs", "08"),
    figure("extract_max_turns: int", "5", "6", "how many turns an extraction has", "06"),
    figure("dream_min_hours: float", "24", "20", "a day between dreams", "09"),
    figure("dream_scan_minutes: float", "10", "5", "minutes between session scans", "09"),
    figure("dream_min_sessions: int", "5", "2", "a dream needs something to review", "09"),
    figure("lock_lease_hours: float", "1", "3", "a lock counts for an hour", "dream/lock"),
    figure("dream_max_minutes: float", "50", "60", "a dream ends before its lease", "dream/dream"),
    figure("dream_max_turns: int", "50", "51", "how many turns a dream has", "dream/dream"),
    figure("session_keep_min_tokens: int", "10_000", "4_000", "stays by notes", "agent/compaction"),
    figure("session_keep_min_texts: int", "5", "4", "texts beside notes", "agent/compaction"),
    figure("session_keep_max_tokens: int", "40_000", "50_000", "at most", "agent/compaction"),
    # The most important rules.
    rule("cli/dream.py", 'args.yes else "ask"', 'args.yes else "apply"',
        "a person is asked what a dream may change", "cli/chat"),
    rule("memdir/frontmatter.py", "head[start + len(old) :]", "head[start + len(old) + 1 :]",
        "a changed value leaves the rest of the file alone", "01"),
    rule("memdir/secrets.toml", "pattern = '''(?i) {{is}}{{mixed}}'''",
        "pattern = '''(?i) {{is}}{{quoted}}'''", "a password in plain words is found", "01"),
    rule("memdir/journal.py", "if now == one.before != one.after:",
        "if one.before != now != one.after:",
        "opening carries out what has its line in the journal", "01"),
    rule("memdir/folder.py",
        "            if self.durable:\n                os.fsync(file)\n        if not",
        "            if self.durable:\n                pass\n        if not",
        "contents are on the disk before their line is", "memdir/folder"),
    rule("memdir/journal.py", "            self.folder.remove(_image(sha))\n", "            pass\n",
        "forgetting for good leaves no copy", "memdir/erase"),
    rule("memdir/places.py", "root = common.parent if common.name == \".git\" else common",
        "root = top", "worktrees share one memory", "memdir/places"),
    rule("memdir/folder.py", "os.open(part, flags, dir_fd=folder)",
        "os.open(part, flags & ~_NO_FOLLOW, dir_fd=folder)",
        "a folder is opened without following a link", "memdir/folder"),
    rule("memdir/index.py", "    if first >= 0:\n        while", "    if False:\n        while",
        "a new pointer goes on top", "memdir/index"),
    rule("memdir/index.py", "return is_start or found.line == whole", "return True",
        "lines written by hand stay as they are", "memdir/index"),
    rule("memdir/scan.py", "(-files.mtime(name)", "(files.mtime(name)", "newest first", "03"),
    rule("agent/permissions.py", "if real.exists() and path not in context.read_files:",
        "if not real.name:", "a file is read before it is edited", "05"),
    rule("agent/permissions.py", "return _may_write(context, given)", "return _YES",
        "a fork writes memories only", "06"),
    rule("agent/conversation.py", "self.messages += history.messages",
        "self.messages += history.messages[-10:]", "a fork carries the whole conversation", "06"),
    rule("agent/shell.py", "if kind == \"odd\":", "if kind == \"od\":",
        "what a shell obeys is refused unquoted", "07"),
    rule("agent/shell_run.py", "real = Path(os.path.realpath(self.cwd / path))",
        "real = Path(os.path.abspath(self.cwd / path))",
        "an operand is judged by where a link leads", "07"),
    rule("extract/extractor.py", "if run.stopped in self.final:", "if run.stopped:",
        "a failed run leaves the cursor where it was", "08"),
    rule("extract/extractor.py", "if agent_saved_itself(journal, self.context.session, new):",
        "if False:", "a turn in which the agent wrote is skipped", "08"),
    rule("extract/extractor.py", "while self.pending:", "while self.pending and False:",
        "the last context is never lost",
        "extract/extraction::test_turns_during_a_run_get_one_more_run"),
    rule("dream/gates.py", "{gate.__name__: gate for gate in gates}",
        "{gate.__name__: gate for gate in sorted(gates, key=lambda one: one is throttle)}",
        "the throttle comes before the scan", "09"),
    rule("dream/lock.py", "if not is_ours(lock.read() or \"\", token):", "if lock.read() is None:",
        "a rollback looks whose lock it is", "dream/lock"),
    rule("dream/lock.py", "(state[0] + \"done\\n\", int(ours[1]))",
        "(state[0] + \"done\\n\", state[1])", "a crashed holder's stamp is put back", "dream/lock"),
    rule("evidence/review.py", "elif keeps < MERGED:", "elif keeps < 0:",
        "a merge has to keep most of the content", "evidence/review"),
    rule("evidence/review.py", "new = self.new_sentences(name) if alone else []",
        "new: list[Sentence] = []", "what nobody said waits if nobody sees it", "evidence/review"),
    rule("dream/stage.py", "return Path(self.inward(str(super().path(typed))))",
        "return super().path(typed)", "a dream's tools lead to the copy", "dream/stage"),
    rule("dream/plan.py", "if not mine:", "if mine is None:",
        "a dream that lost its lock commits nothing",
        "dream/dream::test_a_lock_lost_on_the_way_commits_nothing"),
    rule("prompts/blocks.py", "return _FREE.sub(r\"\\1_\\2\", data)", "return data",
        "data cannot close or open a block", "prompts/prompts"),
    rule("evidence/support.py", "        if strangers:", "        if False:",
        "a stranger's words are not the person's", "08"),
    rule("evidence/support.py", "min((one.stamp.origin for one in used)",
        "max((one.stamp.origin for one in used)",
        "a merged sentence has the least trusted origin of its sources", "evidence/support"),
    rule("evidence/support.py", "Verdict.SUPPORTED if sentence.label else Verdict.UNSUPPORTED",
        "Verdict.SUPPORTED", "a sentence without a source is unsupported", "evidence/support"),
    rule("memdir/daily_log.py", "if path != log_path(today):", "if not is_below_logs(path):",
        "only the log of today grows", "memdir/daily_log"),
    rule("memdir/rules.py", "    if in_team and memory.type is MemoryType.user:", "    if False:",
        "a memory about a person is not shared", "modes/team::test_no_writer_shares_a_secret"),
    rule("memdir/personal.py", "names = {name.casefold() for _, name in project if name}",
        "names = set()", "a project's memory of the same name wins", "modes/personal"),
    rule("recall/sqlite.py", "VALUES ('optimize')", "VALUES ('integrity-check')",
        "nothing of a memory that is gone is left in the search index",
        "forget_for_good::test_a_file_that_vanished_leaves_no_term_in_the_index"),
    rule("models/tape.py", "kept = redactor.json(reply)", "kept = reply",
        "no secret in an answer reaches a tape",
        "models/tape::test_no_key_reaches_a_tape_and_memlab_gets_what_was_said"),
)
# fmt: on
