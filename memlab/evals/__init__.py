"""Evaluations: the labelled sets, and the experiments that measure a method on
them.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attacks": "fill load_path_cases load_shell_cases load_trees set_up",
        "extract": "by_extractor measure_extraction",
        "labelled": "load_recall_set",
        "laundering": "measure_laundering",
        "recall": (
            "RANKINGS measure_descriptions measure_ranking measure_rankings"
        ),
    },
)
