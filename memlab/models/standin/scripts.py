"""Scripts: the answers of a careful model in the story, as YAML that a person
can read and edit.

An entry is keyed by what the person said, and by conditions on the data in the
request, so that a memory that is missing or there twice, a message that was
seen before, and a sentence that only a tool has printed each change the
answer. ``data/scripts/README.md`` describes the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from memlab.errors import ScriptError
from memlab.evidence.quotes import without_quotes
from memlab.memdir.memory import Memory, MemoryType, format_memory
from memlab.models.request import ModelRequest
from memlab.models.standin.calls import (
    Call,
    call_tools,
    drop,
    edit,
    path_of,
    write,
)
from memlab.models.standin.task import Spoken, Task
from memlab.models.wire import Reply
from memlab.prompts.blocks import read_blocks
from memlab.text import block_text, fold_space, request_blocks, words

# C where PyYAML has it: ten times as fast
_YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FOLDER = Path(__file__).resolve().parents[3] / "data" / "scripts"


def _as_list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class When(_Part):
    """Conditions that all have to hold."""

    manifest_has: Texts = ()
    manifest_lacks: Texts = ()
    memory_contains: Mapping[str, str] = Field(default_factory=dict)
    offer_contains: str = ""


class Change(_Part):
    """One file: ``file`` is written whole, ``edit`` has a text replaced,
    ``drop`` is dropped.
    """

    file: str = ""
    name: str = ""
    description: str = ""
    type: MemoryType | None = None
    body: str = ""
    edit: str = ""
    old: str = ""
    new: str = ""
    drop: str = ""
    superseded_by: str = ""
    reason: str = ""

    def call(self, task: Task) -> Call:
        """Give the tool call that makes this change."""
        if self.edit:
            return edit(task, self.edit, self.old, self.new)
        if self.drop:
            return drop(task, self.drop, self.superseded_by, self.reason)
        memory = Memory(self.name, self.description, self.type, self.body)
        return write(task, self.file, format_memory(memory))


class ToolCall(_Part):
    """A tool call that is made as it is written."""

    name: str
    input: Mapping[str, Any]


class Answer(_Part):
    """An answer; ``read`` are memories that a dream reads.

    It is taken if all ``if`` texts are in the data of the request and, with
    ``offered``, if that offers exactly these tools.
    """

    needs: Texts = Field((), alias="if")
    offered: Texts | None = None
    say: str = ""
    tools: tuple[ToolCall, ...] = ()
    read: Texts = ()

    def reply(self, task: Task) -> Reply:
        """Give the answer as it goes back to the agent."""
        reads = [
            ("Read", {"file_path": path_of(task, file)}) for file in self.read
        ]
        calls = [(tool.name, tool.input) for tool in self.tools]
        return call_tools(task, [*calls, *reads], self.say)


class Entry(_Part):
    """What follows from a sentence of the person's, or in a dream from the
    conditions alone.

    That is ``save``, or ``line`` for the daily log; in a dream first the
    ``steps``, then all ``changes`` at once.
    """

    said: str = ""
    when: When = When()
    save: tuple[Change, ...] = ()
    line: str = ""
    steps: tuple[Answer, ...] = ()
    changes: tuple[Change, ...] = ()
    say: str = ""


_Step = Annotated[tuple[Answer, ...], BeforeValidator(_as_list)]


class Turn(_Part):
    """The person's words, and for each answer to them its alternatives."""

    user: str
    steps: Annotated[tuple[_Step, ...], Field(min_length=1)]


class Script(_Part):
    """One file of scripts.

    With a list ``extract`` or ``log``, even an empty one, the script alone
    decides what is saved or logged of its own turns; without one, the fallback
    rules do.
    """

    title: str
    summary: str = ""
    main: tuple[Turn, ...] = ()
    extract: tuple[Entry, ...] | None = None
    log: tuple[Entry, ...] | None = None
    dream: tuple[Entry, ...] = ()


