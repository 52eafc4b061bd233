"""The memory directory: memory files, the index, the store, the scan, and the rules for writers."""

from memlab.memdir.dates import age_in_words, caveat, memory_age
from memlab.memdir.index import (
    Reconciled,
    ShownIndex,
    rebuild_index,
    reconcile_index,
    truncate_index,
)
from memlab.memdir.instructions import memory_section, read_index
from memlab.memdir.lint import diagnose
from memlab.memdir.memory import Memory, MemoryType, format_memory, parse_memory
from memlab.memdir.path_safety import resolve_memory_path
from memlab.memdir.paths import MemoryPaths, Where, forget_paths, memory_dir, memory_paths
from memlab.memdir.policy import Finding, lint_memory
from memlab.memdir.scan import MemoryHeader, Scan, format_manifest, scan_memory_files
from memlab.memdir.store import MemoryStore, Written

__all__ = [
    "Finding",
    "Memory",
    "MemoryHeader",
    "MemoryPaths",
    "MemoryStore",
    "MemoryType",
    "Reconciled",
    "Scan",
    "ShownIndex",
    "Where",
    "Written",
    "age_in_words",
    "caveat",
    "diagnose",
    "forget_paths",
    "format_manifest",
    "format_memory",
    "lint_memory",
    "memory_age",
    "memory_dir",
    "memory_paths",
    "memory_section",
    "parse_memory",
    "read_index",
    "rebuild_index",
    "reconcile_index",
    "resolve_memory_path",
    "scan_memory_files",
    "truncate_index",
]
