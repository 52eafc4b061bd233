"""What a dream proposes: the memory before it, the memory it made of that, and its reasons.

A proposal is plain data. It comes from a staged copy (``stage``) or from one that waits for a
review (``waiting``). Left out: judging it (``review``) and committing it (``plan``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Proposal:
    """What a dream wants to make of a memory directory, with contents by file name.

    ``reasons`` has the reason for each removed file, and ``by_code`` names the files whose reason
    code gave. ``odd`` says why a file can be no memory, and ``attack`` why nothing may be done.
    """

    directory: Path
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]
    reasons: Mapping[str, str] = field(default_factory=dict)
    by_code: frozenset[str] = frozenset()
    odd: Mapping[str, str] = field(default_factory=dict)
    attack: str = ""
