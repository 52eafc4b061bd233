"""Evaluations: the labelled sets, and the experiments that measure a method on them.

Public names are imported from their modules when they are first used, so that
``python -m memlab.evals.recall`` runs that module once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memlab.evals.attacks import fill as fill
    from memlab.evals.attacks import load_path_cases as load_path_cases
    from memlab.evals.attacks import load_shell_cases as load_shell_cases
    from memlab.evals.attacks import load_trees as load_trees
    from memlab.evals.attacks import set_up as set_up
    from memlab.evals.dream import do_nothing as do_nothing
    from memlab.evals.dream import dream_in_a_transaction as dream_in_a_transaction
    from memlab.evals.dream import measure_dreams as measure_dreams
    from memlab.evals.extract import by_extractor as by_extractor
    from memlab.evals.extract import measure_extraction as measure_extraction
    from memlab.evals.labelled import load_dialogues as load_dialogues
    from memlab.evals.labelled import load_dreams as load_dreams
    from memlab.evals.labelled import load_poison as load_poison
    from memlab.evals.labelled import load_recall_set as load_recall_set
    from memlab.evals.recall import KEYWORDS as KEYWORDS
    from memlab.evals.recall import RANKINGS as RANKINGS
    from memlab.evals.recall import by_rules as by_rules
    from memlab.evals.recall import measure_descriptions as measure_descriptions
    from memlab.evals.recall import measure_ranking as measure_ranking
    from memlab.evals.recall import measure_rankings as measure_rankings

_MODULES = {
    "fill": "attacks",
    "load_path_cases": "attacks",
    "load_shell_cases": "attacks",
    "load_trees": "attacks",
    "set_up": "attacks",
    "do_nothing": "dream",
    "dream_in_a_transaction": "dream",
    "measure_dreams": "dream",
    "by_extractor": "extract",
    "measure_extraction": "extract",
    "load_dialogues": "labelled",
    "load_dreams": "labelled",
    "load_poison": "labelled",
    "load_recall_set": "labelled",
    "KEYWORDS": "recall",
    "RANKINGS": "recall",
    "by_rules": "recall",
    "measure_descriptions": "recall",
    "measure_ranking": "recall",
    "measure_rankings": "recall",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'memlab.evals' has no attribute {name!r}")
    return getattr(import_module(f"memlab.evals.{_MODULES[name]}"), name)
