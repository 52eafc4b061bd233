"""The table of prompts that memlab sends, and the loader; each text is a file
beside this one.

The files are texts for a person to edit. A placeholder is a name in double
braces, ``{{manifest}}``; single braces are ordinary text, so a prompt can show
JSON. ``PROMPTS`` says which placeholders a file has to contain, which ones it
may contain, and which block of data each one becomes. There is no logic in a
prompt: what varies is computed by the caller and passed by name. Plain values
are data, so memlab's own tags in them are neutralised; rendered blocks are
kept as they are.

A person's own prompts are a folder that contains only the files that they
changed (``Prompts(folder)``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from memlab.errors import PromptError
from memlab.prompts.blocks import Rendered, block, neutralise

FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\{\{([^{}\n]*)\}\}")
_SECTION = re.compile(r"^# (\w+) *$", re.MULTILINE)


@dataclass(frozen=True)
class Placeholder:
    """A name in double braces: what it holds, and the tag of its block.

    ``block`` is empty for a plain value. Without a ``required`` placeholder
    the model would miss what it has to work on; the text may leave out the
    others. The caller passes a value for each.
    """

    name: str
    holds: str
    block: str = ""
    required: bool = False

    def __str__(self) -> str:
        return f"{{{{{self.name}}}}}"


def _data(tag: str, holds: str) -> Placeholder:
    return Placeholder(tag, holds, block=tag, required=True)


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One prompt: what it is for, who reads it, and its placeholders.

    A prompt with ``sections`` consists of parts below ``# name``, each with
    its own placeholders.
    """

    purpose: str
    read_by: str
    placeholders: tuple[Placeholder, ...] = ()
    sections: Mapping[str, tuple[Placeholder, ...]] = field(
        default_factory=dict
    )


_DIRECTORY = _data("memory_directory", "the path of the memory directory")
_MANIFEST = _data("manifest", "the list of all memories")
_INSTRUCTIONS = _data("instructions", "what the project's CLAUDE.md says")
_INDEX = _data("index", "MEMORY.md, as far as it fits")
_TEAM_DIRECTORY = _data("team_directory", "the path of the shared directory")
_TEAM_INDEX = _data("team_index", "the memories of the shared directory")
_AGE = Placeholder("age", "when it was written, such as '3 days ago'")

