"""Dreaming: when it is due, who may do it, and how its result becomes memory.

Taking notes during the day is extraction's work, and the model is passed in.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dream": "Dream DreamTask",
        "gates": (
            "GATES GateReport ScanThrottle Situation Verdict check_gates"
            " gate_chain"
        ),
        "lock": "ConsolidationLock Held Refused",
        "plan": "WaitingReview",
        "receipt": "Receipt",
        "stage": "DreamError StagedMemory snapshot sweep_staging",
    },
)
