"""Scripts: the answers of a careful model in the story, as YAML that a person
can read and edit.

An entry is keyed by what the person said, and by conditions on the data in the
request, so that a memory that is missing or there twice, a message that was
seen before, and a sentence that only a tool has printed each change the
answer. ``data/scripts/README.md`` describes the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from memlab.errors import ScriptError
from memlab.evidence.quotes import without_quotes
from memlab.memdir.memory import Memory, MemoryType
from memlab.models.request import ModelRequest
from memlab.models.standin.requests import Spoken, Task
from memlab.prompts.blocks import read_blocks
from memlab.text import as_blocks, block_text, fold_space, words

# C where PyYAML has it: ten times as fast
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_FOLDER = Path(__file__).resolve().parents[3] / "data" / "scripts"


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Part(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True
    )


class When(_Part):
    """Conditions that all have to hold.

    ``memory_contains`` is about the text that the model has read, by file;
    ``reply_contains`` and ``offer_contains`` about what the assistant said
    just after and just before the sentence.
    """

    manifest_has: Texts = ()
    manifest_lacks: Texts = ()
    memory_contains: Mapping[str, str] = Field(default_factory=dict)
    reply_contains: str = ""
    offer_contains: str = ""


class Change(_Part):
    """One file to be changed: ``write`` all of it, ``edit`` a text in it, or
    ``drop`` it.
    """

    write: str = Field("", alias="file")
    name: str = ""
    description: str = ""
    type: str = ""
    body: str = ""
    edit: str = ""
    old: str = ""
    new: str = ""
    drop: str = ""
    superseded_by: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Change:
        wanted = {
            "write": ("name", "description", "type", "body"),
            "edit": ("old",),
            "drop": ("superseded_by",) if self.superseded_by else ("reason",),
        }
        kinds = [kind for kind in wanted if getattr(self, kind)]
        if len(kinds) != 1:
            raise ValueError("needs exactly one of 'file', 'edit' and 'drop'")
        missing = [key for key in wanted[kinds[0]] if not getattr(self, key)]
        if missing:
            named = kinds[0].replace("write", "file")
            raise ValueError(
                f"needs {', '.join(map(repr, missing))} beside '{named}'"
            )
        if self.type and self.type not in MemoryType.__members__:
            raise ValueError(
                f"there is no type {self.type!r}: choose"
                f" {', '.join(MemoryType)}"
            )
        return self

    @property
    def memory(self) -> Memory:
        """The memory that is written."""
        return Memory(
            self.name, self.description, MemoryType.parse(self.type), self.body
        )

    @property
    def target(self) -> str:
        """The file that is changed."""
        return self.write or self.edit or self.drop


class ExtractEntry(_Part):
    """What is saved when the person says something; an empty ``save`` means
    nothing is.
    """

    said: str
    when: When = When()
    read: Texts = ()
    save: tuple[Change, ...] = ()

    @model_validator(mode="after")
    def _drops_nothing(self) -> ExtractEntry:
        if any(change.drop for change in self.save):
            raise ValueError(
                "an extraction drops no memory; only a dream does"
            )
        return self


class LogEntry(_Part):
    """The line that is added to the daily log when the person says
    something; an empty ``line`` means none is.
    """

    said: str
    when: When = When()
    line: str = ""


class NotesEntry(_Part):
    """The lines that go into the session's notes when the person says
    something; an empty ``note`` means none does.
    """

    said: str
    note: Texts


class ToolCall(_Part):
    """A tool call that is made as it is written."""

    name: str
    input: Mapping[str, Any]


class DreamStep(_Part):
    """An answer of a dream that looks around: tool calls, and memories to be
    read.
    """

    say: str = ""
    tools: tuple[ToolCall, ...] = ()
    read: Texts = ()

    @model_validator(mode="after")
    def _calls(self) -> DreamStep:
        if not (self.tools or self.read):
            raise ValueError("needs 'tools' or 'read'")
        return self


class DreamEntry(_Part):
    """What a dream does where the conditions hold: ``steps`` look around, and
    then all ``changes`` are made at once.
    """

    when: When = When()
    steps: tuple[DreamStep, ...] = ()
    read: Texts = ()
    changes: tuple[Change, ...] = ()
    say: str = ""


class Alternative(_Part):
    """An answer, taken if all ``if`` texts are in the data of the request.

    With ``offered``, the request has to offer exactly these tools.
    """

    needs: Texts = Field((), alias="if")
    offered: Texts | None = None
    say: str = ""
    tools: tuple[ToolCall, ...] = ()

    @model_validator(mode="after")
    def _answers(self) -> Alternative:
        if not (self.say.strip() or self.tools):
            raise ValueError("needs 'say' or 'tools'")
        return self

    def fits_tools(self, request: ModelRequest) -> bool:
        """Tell whether the request offers the tools that the answer is for."""
        if self.offered is None:
            return True
        return set(self.offered) == set(request.tool_names)


def _alternatives(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


class Turn(_Part):
    """The person's words, and one list of alternatives for each answer of the
    model.
    """

    user: str
    steps: Annotated[
        tuple[
            Annotated[tuple[Alternative, ...], BeforeValidator(_alternatives)],
            ...,
        ],
        Field(min_length=1),
    ]


class Script(_Part):
    """One file of scripts.

    With a list ``extract``, even an empty one, the script decides what is
    saved of its own turns; without one, the fallback rules do. It is the same
    with ``log`` and what is added to the daily log. ``notes`` is what goes
    into a session's notes. ``summary`` is what compaction leaves of the story.
    """

    title: str
    summary: str = ""
    main: tuple[Turn, ...] = ()
    extract: tuple[ExtractEntry, ...] | None = None
    log: tuple[LogEntry, ...] | None = None
    notes: tuple[NotesEntry, ...] = ()
    dream: tuple[DreamEntry, ...] = ()


def scripts_folder() -> Path | None:
    """Find the scripts of the course; None for an installed package, which has
    none.
    """
    return _FOLDER if _FOLDER.is_dir() else None


def notebook_scripts(number: int) -> list[Script]:
    """Read the scripts of one notebook."""
    folder = scripts_folder()
    files = folder.glob(f"{number:02d}_*.yaml") if folder else ()
    return [load_script(file) for file in sorted(files)]


def load_script(path: Path) -> Script:
    """Read a script; raises ScriptError, which names the file, the entry and
    the key.
    """
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=_YAML)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise ScriptError(
            f"cannot be read: {what}", where=path.name, do="Repair it"
        ) from error
    try:
        return Script.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = _place(path.name, first["loc"])
        what = str(first["msg"]).removeprefix("Value error, ")
        do = "data/scripts/README.md describes every key"
        raise ScriptError(
            what[:1].lower() + what[1:], where=where, do=do
        ) from error


def main_answer(
    scripts: Sequence[Script], request: ModelRequest, *, logged: int = 0
) -> tuple[Script, Alternative] | None:
    """Find the answer to the person's newest words, and the script that
    contains it.

    ``logged`` counts the answers that were only there to add to the daily
    log, which are in no script.
    """
    answered = request.answers_since - logged
    data = fold_space(_data(request)).lower()
    for script in scripts:
        for turn in script.main:
            same_words = fold_space(turn.user) == request.said
            if not same_words or answered >= len(turn.steps):
                continue
            for alternative in turn.steps[answered]:
                if not alternative.fits_tools(request):
                    continue
                if all(
                    fold_space(need).lower() in data
                    for need in alternative.needs
                ):
                    return script, alternative
    return None


def extract_entries(
    script: Script, task: Task, message: Spoken
) -> list[Sequence[ExtractEntry]] | None:
    """Give the entries for a new message: for each sentence those that may
    fire, in their order.

    None means that the script does not decide about this message. Conditions
    on the text of a memory are left to ``remembered``, because the memory has
    to be read first.
    """
    return _fitting(script, script.extract, task, message)


def logged_lines(
    script: Script, task: Task, message: Spoken
) -> list[str] | None:
    """Give the lines that a script adds to the daily log for a new message;
    None means that the script does not decide about it.
    """
    fitting = _fitting(script, script.log, task, message)
    if fitting is None:
        return None
    first = [entries[0].line.strip() for entries in fitting if entries]
    return [line for line in first if line]


Entry = TypeVar("Entry", ExtractEntry, LogEntry)


def _fitting(
    script: Script,
    entries: Sequence[Entry] | None,
    task: Task,
    message: Spoken,
) -> list[Sequence[Entry]] | None:
    if entries is None:
        return None
    fitting: dict[str, list[Entry]] = {}
    for entry in entries:
        if _says(message, entry.said):
            named = fitting.setdefault(fold_space(entry.said), [])
            if holds(entry.when, task, message):
                named.append(entry)
    whole = fold_space(message.text)
    if not fitting and not any(
        fold_space(turn.user) == whole for turn in script.main
    ):
        return None
    return list(fitting.values())


def notes_entries(script: Script, message: Spoken) -> list[NotesEntry]:
    """Give the entries for the session's notes that a message fires."""
    return [entry for entry in script.notes if _says(message, entry.said)]


