"""How a system asks a model: offline by rules, whose requests are still
counted, or with a real model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from memlab.bridge import SyncClient
from memlab.landscape.rules import Relation, relation
from memlab.landscape.system import Cost, Fact, Turn
from memlab.ledger import Tokens
from memlab.models.wire import PURPOSE_HEADER
from memlab.settings import Settings
from memlab.text import count_tokens

ANSWER_TOKENS = 1_000
"""Room for an answer; the longest are a few lines."""


class Asks(Protocol):
    """Answers a system's prompts and counts what that uses."""

    calls: int
    input_tokens: int
    output_tokens: int

    def ask(self, purpose: str, prompt: str, rules: Callable[[], str]) -> str:
        """Answer ``prompt``; ``rules`` computes the answer without a model."""

    def relation(self, new: str, old: str) -> Relation:
        """Judge for ``rules`` what a new text is to an old one."""


class ByRules:
    """Answers with the rules that a system brings, and counts the tokens that
    its prompts and these answers have.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0

    def ask(self, purpose: str, prompt: str, rules: Callable[[], str]) -> str:
        """Return what ``rules`` computes; ``purpose`` is for the others."""
        answer = rules()
        self.calls += 1
        self.input_tokens += count_tokens(prompt)
        self.output_tokens += count_tokens(answer)
        return answer

    def relation(self, new: str, old: str) -> Relation:
        """Judge by the words of the texts."""
        return relation(new, old)


class ByLabels(ByRules):
    """Answers as ``ByRules`` does, but judges by labels that were written by
    hand: what corrects what is known without a mistake.

    This shows what a system does with a good judgement; the rules overlook
    most changes that are expressed in other words. ``corrections`` are pairs
    of texts, the newer one first.
    """

    def __init__(self, corrections: Collection[tuple[str, str]]) -> None:
        super().__init__()
        self._corrections = frozenset(corrections)

    def relation(self, new: str, old: str) -> Relation:
        """Judge by the labels; a text that is said again is the same."""
        if (new, old) in self._corrections:
            return Relation.CORRECTS
        return Relation.SAME if new == old else Relation.OTHER


class ByModel:
    """Sends the prompts to a model, and counts what the service reports.

    The ledger that ``client`` was made with lists the calls by purpose. Errors
    of the client are passed on.
    """

    def __init__(
        self, client: SyncClient, settings: Settings | None = None
    ) -> None:
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self._client = client
        self._settings = settings or Settings()

    def ask(self, purpose: str, prompt: str, rules: Callable[[], str]) -> str:
        """Return the model's answer, "" for one without text."""
        reply = self._client.messages.create(
            model=self._settings.select_model,
            # some models think before they answer, and that counts as output
            max_tokens=ANSWER_TOKENS + self._settings.thinking_room_tokens,
            messages=[{"role": "user", "content": prompt}],
            extra_headers={PURPOSE_HEADER: purpose},
        )
        used = Tokens.from_usage(reply.usage)
        self.calls += 1
        self.input_tokens += used.input
        self.output_tokens += used.output
        texts = [block.text for block in reply.content if block.type == "text"]
        return "\n".join(texts)

    def relation(self, new: str, old: str) -> Relation:
        """Judge by the words of the texts, where no model is asked."""
        return relation(new, old)


def extract_facts(asks: Asks, turn: Turn) -> tuple[Fact, ...]:
    """Make the call with which a system would find the facts of a turn, and
    return those of the shared list.

    The answer is counted and then put aside, so that no system is better only
    because its facts were found better.
    """
    prompt = (
        "List the facts in this message that are worth remembering, one per"
        " line, each as a sentence that can be understood without the"
        " message. Write nothing if there are none.\n\n"
        f"{turn.at:%Y-%m-%d %H:%M} {turn.who}: {turn.text}"
    )
    asks.ask(
        "facts",
        prompt,
        lambda: "\n".join(fact.text for fact in turn.facts),
    )
    return turn.facts


def cost_of(asks: Asks, *, embeddings: int = 0, stored_bytes: int = 0) -> Cost:
    """Return what was asked so far, together with what a system has stored."""
    return Cost(
        asks.calls,
        asks.input_tokens,
        asks.output_tokens,
        embeddings,
        stored_bytes,
    )