PROMPTS: Mapping[str, Prompt] = {
    "agent": Prompt(
        purpose=(
            "how the coding agent works, and the project's own instructions"
        ),
        read_by="the main model, in every request",
        placeholders=(
            _INSTRUCTIONS,
            Placeholder("project", "the path of the project's folder"),
        ),
    ),
    "compact": Prompt(
        purpose="how to summarise a conversation that has grown too long",
        read_by="the main model, when the conversation is compacted",
    ),
    "dream": Prompt(
        purpose="how to consolidate the memory",
        read_by="the fork that dreams",
        placeholders=(
            _DIRECTORY,
            _data("sessions", "the transcripts since the last consolidation"),
            _MANIFEST,
            Placeholder(
                "logs",
                "the daily logs since then, where there are any",
                block="logs",
            ),
            Placeholder("now", "the time of the dream", required=True),
            Placeholder("last", "the time of the last consolidation"),
            Placeholder("index_lines", "the index's limit in lines"),
            Placeholder("index_bytes", "the index's limit in bytes"),
            Placeholder("line_characters", "the limit for one line of it"),
            Placeholder("turns", "how many turns the dream has"),
        ),
    ),
    "extract": Prompt(
        purpose="what to save from the newest messages",
        read_by="the fork that extracts",
        placeholders=(
            _data(
                "new_messages", "which messages of the conversation are new"
            ),
            _DIRECTORY,
            _MANIFEST,
            _INSTRUCTIONS,
            Placeholder("turns", "how many turns the extraction has"),
        ),
    ),
    "memory": Prompt(
        purpose="what memory is for, how it is written, and the index",
        read_by="the main model, in every request, and both forks with it",
        placeholders=(_DIRECTORY, _INDEX),
    ),
    "memory_daily_log": Prompt(
        purpose="the same where notes are appended to a daily log",
        read_by="the main model in daily-log mode",
        placeholders=(
            _DIRECTORY,
            _data("log_path", "the path of a day's log, as a pattern"),
            _INDEX,
        ),
    ),
    "memory_personal": Prompt(
        purpose="what memories about the person in all projects are",
        read_by="the main model where personal memory is switched on",
        placeholders=(
            _data("personal_directory", "the path of the personal directory"),
            _data("personal_index", "the MEMORY.md of that directory"),
        ),
    ),
    "memory_team": Prompt(
        purpose="the same where part of the memory is shared with the team",
        read_by="the main model in a project with a team memory",
        placeholders=(
            _DIRECTORY,
            _TEAM_DIRECTORY,
            _INDEX,
            _TEAM_INDEX,
        ),
    ),
    "pick": Prompt(
        purpose="which of two notes helps, for a model too small to select",
        read_by="the model under test, in the task `pick` of the bench",
        sections={
            "instructions": (),
            "question": (
                Placeholder("notes", "the two descriptions", required=True),
                Placeholder("message", "the message", required=True),
            ),
        },
    ),
    "reminders": Prompt(
        purpose="what is attached to a message, one section for each occasion",
        read_by="the main model, in the user turn",
        sections={
            "recalled": (
                _AGE,
                Placeholder(
                    "provenance",
                    "the section that says that a teammate wrote it",
                ),
                _data("memory", "the file that was recalled"),
                Placeholder("links", "the section with the files it links to"),
                Placeholder("cut_note", "where it was cut", block="cut_note"),
            ),
            "written": (_AGE,),
            "written_long_ago": (_AGE,),
            "from_team": (),
            "from_personal": (),
            "links": (Placeholder("files", "the files it links to"),),
            "cut": (
                Placeholder("path", "the file's path"),
                Placeholder("line", "the first line that is missing"),
            ),
            "date": (
                _data("date", "the day of the person"),
                Placeholder("zone", "their time zone"),
            ),
            "daily_log": (
                _data("daily_log", "the end of today's log"),
                Placeholder("cut", "the next section, or nothing"),
            ),
            "daily_log_cut": (
                Placeholder("count", "how many lines are not shown"),
            ),
            "index_news": (_data("index_news", "what changed in the index"),),
            "index_news_new": (
                Placeholder("pointers", "the new lines", required=True),
            ),
            "index_news_more": (
                Placeholder("count", "how many lines are not shown"),
            ),
            "index_news_gone": (
                Placeholder("files", "the files", required=True),
            ),
            "index_nearly_full": (
                Placeholder("lines", "the index's size in lines"),
                Placeholder("bytes", "its size in bytes"),
                Placeholder("limits", "both limits"),
            ),
            "memory_switch": (
                _data("memory_switch", "one of the next three sections"),
            ),
            "memory_full": (),
            "memory_recall_only": (),
            "memory_off": (),
            "interrupted": (),
            "cut_off": (),
            "summary": (_data("summary", "what compaction left"),),
            "summary_lost": (),
            "session_notes": (
                _data("session_notes", "the notes of the session"),
            ),
            "index": (_INDEX,),
            "index_elsewhere": (),
            "team_index_read_only": (_TEAM_DIRECTORY, _TEAM_INDEX),
            "empty_index": (),
            "index_cut": (
                Placeholder("limit", "which limits were exceeded"),
                Placeholder("lines", "the index's size in lines"),
                Placeholder("bytes", "its size in bytes"),
                Placeholder("missing", "the next section, or nothing"),
            ),
            "index_cut_missing": (
                Placeholder("files", "files whose pointers are not shown"),
            ),
        },
    ),
    "select": Prompt(
        purpose="which memories to choose, and the list of all memories",
        read_by=(
            "the smaller model of the side-query, as its system prompt; the"
            " same all session, so that it can be cached"
        ),
        placeholders=(
            _MANIFEST,
            Placeholder("limit", "how many memories may be chosen"),
        ),
    ),
    "select_request": Prompt(
        purpose="the message to choose memories for",
        read_by="the smaller model of the side-query",
        placeholders=(
            _data("query", "the person's message"),
            _data("already_shown", "memories that this session has seen"),
            _data("tools_in_use", "the tools used lately"),
        ),
    ),
    "session_memory": Prompt(
        purpose="how to bring a session's notes up to date",
        read_by="the fork that keeps the session's notes",
        placeholders=(
            _data(
                "new_messages", "which messages of the conversation are new"
            ),
            _data("notes_file", "the path of the notes"),
            _data("session_notes", "the notes as they are now"),
            Placeholder("bytes", "the limit of the notes in bytes"),
            Placeholder("turns", "how many turns the run has"),
        ),
    ),
    "tools": Prompt(
        purpose="what each tool does and takes",
        read_by="the main model, in every request, and both forks with it",
        sections=dict.fromkeys(
            ("Read", "Grep", "Glob", "Bash", "Edit", "Write"), ()
        ),
    ),
}


