"""Evaluations: the labelled sets, and the experiments that measure a method on them.

Public names are imported from their modules when they are first used, so that
``python -m memlab.evals.recall`` runs that module once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memlab.evals.attacks import (
        fill,
        load_path_cases,
        load_shell_cases,
        load_trees,
        set_up,
    )
    from memlab.evals.dream import do_nothing, dream_in_a_transaction, measure_dreams
    from memlab.evals.extract import by_extractor, measure_extraction
    from memlab.evals.labelled import (
        load_dialogues,
        load_dreams,
        load_poison,
        load_recall_set,
    )
    from memlab.evals.recall import (
        KEYWORDS,
        RANKINGS,
        by_rules,
        measure_descriptions,
        measure_ranking,
        measure_rankings,
    )

_MODULES = {
    "attacks": ("fill", "load_path_cases", "load_shell_cases", "load_trees", "set_up"),
    "dream": ("do_nothing", "dream_in_a_transaction", "measure_dreams"),
    "extract": ("by_extractor", "measure_extraction"),
    "labelled": ("load_dialogues", "load_dreams", "load_poison", "load_recall_set"),
    "recall": (
        *("KEYWORDS", "RANKINGS", "by_rules", "measure_descriptions", "measure_ranking"),
        "measure_rankings",
    ),
}

__all__ = [
    "KEYWORDS",
    "RANKINGS",
    "by_extractor",
    "by_rules",
    "do_nothing",
    "dream_in_a_transaction",
    "fill",
    "load_dialogues",
    "load_dreams",
    "load_path_cases",
    "load_poison",
    "load_recall_set",
    "load_shell_cases",
    "load_trees",
    "measure_descriptions",
    "measure_dreams",
    "measure_extraction",
    "measure_ranking",
    "measure_rankings",
    "set_up",
]


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"memlab.evals.{module}"), name)
    raise AttributeError(f"module 'memlab.evals' has no attribute {name!r}")
