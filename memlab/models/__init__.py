"""Models: the one way to a client, and the offline model that answers below
the real SDK.

The offline model reads the request it is sent and answers by rules that you
can read in ``standin/``, and by scripts. It understands no language, and says
nothing about how well a language model would do.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "cache": "Account PromptCache",
        "connect": "choose_model make_runtime",
        "offline": "FAULTS Exchange Latency OfflineModel",
        "standin.scripts": "Script load_script",
    },
)