def _says(message: Spoken, words: str) -> bool:
    """Tell whether the person says something in their own words."""
    return _padded(words) in _padded(without_quotes(message.text))


def holds(when: When, task: Task, message: Spoken | None = None) -> bool:
    """Check every condition but those on the texts of memories.

    ``manifest_has`` wants a file to be listed, and no second file with the
    same description: a duplicate is another situation.
    """
    about = [
        fold_space(header.description).lower() for header in task.manifest
    ]
    listed = {
        header.filename: about.count(fold_space(header.description).lower())
        for header in task.manifest
    }
    heard = message or Spoken("")
    return (
        all(listed.get(file) == 1 for file in when.manifest_has)
        and not any(file in listed for file in when.manifest_lacks)
        and fold_space(when.reply_contains) in fold_space(heard.after)
        and fold_space(when.offer_contains) in fold_space(heard.before)
    )


def remembered(when: When, files: Mapping[str, str]) -> bool:
    """Check the conditions on the texts of memories that have been read."""
    return all(
        fold_space(text) in fold_space(files.get(file, ""))
        for file, text in when.memory_contains.items()
    )


def to_read(
    entry: ExtractEntry | DreamEntry, listed: Sequence[str]
) -> Iterator[str]:
    """Name the files that have to be read before an entry can be decided on
    and applied.
    """
    changes = entry.save if isinstance(entry, ExtractEntry) else entry.changes
    yield from entry.read
    yield from entry.when.memory_contains
    for change in changes:
        if not change.write or change.target in listed:
            yield change.target


def _padded(text: str) -> str:
    """Give the words of a text so that only whole words are found in it."""
    return f" {' '.join(words(text))} "


def _data(request: ModelRequest) -> str:
    """Give the data of a request: the blocks of its system prompt, and its
    messages.

    A system prompt without blocks is none of memlab's, so that all of it is
    data.
    """
    system = "\n".join(
        map(block_text, as_blocks(request.body.get("system") or ()))
    )
    blocks = read_blocks(system)
    told = (
        [one.body for found in blocks.values() for one in found]
        if blocks
        else [system]
    )
    messages = [
        block_text(one)
        for each in request.messages
        for one in as_blocks(each["content"])
    ]
    return "\n".join([*told, *messages])


def _place(file: str, location: tuple[int | str, ...]) -> str:
    """Say where in a file an error is: ``two_weeks.yaml: extract 3, save 1,
    type``.
    """
    parts: list[str] = []
    for part in location:
        if isinstance(part, int) and parts:
            parts[-1] += f" {part + 1}"
        else:
            parts.append(str(part))
    return f"{file}: {', '.join(parts)}" if parts else file
