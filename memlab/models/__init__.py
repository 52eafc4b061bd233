"""Models: the one way to a client, and the offline model that answers below the real SDK.

The offline model is a stand-in. It reads the request it is sent and answers by rules you can read
in ``roles/``; it says nothing about how well a language model would do. Names are imported from
their modules when they are first used, so that nothing loads the SDK before it is needed. Left out:
any understanding of language.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memlab.models.cache import Account as Account
    from memlab.models.cache import PromptCache as PromptCache
    from memlab.models.faults import FAULTS as FAULTS
    from memlab.models.faults import FaultScript as FaultScript
    from memlab.models.model import Exchange as Exchange
    from memlab.models.model import Latency as Latency
    from memlab.models.model import OfflineModel as OfflineModel
    from memlab.models.roles.screenplay import Screenplay as Screenplay
    from memlab.models.roles.screenplay import load_screenplay as load_screenplay
    from memlab.models.transport import AsyncOfflineTransport as AsyncOfflineTransport
    from memlab.models.transport import OfflineTransport as OfflineTransport

_MODULES = {
    "FAULTS": "faults",
    "Account": "cache",
    "AsyncOfflineTransport": "transport",
    "Exchange": "model",
    "FaultScript": "faults",
    "Latency": "model",
    "OfflineModel": "model",
    "OfflineTransport": "transport",
    "PromptCache": "cache",
    "Screenplay": "roles.screenplay",
    "load_screenplay": "roles.screenplay",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
