"""The table of prompts that memlab sends, and the loader; each text is a file
beside this one.

The files are texts for a person to edit. A placeholder is a name in double
braces, ``{{manifest}}``; single braces are ordinary text, so a prompt can show
JSON. ``PROMPTS`` says which placeholders a file has to contain and which ones
it may contain. There is no logic in a prompt: what varies is computed by the
caller and passed by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memlab.errors import PromptError

FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\{\{([^{}\n]*)\}\}")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One prompt: what it is for, who reads it, and its placeholders.

    Without a ``required`` placeholder the model would miss what it has to work
    on. The text may leave out an ``optional`` one. The caller passes a value
    for each of both.
    """

    purpose: str
    read_by: str
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def placeholders(self) -> tuple[str, ...]:
        """All names that the text may contain and the caller has to pass."""
        return self.required + self.optional


PROMPTS: Mapping[str, Prompt] = {
    "agent": Prompt(
        purpose=(
            "how the coding agent works, and the project's own instructions"
        ),
        read_by="the main model, in every request",
        required=("claude_md",),
        optional=("project",),
    ),
    "compact": Prompt(
        purpose="how to summarise a conversation that has grown too long",
        read_by="the main model, when the conversation is compacted",
    ),
    "dream": Prompt(
        purpose="how to consolidate the memory",
        read_by="the fork that dreams",
        required=(
            "directory",
            "sessions_folder",
            "now",
            "memories",
            "sessions",
        ),
        optional=(
            "last",
            "index_lines",
            "index_bytes",
            "line_characters",
            "turns",
        ),
    ),
    "extract": Prompt(
        purpose="what to save from the newest messages",
        read_by="the fork that extracts",
        required=("directory", "messages", "manifest", "instructions"),
        optional=("count", "turns"),
    ),
    "memory": Prompt(
        purpose="what memory is for, how it is written, and the index",
        read_by="the main model, in every request, and both forks with it",
        required=("directory", "index"),
    ),
    "select": Prompt(
        purpose="which memories to choose for a message",
        read_by="the smaller model of the side-query, as its system prompt",
        optional=("limit",),
    ),
    "select_request": Prompt(
        purpose="the message, and the list of memories to choose from",
        read_by="the smaller model of the side-query",
        required=("query", "manifest", "recent_tools"),
    ),
    "tools": Prompt(
        purpose="what each tool does and takes",
        read_by="the main model, in every request, and both forks with it",
    ),
}


def prompt_names() -> list[str]:
    """List the prompts in alphabetical order."""
    return sorted(PROMPTS)


def prompt_text(name: str) -> str:
    """Read a prompt's file and check its placeholders; raises PromptError."""
    if name not in PROMPTS:
        raise PromptError(
            "there is no such prompt",
            where=f"{name}.md",
            do=f"Choose from: {', '.join(prompt_names())}",
        )
    try:
        text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(
            "the file of this prompt is missing",
            where=f"{name}.md",
            do=f"Put it into {FOLDER}",
        ) from error
    _check(name, text)
    return text.strip()


def load_prompt(name: str, **values: str) -> str:
    """Fill in a prompt's placeholders; raises PromptError unless there is one
    value for each.
    """
    text = prompt_text(name)
    wanted = PROMPTS[name].placeholders
    missing = [
        placeholder for placeholder in wanted if placeholder not in values
    ]
    if missing:
        raise PromptError(
            f"no value for {_shown(missing)}",
            where=f"{name}.md",
            do="Pass one by name to load_prompt",
        )
    unknown = [value for value in values if value not in wanted]
    if unknown:
        raise PromptError(
            f"no placeholder for the value {_shown(unknown)}",
            where=f"{name}.md",
            do=f"It has: {_shown(wanted)}",
        )
    return _PLACEHOLDER.sub(lambda found: values[found.group(1)], text)


def _check(name: str, text: str) -> None:
    """Compare the placeholders in a text with the table."""
    prompt = PROMPTS[name]
    present = set()
    for number, line in enumerate(text.splitlines(), 1):
        for placeholder in _PLACEHOLDER.findall(line):
            if placeholder not in prompt.placeholders:
                raise PromptError(
                    f"{_shown([placeholder])} is not a placeholder of this"
                    " prompt",
                    where=f"{name}.md:{number}",
                    do=(
                        f"Use {_shown(prompt.placeholders)}, or single braces"
                        " for ordinary text"
                    ),
                )
            present.add(placeholder)
    missing = [
        placeholder
        for placeholder in prompt.required
        if placeholder not in present
    ]
    if missing:
        raise PromptError(
            f"the text does not contain {_shown(missing)}",
            where=f"{name}.md",
            do="Without it, the model does not see what it has to work on",
        )


def _shown(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in names) or "none"
