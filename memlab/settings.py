"""The table of settings: every figure with its value, unit, reason and source.

Settings files are read elsewhere: ``memdir.places`` decides where memory
is, and ``memdir.toggles`` reads the switches and what a person has changed in
this table.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

from memlab.errors import SettingsError

SOURCES = {
    "handbook": "the Claurst documentation's page on memory",
    "lesson": (
        "Learn Claude Code, lesson s09, 'Memory', with its deep dive into the"
        " source"
    ),
    "deep dive": (
        "an untitled walk through the source of extraction, dreaming and"
        " recall, with a quiz"
    ),
    "blog": "the article 'Do Claude Code Dream of Tengu?'",
    "dream guide": (
        "'Claude Code Memory System — AutoDream Memory Consolidation'"
    ),
    "service": "the model service's public documentation",
    "observed": "seen from outside on the product, November 2026",
    "ours": "a decision of this course",
}
CHOICES = {
    "main_effort": ("", "low", "medium", "high", "xhigh", "max", "off"),
    "first_stage": ("off", "sqlite", "postgres"),
}
"""The settings that are words, with what each may be; "" is no choice."""


class SettingRow(NamedTuple):
    """One setting with everything a reader wants to know about it.

    ``says`` is what the source says in so many figures, and where the others
    differ; it is empty for our own decisions. A ``fixed`` setting is a figure
    that the course teaches and nobody can change.
    """

    name: str
    value: Any
    unit: str
    reason: str
    source: str
    says: str = ""
    fixed: bool = False


def default(
    value: Any, unit: str, reason: str, source: str, **more: Any
) -> Any:
    """Declare one default with what a reader wants to know about it, by the
    names of a SettingRow.
    """
    about = {"unit": unit, "reason": reason, "source": source, **more}
    return dataclasses.field(default=value, metadata=about)


@dataclass(frozen=True)
class Settings:
    """The defaults of every mechanism; make a changed copy with
    ``with_changes``.
    """

    # fmt: off
    index_max_lines: int = default(200, "lines",
        "the index is in every request, so its size is paid for on every turn",
        "handbook, lesson, deep dive, blog",
        says="200 lines; the dream guide names a limit without a figure")
    index_max_bytes: int = default(25_000, "bytes",
        "a cap on lines alone lets long ones through; at 125 a line both meet",
        "handbook, lesson, deep dive, blog, dream guide",
        says="handbook: about 25 KB, and 25,000 bytes; the others: 25 KB")
    index_max_utf16: int = default(25_000, "UTF-16 characters",
        "Claude Code's own cap; the doctor judges a directory that Claude Code keeps by it",
        "observed",
        says="cut at 25,000 UTF-16 characters")
    index_reminder_percent: int = default(90, "% of a cap",
        "from here on the agent is reminded that the index is nearly full", "ours")
    index_line_characters: int = default(200, "characters",
        "a longer line is content, and content belongs in the topic file",
        "blog, dream guide",
        says="blog: roughly 200 characters; dream guide: over 200")
    override_min_characters: int = default(3, "characters",
        "shorter directory overrides are slips such as '/' or '~'", "ours", fixed=True)
    scan_max_files: int = default(200, "files",
        "the manifest is sent on every turn; newest first, the rest is not seen",
        "lesson, blog",
        says="at most 200 files, newest first")
    scan_header_lines: int = default(30, "lines",
        "frontmatter fits; a body is never needed to decide",
        "handbook, blog",
        says="the first 30 lines of each file")
    scan_header_bytes: int = default(16 * 1024, "bytes",
        "thirty lines can be thirty megabytes", "ours")
    manifest_description_characters: int = default(300, "characters",
        "one memory may not flood the list of all", "ours")
    caveat_after_hours: float = default(24, "hours",
        "an older memory is an observation from then, not live state",
        "handbook, deep dive, blog",
        says="older than one day")
    old_project_days: int = default(90, "days",
        "after a quarter most plans are carried out or given up; the doctor asks", "ours")
    select_max_memories: int = default(5, "files",
        "attention is scarce; unsure means leave out",
        "handbook, lesson, deep dive, blog",
        says="up to 5 files; the dream guide is silent")
    select_max_output_tokens: int = default(256, "tokens",
        "five file names take about a hundred",
        "handbook, deep dive",
        says="256; the lesson has 200 in its teaching version, and the blog counts about 100 used")
    thinking_room_tokens: int = default(2_000, "tokens",
        "thinking counts as output, so a model that cannot do without gets this much more",
        "ours")
    select_timeout_seconds: float = default(10, "seconds",
        "a side-query takes about one; after ten, words choose instead", "ours")
    first_stage: str = default("off", "off, sqlite or postgres",
        "off: only the newest memories are candidates for recall; else a full-text index over all"
        " of them proposes the candidates", "ours")
    first_stage_candidates: int = default(200, "files",
        "as many as a scan lists: the side-query costs the same with and without the first stage",
        "ours")
    surface_max_lines: int = default(200, "lines",
        "one memory may not flood the turn",
        "lesson, blog",
        says="200 lines of each file; the handbook has it read in full")
    surface_max_bytes: int = default(4_096, "bytes", "the same, for long lines",
        "lesson, blog",
        says="lesson: 4,096 bytes of each file; blog: 4 KB")
    surface_session_bytes: int = default(60_000, "bytes",
        "what recall may add to one session in all",
        "lesson",
        says="60 KB in one session")
    prefetch_wait_seconds: float = default(1.0, "seconds",
        "how long the first call may wait for recall; 0 means never", "ours")
    drain_seconds: float = default(10.0, "seconds",
        "how long shutdown waits for extraction and dream", "ours")
    extract_every_turns: int = default(1, "eligible turns",
        "each turn may hold something worth keeping",
        "lesson, deep dive, blog, dream guide",
        says="after every turn; the deep dive has a counter to throttle it, without a figure")
    extract_max_turns: int = default(5, "turns",
        "read in parallel, write in parallel, and three to spare",
        "lesson, deep dive, blog, dream guide",
        says="5 turns; the handbook is silent")
    dream_min_hours: float = default(24, "hours", "not too often: a stat decides",
        "all five",
        says="24 hours since the last one")
    dream_scan_minutes: float = default(10, "minutes",
        "with time open and sessions shut, every turn would list the directory",
        "deep dive, blog, dream guide",
        says="10 minutes between scans; the lesson names the throttle without a figure")
    dream_min_sessions: int = default(5, "sessions",
        "not for nothing: there must be something to review",
        "all five",
        says="5 sessions since the last one")
    lock_lease_hours: float = default(1, "hours",
        "process ids are reused, so a live one proves nothing for ever",
        "lesson, deep dive, blog, dream guide",
        says="a lock older than 1 hour is taken over; the handbook is silent")
    lock_future_minutes: float = default(5, "minutes",
        "a stamp further in the future is a wrong clock, not a consolidation", "ours")
    dream_unreviewed_percent: int = default(20, "% of the memories",
        "what a dream may remove, merge or rewrite in one night when nobody reviews it; a"
        " larger change waits for a person", "ours")
    dream_unreviewed_files: int = default(1, "files",
        "the same, at least: a percentage of a small store is nothing", "ours")
    dream_max_minutes: float = default(50, "minutes",
        "a dream must end before its lock can be taken from it", "ours")
    dream_max_turns: int = default(50, "turns",
        "this only stops a runaway; the dream guide says that there is no limit, and the other"
        " sources are silent", "ours")
    main_max_turns: int = default(50, "calls to the model",
        "a turn that has not ended by then goes in circles", "ours")
    compact_at_tokens: int = default(150_000, "tokens",
        "a summary must still fit into the context, and so must the turn after it", "ours")
    session_keep_min_tokens: int = default(10_000, "tokens",
        "the newest messages stay beside the notes, because notes lag a little behind",
        "lesson",
        says="10K, without saying what it counts; here: the messages that stay, at least")
    session_keep_min_texts: int = default(5, "messages with text",
        "ten thousand tokens can be one tool result, and that is no conversation",
        "lesson",
        says="5 text messages; here: of those that stay, at least")
    session_keep_max_tokens: int = default(40_000, "tokens",
        "what stays is paid for again after the compaction",
        "lesson",
        says="40K; here: the messages that stay, at most")
    session_notes_max_bytes: int = default(12_000, "bytes",
        "what the notes of one session may grow to: they are sent with every run that keeps them,"
        " and with every request after a compaction", "ours")
    session_max_turns: int = default(5, "turns",
        "one to write, one to say what was done, and three in case a change is refused", "ours")
    session_wait_seconds: float = default(15, "seconds",
        "how long a compaction waits for notes that are being written", "ours")
    personal_index_max_lines: int = default(25, "lines",
        "it is in the prompt of every project, and few things are true of a person in all of them",
        "ours")
    daily_log_shown_bytes: int = default(4_096, "bytes",
        "what a new session is shown of today's log: its end, since the newest lines say what is"
        " going on", "ours")
    command_max_seconds: float = default(10.0, "seconds",
        "what one shell command may take; a search that takes longer asks too much", "ours",
        fixed=True)
    command_max_output_bytes: int = default(40_000, "bytes",
        "what one shell command may print, since the model reads all of it", "ours", fixed=True)
    command_max_memory_bytes: int = default(512 * 1024 * 1024, "bytes",
        "what each program of a command may use, on Linux", "ours", fixed=True)
    command_max_matches: int = default(2_000, "files",
        "what one pattern of a command may become", "ours", fixed=True)
    command_max_characters: int = default(4_000, "characters",
        "a longer command is refused unread", "ours", fixed=True)
    command_max_programs: int = default(10, "programs",
        "a longer pipe is refused", "ours", fixed=True)
    covered_share: float = default(0.7, "of a sentence's words",
        "a sentence counts as kept if one text has this share of its words, and all its numbers",
        "ours", fixed=True)
    main_model: str = default("claude-opus-5-5", "model name",
        "talks to the person and is forked", "ours")
    select_model: str = default("claude-sonnet-5-5", "model name",
        "the side-query is short; a quicker model will do",
        "handbook, lesson, deep dive, blog",
        says="a Sonnet model")
    extract_model: str = default("", "model name",
        "empty: the main model, whose cached prefix an extraction can then read", "ours")
    dream_model: str = default("", "model name",
        "empty: the main model, so that there is one model to trust", "ours")
    session_model: str = default("", "model name",
        "empty: the main model, whose cached prefix the notes' run can then read", "ours")
    main_effort: str = default("", "low, medium, high, xhigh, max or off",
        "empty: what the model does by itself; off turns thinking off", "ours")
    main_max_output_tokens: int = default(16_000, "tokens",
        "room for an answer, its tool calls and the thinking before them; a model with a small"
        " context needs less", "ours")
    main_timeout_seconds: float = default(600, "seconds",
        "how long the service may send nothing; a model on this machine reads slowly", "ours")
    extract_timeout_seconds: float = default(300, "seconds",
        "the same for an extraction, for which nobody waits", "ours")
    dream_timeout_seconds: float = default(600, "seconds",
        "the same for a dream; its lock is held meanwhile", "ours")
    cache_min_tokens: int = default(1_024, "tokens", "a shorter prefix is not cached", "service")
    cache_ttl_seconds: int = default(300, "seconds",
        "a cached prefix lives five minutes from its last use", "service")
    cache_lookback_blocks: int = default(20, "blocks",
        "how far before a breakpoint an older entry is looked for", "service")
    cache_max_breakpoints: int = default(4, "breakpoints", "a fifth is an error", "service")
    cost_cache_read: float = default(0.1, "input tokens",
        "price of reading one cached token", "service")
    cost_cache_write: float = default(1.25, "input tokens",
        "price of writing one token to the five-minute cache", "service")
    cost_output: float = default(5.0, "input tokens",
        "price of one output token, as on the service's price list", "service")
    # fmt: on

    def __post_init__(self) -> None:
        for row in self.explain():
            what = do = ""
            if row.name in CHOICES and row.value not in CHOICES[row.name]:
                what = f"is {row.value!r}"
                do = f"Choose from: {', '.join(filter(None, CHOICES[row.name]))}"
            elif row.name in ("main_model", "select_model") and not row.value:
                what, do = "is empty", "Name a model"
            elif row.fixed and row.value != getattr(Settings, row.name):
                what = f"is always {getattr(Settings, row.name)}"
                do = "Leave it out"
            elif not isinstance(row.value, str) and not (
                0 <= row.value < float("inf")
            ):
                what = f"is {row.value}"
                do = f"Give a number of {row.unit} ≥ 0"
            if what:
                raise SettingsError(f"{row.name} {what}", do=do)

    def with_changes(self, **changes: Any) -> Settings:
        """Give a copy with some values changed; raises SettingsError for an
        unknown name.
        """
        known = {field.name for field in dataclasses.fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise SettingsError(
                f"no setting is called {unknown[0]!r}",
                do=f"Choose from: {', '.join(sorted(known))}",
            )
        return dataclasses.replace(self, **changes)

    def explain(self, *names: str) -> list[SettingRow]:
        """Give the rows of these settings, or of all of them."""
        fields = {field.name: field for field in dataclasses.fields(self)}
        return [
            SettingRow(name, getattr(self, name), **fields[name].metadata)
            for name in names or fields
        ]
