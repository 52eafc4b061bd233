"""The memory directory: memory files, the index, the store, the scan, and the rules for writers."""

from memlab.memdir.coverage import find_lost, is_covered
from memlab.memdir.dates import age_in_words, caveat, memory_age
from memlab.memdir.descriptors import walk_down
from memlab.memdir.index import (
    Reconciled,
    ShownIndex,
    parse_pointers,
    pointer_to,
    rebuild_index,
    reconcile_index,
    set_pointer,
    truncate_index,
)
from memlab.memdir.instructions import memory_section, read_index
from memlab.memdir.lint import diagnose
from memlab.memdir.memory import HEADER_KEYS, Memory, MemoryType, format_memory, parse_memory
from memlab.memdir.path_safety import open_inside, resolve_memory_path
from memlab.memdir.paths import MemoryPaths, Where, forget_paths, memory_dir, memory_paths
from memlab.memdir.policy import Finding, lint_memory
from memlab.memdir.review import ProposedChange, Review
from memlab.memdir.scan import MemoryHeader, Scan, format_manifest, scan_memory_files
from memlab.memdir.store import MemoryStore, Written
from memlab.memdir.toggles import Toggles, load_toggles

__all__ = [
    "HEADER_KEYS",
    "Finding",
    "Memory",
    "MemoryHeader",
    "MemoryPaths",
    "MemoryStore",
    "MemoryType",
    "ProposedChange",
    "Reconciled",
    "Review",
    "Scan",
    "ShownIndex",
    "Toggles",
    "Where",
    "Written",
    "age_in_words",
    "caveat",
    "diagnose",
    "find_lost",
    "forget_paths",
    "format_manifest",
    "format_memory",
    "is_covered",
    "lint_memory",
    "load_toggles",
    "memory_age",
    "memory_dir",
    "memory_paths",
    "memory_section",
    "open_inside",
    "parse_memory",
    "parse_pointers",
    "pointer_to",
    "read_index",
    "rebuild_index",
    "reconcile_index",
    "resolve_memory_path",
    "scan_memory_files",
    "set_pointer",
    "truncate_index",
    "walk_down",
]
