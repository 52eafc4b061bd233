"""memlab: how a coding agent remembers, as a course in notebooks and a package
to read.

The public names are imported when they are first used, so that ``import
memlab`` loads no third-party package. Like ``__main__``, this file can be
parsed by Python 3.8, so that an old Python gets a message.
"""

from memlab.lazy import lazy_exports

TYPE_CHECKING = False  # type checkers read it as true; importing typing costs ten milliseconds
if TYPE_CHECKING:
    from memlab.dream.dream import Dream as Dream
    from memlab.dream.lock import ConsolidationLock as ConsolidationLock
    from memlab.extract.extractor import Extractor as Extractor
    from memlab.harness import Harness as Harness
    from memlab.harness import HarnessOptions as HarnessOptions
    from memlab.memdir.doctor import diagnose as diagnose
    from memlab.memdir.memory import Memory as Memory
    from memlab.memdir.store import MemoryStore as MemoryStore
    from memlab.models.connect import make_runtime as make_runtime
    from memlab.runtime import Runtime as Runtime
    from memlab.settings import Settings as Settings

__version__ = "0.3.0"
__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dream.dream": "Dream",
        "dream.lock": "ConsolidationLock",
        "extract.extractor": "Extractor",
        "harness": "Harness HarnessOptions",
        "memdir.doctor": "diagnose",
        "memdir.memory": "Memory",
        "memdir.store": "MemoryStore",
        "models.connect": "make_runtime",
        "runtime": "Runtime",
        "settings": "Settings",
    },
)
