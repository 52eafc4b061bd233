"""The extractor's stand-in: rules that look for what a person wants
remembered.

It reads the request it was sent and nothing else. First it asks for the
memories it may have to change, then it writes everything at once, and a
refused write it mends at most once. Left out: an understanding of the
conversation; a language model finds what these rules miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memlab.models.request import ModelRequest
from memlab.models.roles.extract_find import find
from memlab.models.roles.extract_heard import Asked, read_request
from memlab.models.roles.extract_write import (
    Plan,
    compose,
    file_text,
    new_file,
    plan,
)
from memlab.models.wire import Reply, say
from memlab.text import block_text

NOTHING = "Nothing new."


def answer_extract(request: ModelRequest) -> Reply:
    """Answer one turn of an extraction: reads, then writes, then a short line."""
    asked = read_request(request)
    plans = plan(find(asked), asked.known) if asked else []
    if asked is None or not plans:
        return Reply([say(NOTHING)])
    if not asked.calls and (
        wanted := [one.target.file for one in plans if one.target]
    ):
        return _calls(
            request,
            [("Read", {"file_path": _path(asked, file)}) for file in wanted],
        )
    if not _called(asked, "Write"):
        writes = list(_writes(asked, plans))
        return _calls(request, writes) if writes else Reply([say(NOTHING)])
    return _after(request, asked, plans)


Call = tuple[str, Mapping[str, Any]]


def _after(request: ModelRequest, asked: Asked, plans: list[Plan]) -> Reply:
    """Mend what was refused the first time; then say how many memories were
    written.
    """
    written = _called(asked, "Write")
    results = {call["input"]["file_path"]: result for call, result in written}
    refused = {
        path: block_text(one)
        for path, one in results.items()
        if one and one.get("is_error")
    }
    if refused and len(written) == len(results):  # nothing was tried twice yet
        mended = [
            call
            for call in _writes(asked, plans, bare=True)
            if call[1]["file_path"] in refused
            and _can_be_mended(refused[call[1]["file_path"]])
        ]
        if mended:
            return _calls(request, mended)
    count = len(results) - len(refused)
    return Reply(
        [say(f"Saved {count} {'memory' if count == 1 else 'memories'}.")]
    )


def _can_be_mended(reason: str) -> bool:
    """Say whether fewer words may pass: not where the matter itself was
    refused.
    """
    return not re.search(
        r"(?i)secret|password|token|key\b|CLAUDE|says (?:the same|much)",
        reason,
    )


def _writes(
    asked: Asked, plans: list[Plan], *, bare: bool = False
) -> Iterator[Call]:
    texts = {
        call["input"]["file_path"]: _text(result)
        for call, result in _called(asked, "Read")
    }
    taken = [one.file for one in asked.known]
    for one in plans:
        path = _path(asked, one.target.file) if one.target else ""
        memory = compose(one, texts.get(path), bare=bare)
        if memory is None:
            continue
        if texts.get(path) is None:
            file = new_file(_first_name(one), taken)
            taken.append(file)
            path = _path(asked, file)
        yield "Write", {"file_path": path, "content": file_text(memory)}


def _first_name(one: Plan) -> str:
    """Give the name of the memory as it is first written, so that mending
    keeps its file.
    """
    memory = compose(one, None)
    return memory.name if memory else "memory"


def _called(
    asked: Asked, name: str
) -> list[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    return [pair for pair in asked.calls if pair[0]["name"] == name]


def _text(result: Mapping[str, Any] | None) -> str | None:
    """Give a file's text from the numbered lines of a Read; None where it
    could not be read.
    """
    if result is None or result.get("is_error"):
        return None
    lines = re.findall(r"(?m)^ *\d+\t(.*)$", block_text(result))
    return "\n".join(lines) + "\n" if lines else None


def _path(asked: Asked, file: str) -> str:
    return f"{asked.directory.rstrip('/')}/{file}"


def _calls(request: ModelRequest, calls: list[Call]) -> Reply:
    turn = len(request.messages)
    return Reply(
        [
            {
                "type": "tool_use",
                "id": f"toolu_{turn:03d}_{n:02d}",
                "name": name,
                "input": given,
            }
            for n, (name, given) in enumerate(calls, 1)
        ]
    )
