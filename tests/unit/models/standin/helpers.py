"""Requests for the stand-in, with prompts in words that nobody has ever seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memlab.memdir.memory import Memory, parse_memory
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.scripts import Script
from memlab.models.wire import say
from memlab.prompts.blocks import block, message_line
from memlab.settings import Settings
from memlab.text import block_text

DIRECTORY = "~/memory"
NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)  # a Friday


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [say(text) for text in texts]}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [say(text)]}


def line(file: str, about: str, kind: str = "user") -> str:
    return f"- [{kind}] {file} (2026-03-18T12:00:00Z): {about}"


@dataclass
class StandinSetup:
    """One task of the stand-in and the files that its tool calls read and write."""

    scripts: Sequence[Script] = ()
    files: dict[str, str] = field(default_factory=dict)
    refuse: Mapping[str, str] = field(default_factory=dict)
    chat: bool = False
    sources: list[str] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)

    def ask(self, purpose: str, messages: Sequence[Any], system: str = "") -> Answered:
        body = {"model": "m", "max_tokens": 99, "system": system, "messages": list(messages)}
        return answer(ModelRequest(purpose, body), self.scripts, Settings(), chat=self.chat)

    def run(self, purpose: str, messages: Sequence[Any], system: str = "") -> str:
        """Play a task to its end with real files, and give its last words."""
        messages = list(messages)
        for _ in range(8):
            answered = self.ask(purpose, messages, system)
            self.sources.append(answered.source)
            blocks = list(answered.reply.blocks)
            calls = [one for one in blocks if one["type"] == "tool_use"]
            messages.append({"role": "assistant", "content": blocks})
            if not calls:
                return block_text(blocks[0])
            messages.append({"role": "user", "content": [self._result(one) for one in calls]})
        raise AssertionError("the stand-in does not come to an end")

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        given = call["input"]
        file = str(given.get("file_path", "")).removeprefix(f"{DIRECTORY}/")
        self.calls.append((call["name"], file))
        error = self.refuse.get(file, "") if call["name"] != "Read" else ""
        text = error or "done"
        if call["name"] == "Read":
            lines = enumerate(self.files[file].removesuffix("\n").split("\n"), 1)
            text = "\n".join(f"{n:>6}\t{one}" for n, one in lines)
        elif call["name"] in ("Grep", "Glob"):
            text = "\n".join(f"{DIRECTORY}/{name}" for name in self.files)
        elif call["name"] == "Edit" and not error:
            assert self.files[file].count(given["old_string"]) == 1
            new = self.files[file].replace(given["old_string"], given["new_string"])
            self.files[file] = new
        elif not error:
            self.files[file] = given["content"]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": [say(text)]}
        return result | ({"is_error": True} if error else {})

    def extract(
        self,
        *said: str,
        before: Sequence[Any] = (),
        new: Sequence[str] | None = None,
        manifest: Sequence[str] = (),
        instructions: str = "",
        lacks: str = "",
    ) -> str:
        """Extract from messages of the person's, all of them new unless ``new`` says otherwise."""
        turns = [one for text in said for one in (user(text), assistant("Noted."))]
        told = said if new is None else new
        lines = [message_line(f"u{n}", NOON, "user", text) for n, text in enumerate(told)]
        blocks = {
            "new_messages": block("new_messages", *lines, count=str(len(lines))),
            "memory_directory": block("memory_directory", DIRECTORY),
            "manifest": block("manifest", *manifest),
            "instructions": block("instructions", instructions),
        }
        prompt = "\n".join(text for tag, text in blocks.items() if tag != lacks)
        return self.run("extract", [*before, *turns, user(f"Bananas, please.\n{prompt}\nThanks!")])

    def dream(self, *manifest: str) -> str:
        blocks = [
            block("memory_directory", DIRECTORY),
            block("sessions", "- s.jsonl"),
            block("manifest", *manifest),
        ]
        return self.run("dream", [user("Sleep well.\n" + "\n".join(blocks))])

    def say(self, *said: str, index: str = "", off: bool = False) -> str:
        system = f"Prose.\n{block('memory_directory', DIRECTORY)}\n{block('index', index)}"
        turns: list[Any] = []
        for text in said[:-1]:
            turns += [user(text), assistant(self.say(text, index=index, off=off))]
        return self.run("main", [*turns, user(said[-1])], "" if off else system)

    def memory(self, file: str) -> Memory:
        return parse_memory(self.files[file])

    @property
    def written(self) -> list[str]:
        return [file for name, file in self.calls if name in ("Write", "Edit")]
