"""The measuring rule: does a piece of evidence stand in a text, as words of
its own?

Left out: meaning. A paraphrase of the evidence does not count.
"""

from __future__ import annotations

import re

from memlab.text import fold_space


def stands_in(text: str, evidence: str) -> bool:
    """Say whether the evidence stands in the text as words of its own.

    Upper and lower case are the same, and so is any run of white space; before
    and after it no letter, digit or underscore may follow on. Nothing is no
    evidence.
    """
    wanted = re.escape(fold_space(evidence).casefold())
    pattern = rf"(?<!\w){wanted}(?!\w)"
    return (
        bool(wanted)
        and re.search(pattern, fold_space(text).casefold()) is not None
    )
