"""Evaluations: the labelled sets, and what is measured with them."""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attacks": "fill load_path_cases load_shell_cases load_trees set_up",
        "labelled": "load_recall_set",
        "laundering": "measure_laundering",
        "recall": "measure_rankings",
    },
)
