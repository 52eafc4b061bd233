"""An extractor in a small home, a conversation to hand it, and a model with a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack

from memlab.agent.request import RequestPrefix
from memlab.agent.tools import standard_tools
from memlab.extract import Extraction, ExtractionHost, Extractor
from memlab.memdir.store import By
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.prompts.blocks import read_blocks, read_message_lines
from memlab.settings import Settings
from memlab.text import as_blocks, block_text
from tests.unit.agent.helpers import AgentSetup

PLACE = "~/.memlab/projects/-home-robin-tidebook/memory"
Call = tuple[str, Mapping[str, Any]]


def note(
    body: str,
    *,
    name: str = "tabs",
    about: str = "Tabs, never spaces",
    type: str = "user",
) -> str:
    return f"---\nname: {name}\ndescription: {about}\ntype: {type}\n---\n\n{body}\n"


TABS = note("I want tabs, never spaces, in everything you write for me.")


def writing(text: str, file: str = "tabs.md") -> Call:
    return "Write", {"file_path": f"{PLACE}/{file}", "content": text}


def reading(file: str = "tabs.md") -> Call:
    return "Read", {"file_path": f"{PLACE}/{file}"}


@dataclass
class Host(ExtractionHost):
    """A host that keeps the runs which saved something; ``on`` says whether saving is on."""

    runs: list[Extraction] = field(default_factory=list)
    instructions: str = ""
    times: Mapping[str, datetime] = field(default_factory=dict)
    on: bool = True

    def enabled(self) -> bool:
        return self.on

    def project_instructions(self) -> str:
        return self.instructions

    def time_of(self, uuid: str) -> datetime | None:
        return self.times.get(uuid)

    def on_end(self, run: Extraction) -> None:
        if run.files:
            self.runs.append(run)


@dataclass
class ExtractSetup(AgentSetup):
    """``script`` has the answers of a run: a list of calls, or a text; every run begins it anew.

    ``before_call`` is told the number, from 1, of each call of a run before it is answered.
    """

    script: Sequence[str | Sequence[Call]] = ()
    saved: list[Extraction] = field(default_factory=list)
    calls: int = 0

    def answer(self, request: ModelRequest) -> Reply:
        later = request.messages[self.prompt_place(request.messages) :]
        step = sum(message["role"] == "assistant" for message in later)
        told = self.script[step] if step < len(self.script) else "Nothing new."
        if isinstance(told, str):
            return Reply([say(told)])
        blocks = []
        for name, given in told:
            self.calls += 1
            block = {"type": "tool_use", "id": f"toolu_{self.calls:04d}", "name": name}
            blocks.append({**block, "input": dict(given)})
        return Reply(blocks)

    def prompt_place(self, messages: Sequence[Mapping[str, Any]]) -> int:
        places = [
            n for n, one in enumerate(messages) if "new_messages" in read_blocks(self.words(one))
        ]
        return places[-1]

    def words(self, message: Mapping[str, Any]) -> str:
        return "\n".join(block_text(block) for block in as_blocks(message["content"]))

    def prompt(self, run: int = -1) -> str:
        """The prompt of a run, as the service saw it."""
        firsts = [body for body in self.sent("extract") if self._is_first(body)]
        return self.words(firsts[run]["messages"][-1])

    def blocks(self, run: int = -1) -> Mapping[str, str]:
        """The data in the prompt of a run, by tag."""
        return {tag: found[0].body for tag, found in read_blocks(self.prompt(run)).items()}

    def new(self, run: int = -1) -> list[str]:
        """The first words of the messages that a run was told are new."""
        lines = read_message_lines(self.blocks(run)["new_messages"])
        return [line.words for line in lines]

    def _is_first(self, body: Mapping[str, Any]) -> bool:
        return self.prompt_place(body["messages"]) == len(body["messages"]) - 1

    def results(self) -> list[str]:
        """What the tools answered in the newest run, errors marked with a cross."""
        messages = self.sent("extract")[-1]["messages"]
        later = messages[self.prompt_place(messages) :]
        found = [b for m in later for b in as_blocks(m["content"]) if b["type"] == "tool_result"]
        return [("× " if one.get("is_error") else "") + block_text(one) for one in found]

    def extractor(
        self,
        *,
        host: ExtractionHost | None = None,
        settings: Settings | None = None,
    ) -> Extractor:
        return Extractor(
            runtime=self.runtime(settings=settings),
            tools=standard_tools(),
            context=self.context,
            host=host or Host(self.saved),
        )

    def agent_writes(self, text: str, file: str = "tabs.md", **by: Unpack[By]) -> None:
        """Save a memory as the main agent's tools do."""
        assert self.context.store
        by.setdefault("who", self.context.who)
        by.setdefault("session", self.context.session)
        self.context.store.write_text(file, text, **by)

    def log(self) -> list[str]:
        """The extractor's events, by name, with the reason or the files."""
        told = []
        for event in self.events:
            if event.name.startswith("extract"):
                about = event.figures
                told.append(f"{event.name} {about.get('reason', about.get('files', ''))}".strip())
        return told


@dataclass
class Talk:
    """A conversation that grows; every turn gives the prefix its stop hook would get."""

    setup: ExtractSetup
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    uuids: list[str] = field(default_factory=list)

    def add(self, role: str, content: Any) -> str:
        self.messages.append({"role": role, "content": content})
        self.uuids.append(self.setup.clock.new_id())
        return self.uuids[-1]

    def turn(
        self, words: str = "I want tabs, never spaces.", answer: str = "Yes."
    ) -> RequestPrefix:
        self.add("user", words)
        self.add("assistant", [{"type": "text", "text": answer}])
        return self.prefix()

    def tool(self, result: str, name: str = "Read", *, error: bool = False, **given: Any) -> None:
        """A tool call and its result, between the person's words and the answer."""
        id = f"toolu_main_{len(self.messages)}"
        call = {"type": "tool_use", "id": id, "name": name, "input": given}
        self.add("assistant", [call])
        done = {"type": "tool_result", "tool_use_id": id, "content": result}
        self.add("user", [done | ({"is_error": True} if error else {})])

    def compact(self) -> None:
        self.messages, self.uuids = [], []
        text = "<system-reminder>\nThe earlier conversation was summarised.\n</system-reminder>"
        self.add("user", [{"type": "text", "text": text}])

    def prefix(self) -> RequestPrefix:
        tools = tuple(tool.definition for tool in standard_tools())
        return RequestPrefix(
            self.setup.settings.main_model,
            "You are a coding agent.",
            tools,
            tuple(self.messages),
            tuple(self.uuids),
        )
