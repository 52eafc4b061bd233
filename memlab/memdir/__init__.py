"""The memory directory: memory files, the index, the store, the scan, and the
rules for writers.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attribution": "attribute lint_grounding",
        "coverage": "find_lost is_covered split_sentences",
        "dates": "age_in_words is_old memory_age",
        "index": (
            "Reconciled ShownIndex parse_pointers pointer_to rebuild_index"
            " reconcile_index set_pointer index_for_prompt"
        ),
        "instructions": "memory_section read_index",
        "lint": "diagnose",
        "memory": "HEADER_KEYS Memory MemoryType format_memory parse_memory",
        "origin": "Origin least_trusted",
        "places": "MemoryPaths Where forget_paths memory_dir memory_paths",
        "review": "ProposedChange Review",
        "rules": "Finding",
        "scan": (
            "MemoryHeader Scan format_manifest one_line scan_memory_files"
        ),
        "store": "MemoryStore Written",
        "support": "Support names_source",
        "toggles": "Toggles load_toggles",
    },
)