def prompt_names() -> list[str]:
    """List the prompts in alphabetical order."""
    return sorted(PROMPTS)


class Prompts:
    """The prompts of one agent: the files of ``folder`` that there are, and
    memlab's own for the rest.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._texts: dict[str, str] = {}

    def check(self) -> None:
        """Check every prompt, and keep the texts: a session goes on with the
        prompts it began with.

        Raises PromptError for the first that is wrong.
        """
        if self.folder is not None and not self.folder.is_dir():
            raise PromptError(
                "there is no such folder of prompts",
                where=self.folder,
                do="Make it, or remove the setting that names it",
            )
        for path in sorted(self.folder.glob("*.md")) if self.folder else ():
            _known(path.stem, path)
        self._texts = {name: self._read(name) for name in PROMPTS}

    def own(self, name: str) -> bool:
        """Tell whether the person's folder has a file for this prompt."""
        return (
            self.folder is not None and (self.folder / f"{name}.md").exists()
        )

    def path(self, name: str) -> Path:
        """Return the file that a prompt is read from."""
        folder = self.folder if self.own(name) else None
        return (folder or FOLDER) / f"{name}.md"

    def text(self, name: str) -> str:
        """Read a prompt's file and check it; raises PromptError."""
        _known(name, f"{name}.md")
        return self._texts.get(name) or self._read(name)

    def _read(self, name: str) -> str:
        path = self.path(name)
        where = path if self.own(name) else path.name
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise PromptError(
                "the file of this prompt is missing",
                where=where,
                do=f"Put it into {FOLDER}",
            ) from error
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(
                f"this prompt cannot be read: {error}",
                where=where,
                do="Write it again, as UTF-8",
            ) from error
        prompt = PROMPTS[name]
        if not prompt.sections:
            _check(where, text, 1, prompt.placeholders)
            return text.strip()
        sections = _sections(text)
        for section, placeholders in prompt.sections.items():
            if section not in sections:
                raise PromptError(
                    f"the section '# {section}' is missing",
                    where=where,
                    do="Copy it from the prompt that memlab comes with",
                )
            line, part = sections[section]
            _check(where, part, line, placeholders)
        for section, (line, _) in sections.items():
            if section not in prompt.sections:
                raise PromptError(
                    f"'# {section}' is not a section of this prompt",
                    where=f"{where}:{line - 1}",
                    do=f"It has: {', '.join(prompt.sections)}",
                )
        return text.strip()

    def load(self, name: str, **values: str) -> Rendered:
        """Fill in a prompt's placeholders; raises PromptError unless there is
        one value for each.
        """
        placeholders = PROMPTS[name].placeholders if name in PROMPTS else ()
        return _filled(name, self.text(name), placeholders, values)

    def section(self, name: str, section: str, **values: str) -> Rendered:
        """Fill in one section of a prompt, as ``load`` does."""
        _, text = _sections(self.text(name))[section]
        filled = _filled(
            f"{name}, {section}",
            text.strip(),
            PROMPTS[name].sections[section],
            values,
        )
        return Rendered(re.sub(r"\n{3,}", "\n\n", filled).strip())

    def reminder(self, section: str, **values: str) -> Rendered:
        """Render a section of ``reminders.md`` as the block that is attached
        to a message.
        """
        text = self.section("reminders", section, **values)
        return block("system-reminder", text)

    def diff(self, name: str) -> str:
        """Show how the person's file differs from memlab's; empty where it
        does not.
        """
        if not self.own(name):
            return ""
        theirs = self.path(name)
        lines = unified_diff(
            (FOLDER / f"{name}.md").read_text("utf-8").splitlines(),
            theirs.read_text("utf-8").splitlines(),
            f"memlab's {name}.md",
            str(theirs),
            lineterm="",
        )
        return "\n".join(lines)


