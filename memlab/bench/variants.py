"""Variants of the prompts: memlab's own, those that were recorded, and folders
with only the files that somebody changed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memlab.errors import PromptError
from memlab.prompts import SHIPPED, Prompts

BASE, WITHOUT = "base", "without"
RECORDED = Path(__file__).parents[2] / "data" / "recorded"


@dataclass(frozen=True)
class Variant:
    """One version of the prompts under the name that a report shows.

    ``memory`` is used by the task *follow*, which can also be asked without
    the memory.
    """

    name: str
    prompts: Prompts = SHIPPED
    memory: bool = True

    def version(self, names: Iterable[str]) -> str:
        """Return 12 hex digits for the texts of these prompts."""
        texts = {name: self.prompts.text(name) for name in sorted(names)}
        return digest(
            [texts] if self.memory else [texts, "without the memory"]
        )


@cache
def variant_table() -> Mapping[str, Mapping[str, Any]]:
    """Read which variants were recorded: what each leaves out of a prompt, or
    replaces it with, and which cases this can affect.
    """
    return tomllib.loads((RECORDED / "variants.toml").read_text("utf-8"))


def load_variant(name: str) -> Variant:
    """Find a variant: ``base``, ``without`` (the memory), one that was
    recorded, or the path of a folder with changed prompts.

    Raises PromptError.
    """
    if name in (BASE, WITHOUT):
        return Variant(name, memory=name == BASE)
    row = variant_table().get(name)
    if row:
        return Variant(name, _changed_prompts(row))
    folder = Path(name).expanduser().resolve()
    if not folder.is_dir():
        known = [one for one, row in variant_table().items() if row]
        raise PromptError(
            f"there is no variant {name!r}",
            where="--prompts",
            do="Give a folder with the prompts that you changed, or one of:"
            f" {', '.join([BASE, WITHOUT, *known])}",
        )
    return Variant(folder.name, _checked(folder))


def _changed_prompts(row: Mapping[str, Any]) -> Prompts:
    """Make the prompts of a row of the table.

    Raises PromptError if a text to be left out does not occur exactly once.
    """
    file = f"{row['prompt']}.md"
    text = SHIPPED.path(row["prompt"]).read_text("utf-8")
    for part in row.get("removes", ()):
        if text.count(part) != 1:
            raise PromptError(
                f"{part!r} is not there exactly once", where=file
            )
        text = text.replace(part, "")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, file).write_text(row.get("text", text), "utf-8")
        return _checked(folder)


def _checked(folder: Path | str) -> Prompts:
    prompts = Prompts(folder)
    prompts.check()  # which keeps the texts
    return prompts


def digest(value: object) -> str:
    """Return 12 hex digits for a value, the same in every process."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
