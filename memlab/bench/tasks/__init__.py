"""The tasks of the bench: one module each, and the table of them.

A case is asked in a scratch folder that is shown to the model as its home,
at the time that the label gives. So a request contains nothing of this
machine or of today, and a recording can be replayed anywhere. What fails in a
call is not judged here: the run sees it below the SDK.
"""

from collections.abc import Mapping

from memlab.bench.tasks.dream import DREAM
from memlab.bench.tasks.extract import EXTRACT
from memlab.bench.tasks.follow import FOLLOW
from memlab.bench.tasks.pick import PICK
from memlab.bench.tasks.select import SELECT
from memlab.bench.tasks.task import Task

TASKS: Mapping[str, Task] = {
    task.name: task for task in (SELECT, PICK, EXTRACT, DREAM, FOLLOW)
}
