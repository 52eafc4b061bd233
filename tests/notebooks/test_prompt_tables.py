"""What a notebook's table says of a prompt, sentence by sentence, is in that prompt."""

from __future__ import annotations

import re

import pytest

from memlab.prompts import prompt_text
from tests.notebooks.page import read_page
from tests.notebooks.store import find_notebooks

TABLES = {"02": "memory", "08": "extract"}


@pytest.mark.parametrize("number", TABLES)
def test_the_sentences_in_the_tables_are_in_the_prompt(number: str) -> None:
    (path,) = find_notebooks([number])
    text = re.sub(r"(?m)^(- |\d\. )", "", prompt_text(TABLES[number]))
    prompt = " ".join(text.split())
    sentences = list(_sentences("\n".join(cell.source for cell in read_page(path).prose)))
    assert len(sentences) > 20
    assert [each for each in sentences if each not in prompt] == []


def _sentences(text: str) -> list[str]:
    found = []
    for table in re.findall(r"(?m)^\| sentence \|.*\n\| :?-.*\n((?:\|.*\n?)+)", text):
        for row in table.splitlines():
            sentence = row.split(" | ")[0].removeprefix("| ").replace("<br>", " ")
            if "with" in sentence and "`" in sentence:
                continue  # describes a part of the prompt that is no sentence
            sentence = re.sub(r"\*\*(.+?)\*\* \(the heading\)", r"\1", sentence)
            for part in re.split(r" … |…|, (?=\*\*)", sentence):
                if part.strip():
                    found.append(part.strip())
    return found
