"""Public names of a package that are imported when they are first used (PEP
562).

With this, ``import memlab`` loads no third-party package, and a learner can
still write ``from memlab.recall import Surfaced``.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # type checkers read it as true; importing typing costs ten milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_exports(
    package: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    ``modules`` has the modules of the package, each with the public names in
    it, separated by spaces. A public name must not be the name of a module in
    the same package, because importing that module would replace it.
    """
    module_of = {
        name: module
        for module, names in modules.items()
        for name in names.split()
    }

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}"
            )
        # not kept here: a course may put a learner's version into the module
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of})

    return sorted(module_of), load, names
