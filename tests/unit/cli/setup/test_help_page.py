"""The page *If something goes wrong* quotes messages as memlab shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from memlab.cli.setup.clone import find_clone
from tests.unit.cli.setup.scratch import PACKAGE

PAGE = find_clone().notebooks / "if_something_goes_wrong.md"


def message_texts() -> Iterator[str]:
    """Give every string of the command line's code, with ``…`` for what is filled in."""
    for path in [
        *(PACKAGE / "cli").glob("*.py"),
        *(PACKAGE / "cli" / "setup").glob("*.py"),
        PACKAGE / "__main__.py",
    ]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [
                    part.value if isinstance(part, ast.Constant) else "…" for part in node.values
                ]
                yield "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def is_shown(quoted: str) -> bool:
    """Tell whether one message has all the quoted pieces, in their order."""
    pieces = re.split("…|python3 -m memlab", quoted)
    pattern = re.compile(".*".join(re.escape(piece.strip()) for piece in pieces), re.DOTALL)
    return any(pattern.search(text) for text in message_texts())


def test_every_quoted_message_is_one_that_memlab_shows() -> None:
    quoted = re.findall(r"^memlab: (.+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert quoted
    assert [text for text in quoted if not is_shown(text)] == []
    assert not is_shown("the disk is fool. Free about 1 GB")
