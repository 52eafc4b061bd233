"""The memory directory: memory files, the index, the store, the scan, and the
rules for writers.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dates": "age_in_words is_old memory_age",
        "doctor": "diagnose",
        "index": "parse_pointers pointer_to settle",
        "instructions": "index_for_prompt memory_section read_index",
        "log_lines": "append_log",
        "memory": "HEADER_KEYS Memory MemoryType format_memory parse_memory",
        "places": "MemoryPaths Where forget_paths memory_paths",
        "rules": "Finding",
        "scan": (
            "MemoryHeader Scan format_manifest one_line scan_memory_files"
        ),
        "store": "MemoryStore Written",
        "toggles": "Toggles load_toggles",
    },
)
