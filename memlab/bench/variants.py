"""Variants of the prompts: memlab's own, and folders with only the files that
somebody changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from memlab.errors import PromptError
from memlab.prompts import SHIPPED, Prompts

BASE = "base"
EXAMPLES = Path(__file__).parents[2] / "data" / "example" / "prompts"


@dataclass(frozen=True)
class Variant:
    """One version of the prompts under the name that a report shows.

    ``memory`` is used by the task *follow*, which also asks without the
    memory.
    """

    name: str
    prompts: Prompts = field(default=SHIPPED, repr=False)
    memory: bool = True

    def version(self, names: Iterable[str]) -> str:
        """Return 12 hex digits for the texts of these prompts.

        Two variants have the same version if they send the same words.
        """
        texts = {name: self.prompts.text(name) for name in sorted(names)}
        parts = [texts] if self.memory else [texts, "without the memory"]
        return digest(parts)

    def diff(self, names: Iterable[str], base: Variant | None = None) -> str:
        """Show how these prompts differ from those of ``base``, by default
        memlab's own; empty where they do not.
        """
        base = base or Variant(BASE)
        lines: list[str] = []
        for name in sorted(names):
            lines += unified_diff(
                base.prompts.text(name).splitlines(),
                self.prompts.text(name).splitlines(),
                f"{base.name}: {name}.md",
                f"{self.name}: {name}.md",
                lineterm="",
            )
        return "\n".join(lines)


def load_variants(
    names: Sequence[str], examples: Path = EXAMPLES
) -> tuple[Variant, ...]:
    """Find the variants with these names; each is ``base``, a folder's path,
    or a folder in ``examples``.

    A name that is given twice compares a variant with itself. Raises
    PromptError.
    """
    variants: list[Variant] = []
    for name in names:
        prompts = _prompts(name, examples)
        prompts.check()
        shown = Path(name).resolve().name if prompts.folder else BASE
        same = [
            variant
            for variant in variants
            if variant.prompts.folder == prompts.folder
        ]
        if same:
            shown = f"{same[0].name} again"
            if len(same) > 1:
                shown += f" {len(same)}"
        if shown in {variant.name for variant in variants}:
            raise PromptError(
                f"two variants are called {shown!r}",
                where="--prompts",
                do="Rename one of the folders",
            )
        variants.append(Variant(shown, prompts))
    return tuple(variants)


def digest(value: object) -> str:
    """Return 12 hex digits for a value, the same in every process: sets are
    sorted.
    """
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, default=_plain
    )
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(value: object) -> object:
    if isinstance(value, frozenset | set):
        return sorted(value)
    return str(value)


def _prompts(name: str, examples: Path) -> Prompts:
    if name == BASE:
        return Prompts()
    for folder in (Path(name).expanduser(), examples / name):
        if folder.is_dir():
            return Prompts(folder.resolve())
    known = sorted(
        folder.name for folder in examples.glob("*") if folder.is_dir()
    )
    shown = ", ".join([BASE, *known])
    raise PromptError(
        f"there is no variant {name!r}",
        where="--prompts",
        do=(
            "Give a folder with the prompts that you changed, or one of:"
            f" {shown}"
        ),
    )
