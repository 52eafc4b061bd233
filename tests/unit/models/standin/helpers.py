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

DIRECTORY = block("memory_directory", "~/memory")
NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)  # a Friday
TODAY = block("system-reminder", block("date", "2026-03-20"))


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "content": [say(text) for text in texts]}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [say(one) if isinstance(one, str) else one for one in blocks],
    }


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
            messages.append(assistant(*blocks))
            if not calls:
                return block_text(blocks[0])
            messages.append({"role": "user", "content": [self._result(one) for one in calls]})
        raise AssertionError("the stand-in does not come to an end")

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        given = call["input"]
        file = str(given.get("file_path", "")).removeprefix("~/memory/")
        self.calls.append((call["name"], file))
        error, text = self.refuse.get(file, ""), "done"
        if call["name"] == "Read":
            lines = self.files.get(file, "").removesuffix("\n").split("\n")
            text = "\n".join(f"{n:>6}\t{one}" for n, one in enumerate(lines, 1))
            error = "" if file in self.files else "there is no such file"
        elif call["name"] in ("Grep", "Glob"):
            text = "\n".join(f"~/memory/{name}" for name in self.files)
        elif not error and call["name"] == "Edit":
            assert self.files[file].count(given["old_string"]) == 1
            self.files[file] = self.files[file].replace(given["old_string"], given["new_string"])
        elif not error:
            self.files[file] = given["content"]
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": error or text}
        return result | {"is_error": bool(error)}

    def extract(
        self,
        *said: str,
        before: Sequence[Any] = (),
        new: Sequence[str] | None = None,
        manifest: Sequence[str] = (),
        instructions: str = "",
    ) -> str:
        """Extract from messages of the person's, all of them new unless ``new`` says otherwise."""
        turns = [one for text in said for one in (user(text), assistant("Noted."))]
        told = said if new is None else new
        lines = [message_line(f"u{n}", NOON, "user", text) for n, text in enumerate(told)]
        blocks = [block("new_messages", *lines), DIRECTORY, block("manifest", *manifest)]
        prompt = "\n".join([*blocks, block("instructions", instructions)])
        return self.run("extract", [*before, *turns, user(f"Bananas, please.\n{prompt}\nThanks!")])

    def dream(self, *manifest: str) -> str:
        blocks = [DIRECTORY, block("sessions", "- s.jsonl"), block("manifest", *manifest)]
        return self.run("dream", [user("Sleep well.\n" + "\n".join(blocks))])

    def say(self, *said: str, index: str = "", system: str | None = None) -> str:
        prompt = f"Prose.\n{DIRECTORY}\n{block('index', index)}" if system is None else system
        turns: list[Any] = []
        for text in said[:-1]:
            turns += [user(text), assistant(self.say(text, index=index, system=system))]
        return self.run("main", [*turns, user(TODAY, said[-1])], prompt)

    def memory(self, file: str) -> Memory:
        return parse_memory(self.files[file])

    @property
    def written(self) -> list[str]:
        return [file for name, file in self.calls if name in ("Write", "Edit")]
