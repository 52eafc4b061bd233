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
    "reminders": "what is attached to a message, a section per occasion",
    "select": "which memories to choose, and the list of all memories",
    "select_request": "the message to choose memories for",
    "session_memory": "how to bring a session's notes up to date",
    "tools": "what each tool does and takes",
}
"""Every prompt, in alphabetical order, with what it is for."""
_IN_SECTIONS = ("reminders", "tools")
_OPTIONAL = ("logs", "cut_note")  # most often there are none
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
            if not path.is_file():
                what = "this is not a plain file"
                raise PromptError(what, where=path, do="Replace it")
        self._texts = {}
        self._texts = {name: self.text(name) for name in PURPOSES}

    def own(self, name: str) -> bool:
        """Tell whether the person's folder has a file for this prompt."""
        return (
            self.folder is not None and (self.folder / f"{name}.md").is_file()
        )

    def path(self, name: str) -> Path:
        """Return the file that a prompt is read from."""
        folder = self.folder if self.own(name) else None
        return (folder or FOLDER) / f"{name}.md"

    def text(self, name: str) -> str:
        """Read a prompt's file and check it; raises PromptError."""
        _known(name, f"{name}.md")
        if name in self._texts:
            return self._texts[name]
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
        return self.section(name, "", **values)

    def section(self, name: str, section: str, **values: str) -> Rendered:
        """Fill in one section of a prompt, as ``load`` does."""
        text = _sections(name, self.text(name))[section].strip()
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
        filled = _PLACEHOLDER.sub(lambda found: safe[found[1]], text)
        if section:  # what is empty leaves no gap
            filled = re.sub(r"\n{3,}", "\n\n", filled).strip()
        return Rendered(filled)

    def reminder(self, section: str, **values: str) -> Rendered:
        """Render a section of ``reminders.md`` as the block that is attached
        to a message.
        """
        return block(
            "system-reminder", self.section("reminders", section, **values)
        )


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


def _sections(name: str, text: str) -> dict[str, str]:
    """Give the sections of a prompt; one called "" if it has none."""
    if name not in _IN_SECTIONS:
        return {"": text}
    _, *parts = re.split(r"(?m)^# (\w+) *\n", text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def _placeholders(name: str) -> dict[str, frozenset[str]]:
    """Give the placeholders of each section of memlab's own text."""
    return {
        section: frozenset(_PLACEHOLDER.findall(part))
        for section, part in _sections(name, prompt_text(name)).items()
    }


def _check(where: Path, name: str, text: str) -> None:
    """Compare a person's text with memlab's; raises PromptError for the first
    thing that cannot work.
    """
    sections, known = _sections(name, text), _placeholders(name)
    if sections.keys() != known.keys():
        odd = ", ".join(sorted(sections.keys() ^ known.keys()))
        raise PromptError(
            f"these sections are missing, or memlab has none such: {odd}",
            where=where,
            do="Compare with `python3 -m memlab prompts diff`",
        )
    for section, part in sections.items():
        for found in _PLACEHOLDER.finditer(part):
            if found[1] not in known[section]:
                before = text[: text.index(part) + found.start()]
                line = 1 + before.count("\n")
                raise PromptError(
                    f"{found[0]} is not a placeholder of this prompt",
                    where=f"{where}:{line}",
                    do=f"Use {_shown(known[section])}, or single braces for"
                    " ordinary text",
                )
        needed = known[section].intersection(TAGS).difference(_OPTIONAL)
        missing = needed.difference(_PLACEHOLDER.findall(part))
        if missing:
            blocks = ", ".join(f"<{tag}>" for tag in sorted(missing))
            raise PromptError(
                f"the text does not contain {_shown(missing)}, the block"
                f" {blocks}",
                where=where,
                do="Add it where the model is to read it",
            )


def _shown(placeholders: frozenset[str]) -> str:
    names = (f"{{{{{name}}}}}" for name in sorted(placeholders))
    return ", ".join(names) or "none"
