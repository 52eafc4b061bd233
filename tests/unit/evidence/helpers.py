"""Memories, conversations and sources, written in a line."""

from __future__ import annotations

from typing import Any

from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.sentences import Sentence
from memlab.evidence.support import Evidence


def memory(body: str, name: str = "Notes", about: str = "when reading notes") -> bytes:
    head = f"---\nname: {name}\ndescription: {about}\ntype: user\n---\n"
    return f"{head}\n{body}\n".encode()


def talk(*lines: str) -> list[dict[str, Any]]:
    """``p:`` the person, ``a:`` the assistant, or a tool, its path and what it returned."""
    messages: list[dict[str, Any]] = []
    for line in lines:
        who, _, said = line.partition(": ")
        if who in "pa":
            role = "user" if who == "p" else "assistant"
            messages.append({"role": role, "content": said})
            continue
        path, _, said = said.rpartition(" | ")
        call = {"type": "tool_use", "id": path, "name": who, "input": {"file_path": path}}
        result = {"type": "tool_result", "tool_use_id": path, "content": said}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
    return messages


def heard(*lines: str) -> Evidence:
    return Evidence(whose_words(talk(*lines)))


def source(text: str, origin: Origin, file: str = "", change: str = "") -> Source:
    return Source(Sentence(text), Stamp(origin), file, change)
