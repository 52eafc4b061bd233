"""Dreaming: when it is due, who may do it, and how its result becomes memory.

Taking notes during the day is extraction's work, and the model is passed in.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dream": "Dream DreamTask dream_prompt",
        "gates": (
            "GATES Gate GateReport ScanThrottle Verdict check_gates gate_chain"
            " gate_limits"
        ),
        "lock": "ConsolidationLock Held Refused",
        "receipt": "Receipt",
        "stage": (
            "DreamError StagedContext StagedMemory snapshot sweep_staging"
        ),
        "waiting": "WaitingDream WaitingReview",
    },
)
