"""Old names as a few lines on the new modules, for callers that are rewritten
later.

Sorted by old module. No new module imports this, and the list only shrinks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memlab.memdir import rules
from memlab.memdir.memory import Memory
from memlab.memdir.rules import Finding
from memlab.memdir.similar import OtherMemories
from memlab.settings import Settings

# memdir.policy: the store's checks take keywords, and the store finds similar
# memories by an index


def lint_memory(
    memory: Memory,
    *,
    now: datetime,
    existing: Sequence[Memory] = (),
    project_instructions: str = "",
    known: str = "",
    settings: Settings | None = None,
) -> list[Finding]:
    """Run every rule on a memory to be written."""
    if isinstance(existing, OtherMemories):
        existing = existing.most_similar(memory)
    return rules.check(
        memory,
        now,
        existing,
        known=known,
        project_instructions=project_instructions,
        settings=settings,
    )


# memdir.project_facts: the harness, until it reads requests by evidence


def without_request(text: str) -> str:
    """Give a text without "Remember:" and the like at its beginning."""
    return _REQUEST.sub("", text.strip())


_REQUEST = re.compile(
    r"(?i)^(?:(?:please\s+)?(?:remember|note|fyi|merke?\s+dir|notiere?"
    r"|souviens-toi|retiens)\b\s*(?:that|dass|que)?\s*[:,]?\s*"
    r"|just\s+so\s+you\s+know\b[:,]?\s*)"
)