SHIPPED = Prompts()
"""The prompts that memlab comes with."""


def prompt_text(name: str) -> str:
    """Read a prompt that memlab comes with; raises PromptError."""
    return SHIPPED.text(name)


def load_prompt(name: str, **values: str) -> Rendered:
    """Fill in a prompt that memlab comes with; raises PromptError."""
    return SHIPPED.load(name, **values)


def _known(name: str, where: object) -> None:
    if name not in PROMPTS:
        raise PromptError(
            "there is no such prompt",
            where=where,
            do=f"Choose from: {', '.join(prompt_names())}",
        )


def _sections(text: str) -> dict[str, tuple[int, str]]:
    """Split a text at its lines ``# name``: the first line of each section,
    and its text.
    """
    heads = list(_SECTION.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {
        head[1]: (
            text.count("\n", 0, head.end()) + 2,
            text[head.end() : end].strip("\n"),
        )
        for head, end in zip(heads, ends, strict=True)
    }


def _filled(
    name: str,
    text: str,
    placeholders: tuple[Placeholder, ...],
    values: Mapping[str, str],
) -> Rendered:
    wanted = [placeholder.name for placeholder in placeholders]
    missing = [one for one in placeholders if one.name not in values]
    if missing:
        raise PromptError(
            f"no value for {_shown(missing)}",
            where=name,
            do="Pass one by name",
        )
    unknown = [value for value in values if value not in wanted]
    if unknown:
        raise PromptError(
            f"no placeholder for the value {', '.join(unknown)}",
            where=name,
            do=f"It has: {_shown(placeholders)}",
        )
    safe = {
        key: value if isinstance(value, Rendered) else neutralise(value)
        for key, value in values.items()
    }
    return Rendered(_PLACEHOLDER.sub(lambda found: safe[found[1]], text))


def _check(
    where: object,
    text: str,
    first_line: int,
    placeholders: tuple[Placeholder, ...],
) -> None:
    """Compare the placeholders in a text with the table."""
    known = {placeholder.name for placeholder in placeholders}
    present = set()
    lines = text.splitlines()
    for number, line in enumerate(lines, first_line):
        for name in _PLACEHOLDER.findall(line):
            if name not in known:
                raise PromptError(
                    f"{{{{{name}}}}} is not a placeholder of this prompt",
                    where=f"{where}:{number}",
                    do=(
                        f"Use {_shown(placeholders)}, or single braces for"
                        " ordinary text"
                    ),
                )
            present.add(name)
    for placeholder in placeholders:
        if placeholder.required and placeholder.name not in present:
            kind = (
                f"the block <{placeholder.block}>"
                if placeholder.block
                else "a value"
            )
            raise PromptError(
                f"the text does not contain {placeholder}, {kind} with"
                f" {placeholder.holds}",
                where=f"{where}:{first_line + max(len(lines), 1) - 1}",
                do=(
                    f"Add {placeholder} where the model is to read it, for"
                    " example below this line"
                ),
            )


def _shown(placeholders: list[Placeholder] | tuple[Placeholder, ...]) -> str:
    return ", ".join(map(str, placeholders)) or "none"