def scripts_folder() -> Path | None:
    """Find the scripts of the course; an installed package has none."""
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
        return Script.model_validate(raw)
    except (
        OSError,
        UnicodeDecodeError,
        yaml.YAMLError,
        ValidationError,
    ) as error:
        do = "Repair it: data/scripts/README.md describes every key"
        what = fold_space(str(error))
        raise ScriptError(what, where=path.name, do=do) from error


def main_answer(
    scripts: Sequence[Script], request: ModelRequest, *, logged: int = 0
) -> tuple[Script, Answer] | None:
    """Find the answer to the person's newest words, and its script.

    ``logged`` counts the answers that only added to the daily log, which are
    in no script.
    """
    answered = request.answers_since - logged
    data = fold_space(_data(request)).lower()
    offered = set(request.tool_names)
    for script in scripts:
        turns = [t for t in script.main if fold_space(t.user) == request.said]
        steps = [turn.steps[answered : answered + 1] for turn in turns]
        for one in chain(*chain(*steps)):
            is_offered = one.offered is None or {*one.offered} == offered
            needed = [fold_space(need).lower() for need in one.needs]
            if is_offered and all(need in data for need in needed):
                return script, one
    return None


def _data(request: ModelRequest) -> str:
    """Give the blocks of a request's system prompt, and its messages.

    A system prompt without blocks is none of memlab's: all of it is data.
    """
    parts = [(kind, block_text(b)) for kind, b in request_blocks(request.body)]
    system = "\n".join(text for kind, text in parts if kind == "system")
    found = [one.body for all_ in read_blocks(system).values() for one in all_]
    said = [text for kind, text in parts if kind.startswith("messages")]
    return "\n".join([*(found or [system]), *said])


def deciding(
    scripts: Sequence[Script],
    part: Literal["extract", "log"],
    task: Task,
    message: Spoken,
) -> tuple[str, list[Entry]] | None:
    """Give the title of the script that decides about a message, and the
    entries that may fire; None if no script does.

    Conditions on the text of a memory are left to ``remembered``, because the
    memory has to be read first.
    """
    for script in scripts:
        entries = getattr(script, part)
        said = [one for one in entries or () if says(message, one.said)]
        turns = {fold_space(turn.user) for turn in script.main}
        is_own = entries is not None and fold_space(message.text) in turns
        if said or is_own:
            held = [
                one for one in said if holds(one.when, task, message.before)
            ]
            return script.title, held
    return None


def says(message: Spoken, sentence: str) -> bool:
    """Tell whether the person says something in their own, whole words."""
    own = " ".join(words(without_quotes(message.text)))
    return f" {' '.join(words(sentence))} " in f" {own} "


def holds(when: When, task: Task, before: str = "") -> bool:
    """Check every condition but those on the texts of memories; ``before`` is
    what the assistant said before the message.

    ``manifest_has`` wants a file to be listed, and no second file with the
    same description: a duplicate is another situation.
    """
    about = {
        one.filename: fold_space(one.description).lower()
        for one in task.manifest
    }
    counts = Counter(about.values())
    return (
        all(
            file in about and counts[about[file]] == 1
            for file in when.manifest_has
        )
        and not about.keys() & {*when.manifest_lacks}
        and fold_space(when.offer_contains) in fold_space(before)
    )


def remembered(when: When, files: Mapping[str, str]) -> bool:
    """Check the conditions on the texts of memories that have been read."""
    return all(
        fold_space(text) in fold_space(files.get(file, ""))
        for file, text in when.memory_contains.items()
    )


def to_read(entry: Entry, task: Task) -> Iterator[str]:
    """Name the files that have to be read before an entry can be decided on
    and applied.
    """
    listed = [header.filename for header in task.manifest]
    yield from entry.when.memory_contains
    for change in (*entry.save, *entry.changes):
        if not change.file or change.file in listed:
            yield change.file or change.edit or change.drop
