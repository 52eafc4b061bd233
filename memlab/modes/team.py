"""Team memory: a second directory of memories, which everybody who works on the
project shares through git.

The directory ``team/`` below the private memory is a clone that the person has
made. memlab never commits, pulls or pushes. It reads from git who changed a
memory last, and when, because the files themselves do not tell: git gives
every file the time of the checkout, and anybody can write any name into a
text. An author's name is no proof either, since git takes the one that the
writer has set. So whoever wrote a team memory, it is shown as information from
others, and no permission follows from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memlab.bridge import RealFiles
from memlab.clock import to_nanoseconds
from memlab.errors import MemlabError, MemoryFormatError
from memlab.memdir import scan
from memlab.memdir.frontmatter import MAX_BYTES
from memlab.memdir.index import pointer_to
from memlab.memdir.instructions import (
    INDEX_BYTES,
    ShownIndex,
    index_block,
    index_for_prompt,
    read_prompt_file,
)
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import (
    INDEX,
    INDEXES,
    TEAM,
    git_folders,
    index_of,
)
from memlab.memdir.scan import (
    conflict_line,
    one_line,
    scan_memory_files,
)
from memlab.memdir.secrets import find_secrets
from memlab.memdir.team import (
    merged_index,
    team_index_text,
    team_memory_time,
)
from memlab.modes.index_news import IndexNews
from memlab.modes.mode import Mode, ModeHost, SectionValues
from memlab.modes.team_git import git_log
from memlab.prompts.blocks import block
from memlab.recall.attach import Provenance
from memlab.text import shorten, text_lines

TEAM_INDEX = INDEXES[1]
TEMPORARY = ".memlab-*"
AUTHOR_CHARACTERS = 60
SWITCHED_OFF = "team memory is switched off"
_LOG = (
    "-c",  # of a merge, the files that differ from both sides
    "--root",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "-z",
    "--format=commit %H %ct %an",
)
_COMMIT = re.compile(r"commit ([0-9a-f]{40,64}) (\d+) (.*)", re.DOTALL)


@dataclass(frozen=True)
class Commit:
    """The commit that gave a file its present content; ``author`` is what the
    writer's git was set to.
    """

    author: str
    time: datetime


@dataclass(frozen=True)
class Version:
    """A content that a file has had, by the hash that git gives it, and the
    commit that brought it. Of a shallow clone's oldest commit nobody knows
    what it changed, so it is None.
    """

    blob: str
    commit: Commit | None


def read_log(
    output: str, oldest: frozenset[str] = frozenset()
) -> dict[str, list[Version]]:
    """Read what git log prints: the versions of each file, newest first.

    ``oldest`` are the commits at which a shallow clone begins.
    """
    versions: dict[str, list[Version]] = {}
    commit: Commit | None = None
    parts = iter(output.split("\0"))
    for part in parts:
        head = _COMMIT.match(part)
        if head:
            time = datetime.fromtimestamp(int(head[2]), UTC)
            author = shorten(one_line(head[3]), AUTHOR_CHARACTERS)
            commit = Commit(author or "unknown", time)
            if head[1] in oldest:
                commit = None
            continue
        change = part.lstrip("\n")
        if not change.startswith(":"):
            continue
        # the modes, then the hashes, before and after, then a letter
        blob = change.split(" ")[-2]
        path = next(parts, "")
        versions.setdefault(path, []).append(Version(blob, commit))
    return versions


def git_hashes(data: bytes, like: str) -> set[str]:
    """Give the hashes that git may have for a content, in the format of
    another hash. On some systems git has changed the line ends.
    """
    algorithm = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    contents = {data, data.replace(b"\r\n", b"\n")}
    return {
        algorithm(b"blob %d\0" % len(content) + content).hexdigest()
        for content in contents
    }


class TeamMemory(Mode):
    """The team's directory in one conversation.

    ``folder`` is where it is, or would be.
    """

    toggle = "team"

    def __init__(self, host: ModeHost) -> None:
        super().__init__(host)
        self.memory = host.paths.memory_dir
        self.folder = self.memory / TEAM
        self._files = RealFiles(self.memory)
        self._log: Mapping[str, list[Version]] = {}
        self._git_state: tuple[object, ...] | None = None
        self._judged: dict[str, tuple[tuple[int, ...], str]] = {}
        self._said: set[str] = set()
        self._news = IndexNews(self.folder, f"{TEAM}/", text=self._index_text)

    @property
    def usable(self) -> bool:
        """Whether there is a directory to use: a real one, and no link."""
        return not self._trouble()

    def begin(self) -> None:
        """Look after the clone: find out who wrote what, give the files their
        times, and put the index in order.
        """
        trouble = self._trouble()
        if trouble:
            self._say(trouble)
            return
        self._git_state = self._look_at_git()
        self._log = self._read_log()
        self._set_times()
        if self.host.saves():
            self._exclude_temporary_files()
            self._put_index_in_order()

    def section_values(self) -> SectionValues:
        """Return the team's directory and what is shown of its index, which
        the conversation knows from now on.
        """
        if not self.usable:
            return {}
        self._news.start_over()
        return {"team": self.folder, "team_index": self.index()}

    def section(self) -> str:
        """Return the team's index where the memory section has no place for
        it: in a daily-log session it is only read.
        """
        if not self.host.toggles().daily_log or not self.usable:
            return ""
        prompts = self.host.runtime.prompts
        shown = self.host.context.show(self.folder)
        return prompts.section(
            "reminders",
            "team_index_read_only",
            team_directory=block("team_directory", shown),
            team_index=index_block("team_index", self.index(), prompts),
        )

    def reminders(self) -> list[str]:
        """Return what has changed in the team's index, after looking whether
        git has changed the clone.
        """
        if not self.usable:
            return []
        if self._git_state != self._look_at_git():
            self.begin()
        return self._news.collect(self.host.runtime.prompts)

    def take_back(self) -> None:
        """Treat the newest news of the index as unknown again."""
        self._news.take_back()

    def hides(self, file: str) -> str:
        """Say why a team memory is not shown: it is switched off, or the file
        is not fit to be shown.
        """
        if index_of(file) != TEAM_INDEX:
            return ""
        if not self.active:
            return SWITCHED_OFF
        return self.unfit(file)

    def closed(self) -> Mapping[str, str]:
        """Keep every tool out of the directory while it is switched off."""
        return {} if self.active else {TEAM: SWITCHED_OFF}

    def refuses(self, file: str, who: str) -> str:
        """Say why no model may write a file of the team."""
        if index_of(file) != TEAM_INDEX:
            return ""
        if not self.active:
            return (
                f"Team memory is switched off, so nothing in {TEAM}/ is"
                " changed. Save it in the private memory"
            )
        trouble = self._trouble()
        if trouble:
            return trouble.removesuffix(".")
        folder = (self.memory / file).parent
        if not folder.is_dir():
            return (
                f"There is no folder {one_line(folder.name)}/ in {TEAM}/, and"
                " only a person may make one. Write the memory to"
                f" {TEAM}/{one_line(Path(file).name)}, or in private if it is"
                " about a person"
            )
        return ""

    def provenance(self, file: str) -> Provenance | None:
        """Say who wrote a team memory, as far as git knows."""
        if index_of(file) != TEAM_INDEX:
            return None
        commit = self.commit_of(file)
        if commit is not None:
            author = commit.author
        elif self._versions(file):
            author = "changed here, not committed"
        else:
            author = "author unknown"
        note = self.host.runtime.prompts.section("reminders", "from_team")
        return Provenance(f"{TEAM}: {author}", note)

    def commit_of(self, file: str) -> Commit | None:
        """Find the commit that a memory's present content comes from; None if
        it was changed here since then, or git does not know it.
        """
        if index_of(file) != TEAM_INDEX:
            return None
        with suppress(OSError, MemlabError):
            data = self._files.read(self.memory / file).data
            return self._commit_of(file, data or b"")
        return None

    def unfit(self, file: str) -> str:
        """Say why a memory is never listed or recalled, whoever wrote it; ""
        for one that may be.
        """
        path = self.memory / file
        try:
            status = os.lstat(path)
        except OSError as error:
            return error.strerror or str(error)
        state = (
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )
        known = self._judged.get(file)
        if known is None or known[0] != state:
            known = (state, self._judge(path))
            self._judged[file] = known
        return known[1]

    def index(self) -> ShownIndex:
        """Return the team's index as a prompt shows it: made by code, within
        the caps, with nothing but lines about memories that may be shown.
        """
        runtime = self.host.runtime
        return index_for_prompt(
            self._index_text(), runtime.settings, runtime.prompts
        )

    def _index_text(self) -> str:
        settings = self.host.runtime.settings
        every = settings.with_changes(scan_max_files=1_000_000)
        pointers = {
            header.filename: pointer_to(
                header.filename, header.name, header.description
            )
            for header in scan_memory_files(self.folder, every)
            if not self.unfit(f"{TEAM}/{header.filename}")
        }
        shown = team_index_text(self._index_file(), pointers, settings)
        return "".join(
            line for line in text_lines(shown) if not find_secrets(line)
        )

    def _index_file(self) -> str:
        file = read_prompt_file(
            self.folder / INDEX, inside=self.folder, most=INDEX_BYTES
        )
        self._say(file.notice and f"{TEAM}/{file.notice}")
        return file.text

    def _judge(self, path: Path) -> str:
        try:
            data = self._files.read(path).data or b""
        except MemoryFormatError as error:
            return error.what
        except OSError as error:
            return error.strerror or str(error)
        if len(data) > MAX_BYTES:
            return "it is larger than a memory may be"
        text = data.decode("utf-8", "replace")
        line = conflict_line(text)
        if line:
            return f"it has a git conflict on line {line}"
        for secret in find_secrets(text):
            line = secret.line_in(text)
            return f"line {line} looks like it contains a {secret.kind}"
        return ""

    def _trouble(self) -> str:
        """Say why the directory cannot be used; "" if it can."""
        shown = self.host.context.show(self.folder)
        clone = f"Clone your team's repository: git clone URL {shown}"
        try:
            mode = os.lstat(self.folder).st_mode
        except OSError:
            return f"Team memory is on, but there is no {TEAM}/. {clone}"
        if stat.S_ISLNK(mode):
            return (
                f"Team memory is not used: {shown} is a link, and memory"
                f" follows none. {clone}"
            )
        if not stat.S_ISDIR(mode):
            return f"Team memory is not used: {shown} is not a folder. {clone}"
        return ""

    def _git_folder(self) -> Path | None:
        """Give the git directory of the clone, None if it is no clone."""
        with suppress(ValueError, OSError):
            return git_folders(Path(os.path.realpath(self.folder)))[0]
        return None

    def _why_no_history(self) -> str:
        """Say why git is not asked about the team's folder."""
        if not os.path.lexists(self.folder / ".git"):
            return f"{TEAM}/ is not a git clone"
        return (
            f"memlab cannot use the git data of {TEAM}/, as it cannot that of"
            " a submodule or of a worktree that was moved (a clone of its own"
            " would do)"
        )

    def _look_at_git(self) -> tuple[object, ...]:
        """Give what is different once git has changed the clone; it costs four
        stats.
        """
        folder = self._git_folder()
        if folder is None:
            return (None,)
        state: list[object] = []
        for name in ("HEAD", "index", "logs/HEAD", "packed-refs"):
            try:
                status = os.stat(folder / name)
            except OSError:
                state.append(None)
                continue
            state.append((status.st_ino, status.st_size, status.st_mtime_ns))
        return tuple(state)

    def _read_log(self) -> dict[str, list[Version]]:
        """Ask git once who changed which file."""
        folder = self._git_folder()
        if folder is None:
            self._say(
                f"{self._why_no_history()}, so nobody knows who wrote its"
                " memories, and their times are taken from their headers."
            )
            return {}
        most = self.host.runtime.settings.team_max_commits
        try:
            limit = f"--max-count={most}"
            output = git_log(*_LOG, limit, cwd=self.folder, root=self.memory)
        except MemlabError as error:
            self._say(
                f"Nobody knows who wrote the memories in {TEAM}/, and their"
                f" times are taken from their headers: {error}"
            )
            return {}
        oldest = ""
        with suppress(OSError, UnicodeDecodeError):
            oldest = (folder / "shallow").read_text("ascii")
        return read_log(output, frozenset(oldest.split()))

    def _versions(self, file: str) -> list[Version]:
        return self._log.get(file.removeprefix(f"{TEAM}/"), [])

    def _commit_of(self, file: str, data: bytes) -> Commit | None:
        versions = self._versions(file)
        hashes = git_hashes(data, versions[0].blob) if versions else set()
        return next(
            (each.commit for each in versions if each.blob in hashes), None
        )

    def _set_times(self) -> None:
        """Give each memory that git has checked out the time at which it was
        written.

        A file that was changed here, and not committed, has its own time.
        """
        with suppress(OSError):
            for name in self._files.walk(self.folder):
                if scan.is_memory_file(name):
                    with suppress(OSError, MemlabError):
                        self._set_time(f"{TEAM}/{name}")

    def _set_time(self, file: str) -> None:
        path = self.memory / file
        found = self._files.read(path)
        if found.data is None:
            return
        written = self._written(file, found.data)
        if written is None or to_nanoseconds(written) == found.mtime:
            return
        self._files.set_mtime(path, to_nanoseconds(written))
        now = self._files.read(path).data
        if now is not None and now != found.data:
            # somebody was quicker, and what they wrote is new
            stamp = to_nanoseconds(self.host.runtime.clock.now())
            self._files.set_mtime(path, stamp)

    def _written(self, file: str, data: bytes) -> datetime | None:
        """Say when a memory was written; None if its file has the right time,
        or nobody knows.
        """
        now = self.host.runtime.clock.now()
        modified = None
        with suppress(MemoryFormatError):
            modified = parse_memory(data).modified_at
        commit = self._commit_of(file, data)
        if commit is not None:
            return team_memory_time(modified, commit.time, now)
        if modified is not None and not self._versions(file):
            return team_memory_time(modified, now, now)
        return None

    def _exclude_temporary_files(self) -> None:
        """Have git ignore the files that a write makes for a moment, so that
        none is ever committed.
        """
        git = self.folder / ".git"
        exclude = git / "info" / "exclude"
        with suppress(OSError):
            if not stat.S_ISDIR(os.lstat(git).st_mode):
                return
            there = self._files.read(exclude).data or b""
            if TEMPORARY.encode() in there.splitlines():
                return
            self._files.make_directory(exclude.parent, 0o755)
            gap = b"" if there.endswith(b"\n") or not there else b"\n"
            line = gap + TEMPORARY.encode() + b"\n"
            self._files.append(exclude, line, 0o644)
            self._say(
                f"Added {TEMPORARY} to {TEAM}/.git/info/exclude, so that a"
                " temporary file of memlab's is never committed."
            )

    def _put_index_in_order(self) -> None:
        """Make the index on the disk list every memory again, after a merge
        has left a conflict in it or lost a line.

        None is made where the clone has none: git would refuse to pull one.
        """
        store = self.host.context.store
        if store is None or not (self.folder / INDEX).exists():
            return
        session = self.host.record.transcript.session
        try:
            data = store.folder.read(TEAM_INDEX).data or b""
            text = data.decode("utf-8", "surrogateescape")
            conflict = conflict_line(text)
            merged = merged_index(text).encode("utf-8", "surrogateescape")
            written = store.commit(
                "index", {TEAM_INDEX: merged}, who="user", session=session
            )
        except MemlabError as error:
            reason = self.host.context.hide(str(error))
            self._say(f"{TEAM_INDEX} was not put in order: {reason}")
            return
        if not written.change:
            return
        shown = self.host.context.show(self.folder)
        if conflict:
            self.host.notice(
                f"Git had left a conflict in {TEAM_INDEX}, so it was made"
                " again from both sides and from the memories. To tell git:"
                f" git -C {shown} add {INDEX}"
            )
        else:
            self.host.notice(
                f"{TEAM_INDEX} no longer matched the memories, so it was"
                " put in order. To bring the old one back: /undo"
                f" {written.change}"
            )

    def _say(self, notice: str) -> None:
        """Tell the person something, but not twice in a session."""
        if notice and notice not in self._said:
            self._said.add(notice)
            self.host.notice(one_line(notice))
