"""Experiments: labelled sets, and the metrics that judge a method on them; no method itself.

Each table is a module: ``from memlab.evals import recall_table``.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dream_table": "rules_in_a_transaction sleeps_through",
        "extract_table": "by_extractor",
        "labelled_dream": "load_dreams",
        "recall_table": (
            "KEYWORDS METHODS by_rules load_select_set measure_all measure_descriptions "
        ),
    },
)
