"""memlab: how a coding agent remembers, as a course in notebooks and a package to read.

``connect`` and ``Harness`` are imported from their modules when they are first used, so that
``import memlab`` loads no third-party package. Like ``__main__``, this file can be parsed by Python
3.8, so that an old Python gets a message.
"""

import sys

TYPE_CHECKING = False  # type checkers read it as true; typing's own costs ten milliseconds
if TYPE_CHECKING:
    from memlab.harness import Harness as Harness
    from memlab.models.connect import connect as connect

__version__ = "0.1.0"
__all__ = ["Harness", "__version__", "connect"]


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    if name == "connect":
        from memlab.models.connect import connect

        return connect
    if name == "Harness":
        from memlab.harness import Harness

        return Harness
    raise AttributeError(f"module 'memlab' has no attribute {name!r}")


if "IPython" in sys.modules:
    from memlab.cli.older_copies import watch_imports

    watch_imports()
