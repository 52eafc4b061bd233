"""Dreaming: when it is due, who may do it, and how its result becomes memory.

Left out: extraction, which takes notes during the day, and the model, which is passed in.
"""

from memlab.dream.dream import Dream, DreamTask, dream_prompt
from memlab.dream.gates import GateReport, ScanThrottle, Verdict, check_gates
from memlab.dream.lock import ConsolidationLock, Held, Refused
from memlab.dream.receipt import Receipt
from memlab.dream.stage import DreamError, StagedMemory, sweep_staging
from memlab.dream.waiting import WaitingDream, WaitingReview

__all__ = [
    "ConsolidationLock",
    "Dream",
    "DreamError",
    "DreamTask",
    "GateReport",
    "Held",
    "Receipt",
    "Refused",
    "ScanThrottle",
    "StagedMemory",
    "Verdict",
    "WaitingDream",
    "WaitingReview",
    "check_gates",
    "dream_prompt",
    "sweep_staging",
]
