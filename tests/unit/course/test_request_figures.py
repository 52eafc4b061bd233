from __future__ import annotations

import asyncio

from memlab.course import agent_for, begin, request_bars
from memlab.memdir import memory_section
from memlab.text import count_tokens


def test_a_request_is_shown_with_its_parts_and_what_was_read_of_it() -> None:
    lab = begin(2)
    agent = agent_for(lab, "bars")
    section = memory_section(lab.memory, show=lab.show)
    agent.system += "\n\n" + section
    asyncio.run(agent.run_turn("Good morning"))
    asyncio.run(agent.run_turn("And who is late?"))
    first, second = lab.model.requests
    bars = request_bars({"first": first, "second": second}).bars
    assert [bar.name for bar in bars] == ["first", "second"]
    for bar, exchange in zip(bars, (first, second), strict=True):
        tools, instructions, rules, index, messages = bar.parts
        assert sum(bar.parts) == sum(bar.billed) == bar.total
        assert rules + index == count_tokens(section)
        assert tools > 0 < instructions
        assert messages > 0
        assert bar.billed[0] == exchange.account.read
    assert bars[0].billed[0] == 0 < bars[1].billed[0]


def test_picture_words_and_table_have_the_same_figures() -> None:
    lab = begin(2)
    agent = agent_for(lab, "bars")
    asyncio.run(agent.run_turn("Good morning"))
    shown = request_bars({"first": lab.model.requests[0]})
    created = f"{lab.model.requests[0].account.created:,}"
    assert created in shown.alt
    assert f"created {created}" in shown.picture.svg()
    assert created in repr(shown.table)
    assert shown._repr_mimebundle_()["text/plain"] == shown.alt == repr(shown)


def test_the_part_that_was_changed_has_a_thick_border_and_is_named_in_words() -> None:
    lab = begin(2)
    asyncio.run(agent_for(lab, "bars").run_turn("Good morning"))
    request = {"no date": lab.model.requests[0]}
    plain = request_bars(request)
    marked = request_bars(request, changed={"no date": "instructions"})
    assert "Changed" not in plain.alt
    assert "Changed: instructions." in marked.alt
    assert marked.picture.svg().count('stroke-width="2.5"') == 1
    assert 'stroke-width="2.5"' not in plain.picture.svg()
    assert "index 0" not in plain.alt, "a part without tokens is not drawn, and not named"
