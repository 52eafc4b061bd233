"""memlab: how a coding agent remembers, as a course in notebooks and a package to read.

``connect`` and ``Harness`` are handed on from their modules when they are first asked for, so that
``import memlab`` loads no third party. Like ``__main__``, this file parses on Python 3.8: an old
Python gets a message.
"""

import sys
from types import ModuleType

TYPE_CHECKING = False  # type checkers read it as true; typing's own costs ten milliseconds
if TYPE_CHECKING:
    from memlab.connect import connect as connect
    from memlab.harness import Harness as Harness

__version__ = "0.1.0"
__all__ = ["Harness", "__version__", "connect"]


def __getattr__(name: str) -> object:
    """Find a public name in its module (PEP 562)."""
    if name == "connect":
        from memlab.connect import connect

        return connect
    if name == "Harness":
        from memlab.harness import Harness

        return Harness
    raise AttributeError(f"module 'memlab' has no attribute {name!r}")


class _Package(ModuleType):
    """Keeps ``memlab.connect`` the function.

    Python sets a submodule as an attribute of its package once it is loaded, which would put the
    module ``memlab.connect`` where the function of that name belongs.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name == "connect" and isinstance(value, ModuleType):
            value = getattr(value, "connect", value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
