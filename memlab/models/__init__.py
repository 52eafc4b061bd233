"""The offline model: rules that answer below the real SDK, at the HTTP transport.

It is a stand-in. It reads the request it is sent and answers by rules you can read in ``roles/``;
it says nothing about how well a language model would do. Left out: any understanding of language.
"""

from memlab.models.cache import Account, PromptCache
from memlab.models.faults import FAULTS, FaultScript
from memlab.models.model import Exchange, Latency, OfflineModel
from memlab.models.roles.screenplay import Screenplay, load_screenplay
from memlab.models.transport import AsyncOfflineTransport, OfflineTransport

__all__ = [
    "FAULTS",
    "Account",
    "AsyncOfflineTransport",
    "Exchange",
    "FaultScript",
    "Latency",
    "OfflineModel",
    "OfflineTransport",
    "PromptCache",
    "Screenplay",
    "load_screenplay",
]
