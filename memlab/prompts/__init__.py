"""The prompts that memlab sends: each is a file beside this one, a text for a
person to edit.

A placeholder is a name in double braces, ``{{manifest}}``; single braces are
ordinary text, so a prompt can show JSON. Which placeholders there are is read
from memlab's own text. A person's text may use these and no others, and it
must have those that hold a block of data (``blocks.TAGS``), for without them
the model would not see what it works on. There is no logic in a prompt: what
varies is computed by the caller and passed by name. Plain values are data, so
memlab's own tags in them are neutralised; rendered blocks stay as they are.

A person's own prompts are a folder that contains only the files that they
changed (``Prompts(folder)``).
"""

from __future__ import annotations

import re
from difflib import unified_diff
from functools import cache
from pathlib import Path

from memlab.errors import PromptError
from memlab.prompts.blocks import TAGS, Rendered, block, neutralise

FOLDER = Path(__file__).parent
PURPOSES = {
    "agent": "how the coding agent works, and the project's instructions",
    "compact": "how to summarise a conversation that has grown too long",
    "dream": "how to consolidate the memory",
    "extract": "what to save from the newest messages",
    "memory": "what memory is for, how it is written, and the index",
    "memory_daily_log": "the same where notes go to a daily log",
    "memory_personal": "memories about the person in all projects",
    "memory_team": "the same where part of the memory is the team's",
    "pick": "which of two notes helps, for a model too small to select",
    "reminders": "what is attached to a message, a section per occasion",
    "select": "which memories to choose, and the list of all memories",
    "select_request": "the message to choose memories for",
    "session_memory": "how to bring a session's notes up to date",
    "tools": "what each tool does and takes",
}
"""Every prompt, in alphabetical order, with what it is for."""
_IN_SECTIONS = ("pick", "reminders", "tools")
_MAY_BE_LEFT_OUT = ("logs", "cut_note")  # most often there are none
_PLACEHOLDER = re.compile(r"\{\{([^{}\n]*)\}\}")


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
        self._texts = {name: self._read(name) for name in PURPOSES}

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
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(
                f"this prompt cannot be read: {error}",
                where=path,
                do="Write it again, as UTF-8",
            ) from error
        if self.own(name):
            _check(path, name, text)
        return text.strip()

    def load(self, name: str, **values: str) -> Rendered:
        """Fill in a prompt's placeholders; raises PromptError unless there is
        one value for each.
        """
        return self._filled(name, "", values)

    def section(self, name: str, section: str, **values: str) -> Rendered:
        """Fill in one section of a prompt, as ``load`` does."""
        filled = self._filled(name, section, values)
        return Rendered(re.sub(r"\n{3,}", "\n\n", filled).strip())

    def _filled(
        self, name: str, section: str, values: dict[str, str]
    ) -> Rendered:
        text = _sections(name, self.text(name))[section][1].strip()
        known = _placeholders(name)[section]
        if known != values.keys():
            odd = ", ".join(sorted(known ^ values.keys()))
            raise PromptError(
                f"there is no value, or no placeholder, for {odd}",
                where=f"{name} {section}".strip(),
                do=f"It has: {_shown(known)}",
            )
        safe = {
            key: value if isinstance(value, Rendered) else neutralise(value)
            for key, value in values.items()
        }
        return Rendered(_PLACEHOLDER.sub(lambda found: safe[found[1]], text))

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


def _known(name: str, where: object) -> None:
    if name not in PURPOSES:
        raise PromptError(
            "there is no such prompt",
            where=where,
            do=f"Choose from: {', '.join(PURPOSES)}",
        )


def _sections(name: str, text: str) -> dict[str, tuple[int, str]]:
    """Give the sections of a prompt with their first line and text; one
    called "" if it has none.
    """
    if name not in _IN_SECTIONS:
        return {"": (1, text)}
    parts = re.split(r"(?m)^# (\w+) *\n", text)
    found, line = {}, 1 + parts[0].count("\n")
    for head, part in zip(parts[1::2], parts[2::2], strict=True):
        found[head] = (line + 1, part)
        line += 1 + part.count("\n")
    return found


@cache
def _placeholders(name: str) -> dict[str, frozenset[str]]:
    """Give the placeholders of each section of memlab's own text."""
    sections = _sections(name, prompt_text(name))
    return {
        section: frozenset(_PLACEHOLDER.findall(part))
        for section, (_, part) in sections.items()
    }


def _check(where: Path, name: str, text: str) -> None:
    """Compare a person's text with memlab's; raises PromptError for the first
    thing that cannot work, with its line.
    """
    sections, known = _sections(name, text), _placeholders(name)
    if sections.keys() != known.keys():
        odd = ", ".join(sorted(sections.keys() ^ known.keys()))
        raise PromptError(
            f"these sections are missing, or memlab has none such: {odd}",
            where=where,
            do="Compare with `python3 -m memlab prompts diff`",
        )
    for section, (first, part) in sections.items():
        for found in _PLACEHOLDER.finditer(part):
            if found[1] not in known[section]:
                line = first + part.count("\n", 0, found.start())
                raise PromptError(
                    f"{found[0]} is not a placeholder of this prompt",
                    where=f"{where}:{line}",
                    do=f"Use {_shown(known[section])}, or single braces for"
                    " ordinary text",
                )
        for one in sorted(known[section].intersection(TAGS)):
            if f"{{{{{one}}}}}" not in part and one not in _MAY_BE_LEFT_OUT:
                last = first + part.strip("\n").count("\n")
                raise PromptError(
                    f"the text does not contain {{{{{one}}}}}, the block"
                    f" <{one}>",
                    where=f"{where}:{last}",
                    do="Add it where the model is to read it",
                )


def _shown(placeholders: frozenset[str]) -> str:
    names = sorted(placeholders)
    return ", ".join(f"{{{{{name}}}}}" for name in names) or "none"
