"""``store``: says which notebooks' outputs are out of date, or runs notebooks and stores them."""

from __future__ import annotations

from pathlib import Path

from memlab.cli.setup import interpreter
from memlab.cli.setup.place import Clone
from memlab.cli.setup.process import environment, run
from memlab.cli.setup.say import COMMAND, Problem, say
from memlab.cli.stored import changes_since_stored, notebooks, read_record
from memlab.cli.testing import warm_fonts

RUNNER = "tests/notebooks/store.py"
_REASONS_SHOWN = 3


def store(
    clone: Clone, numbers: list[str], *, changed: bool, everything: bool, here: bool = False
) -> int:
    """Store the notebooks with these ``numbers``, the ``changed`` ones, or all of them.

    Without any of the three, only say which ones are out of date and why: nothing is installed,
    run or written.
    """
    if bool(numbers) + changed + everything > 1:
        raise Problem(
            f"choose one of these: numbers of notebooks ({COMMAND} store 03), --changed, --all"
        )
    if not (clone.root / RUNNER).is_file():
        raise Problem(f"{RUNNER} is missing from this clone, so nothing can be stored")
    known = notebooks(clone.root)
    if not numbers and not everything:
        stale = _report(clone, known)
        if not changed:
            if stale:
                say(f"to run and store them: {COMMAND} store --changed")
            return 0
        if not stale:
            return 0
        numbers = [path.name[:2] for path in stale]
    numbers = _checked(known, numbers)
    chosen = interpreter.prepare(clone, here=here)
    env = environment(JUPYTER_PREFER_ENV_PATH="1")
    warm_fonts(chosen, env)
    return run([chosen.python, "-m", "tests.notebooks.store", *numbers], cwd=clone.root, env=env)


def _report(clone: Clone, known: list[Path]) -> list[Path]:
    """Print the notebooks that are out of date, each with its reasons; give them."""
    stale = []
    record = read_record(clone.root)
    for path in known:
        reasons = changes_since_stored(clone.root, path, record)
        if not reasons:
            continue
        stale.append(path)
        shown = ", ".join(reasons[:_REASONS_SHOWN])
        if len(reasons) > _REASONS_SHOWN:
            shown += f", and {len(reasons) - _REASONS_SHOWN} more"
        print(f"  {path.stem}: {shown}", flush=True)
    say(f"{len(known) - len(stale)} of {len(known)} notebooks are up to date")
    return stale


def _checked(known: list[Path], numbers: list[str]) -> list[str]:
    """Give the numbers with two digits; raises ``Problem`` for one that no notebook has."""
    there = [path.name[:2] for path in known]
    wanted = [number.zfill(2) for number in numbers]
    for number in wanted:
        if number not in there:
            raise Problem(
                f"there is no notebook {number}. The notebooks are: {', '.join(there) or 'none'}"
            )
    return wanted
