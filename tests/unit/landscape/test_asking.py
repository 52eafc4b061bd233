"""How systems ask: the counts of both ways, and the real client."""

from __future__ import annotations

from datetime import UTC, datetime

from memlab.bridge import SyncClient
from memlab.landscape.asking import ByModel, ByRules, extract_facts
from memlab.landscape.mem0 import Mem0
from memlab.landscape.system import Fact, Turn
from memlab.landscape.vectors import HashedBag, VectorIndex, similarity
from memlab.ledger import Ledger
from memlab.models.connect import make_runtime
from memlab.models.offline import OfflineModel
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import count_tokens

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
HUT = Fact("f1", "blue", "The hut is blue.", "world", ("hut",), AT)
SAID = Turn("s1", 1, AT, "robin", "Our hut is blue now.", (HUT,))


def test_the_same_prompt_goes_to_a_model_and_the_ledger_knows_what_for() -> None:
    ledger, model = Ledger(), OfflineModel()

    def decide(request: ModelRequest) -> Reply:
        return Reply([say("UPDATE 1: The hut is blue, and so is the door.")])

    model.roles["decide"] = decide
    asks = ByModel(SyncClient(make_runtime(model=model, ledger=ledger).client))
    mem0 = Mem0(asks, HashedBag())
    mem0.remember(SAID)
    mem0.remember(SAID)

    assert [entry.text for entry in mem0.entries.values()] == [
        "The hut is blue, and so is the door."
    ]
    assert [call.purpose for call in ledger] == ["facts", "decide"] * 2
    assert (asks.calls, asks.input_tokens) == (4, sum(call.input for call in ledger))
    by_rules = Mem0(ByRules(), HashedBag())
    by_rules.remember(SAID)
    first = model.requests[1].body["messages"][0]["content"]
    assert first == by_rules._prompt(HUT, []), "rules and model get the same prompt"


def test_extraction_is_paid_for_and_returns_the_shared_facts() -> None:
    asks = ByRules()

    assert extract_facts(asks, SAID) == (HUT,)
    assert asks.calls == 1
    assert asks.input_tokens > count_tokens(SAID.text)
    assert asks.output_tokens == count_tokens(HUT.text)


def test_the_index_of_vectors_finds_what_comparing_each_would_find() -> None:
    bag = HashedBag()
    index = VectorIndex(bag)
    texts = {
        str(n): text for n, text in enumerate(["red hut", "red huts", "blue boat", "a boat", "hut"])
    }
    for key, text in texts.items():
        index.add(key, text)
    index.add("2", "red boat")
    texts["2"] = "red boat"
    index.remove("4")
    del texts["4"]

    asked = bag.embed("the red hut")
    expected = sorted(texts, key=lambda key: -similarity(asked, bag.embed(texts[key])))
    found = index.nearest("the red hut", 10)
    assert [key for key, _ in found] == expected
    assert abs(found[0][1] - similarity(asked, bag.embed("red hut"))) < 1e-9
    assert index.nearest("the red hut", 1) == found[:1]
    assert index.embeddings == 8
