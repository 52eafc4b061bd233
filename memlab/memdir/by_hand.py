"""What a person does to memory by hand, each with a message that says what was done.

Left out: finding what is meant, and asking back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memlab.memdir.index import INDEX
from memlab.memdir.store import MemoryStore

NAMED = 20
FORCE = "--force"


def forget(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Drop a memory so that it can be brought back; raises as the store does."""
    done = store.remove(file, reason="the person asked to forget it", who="user", session=session)
    return f"Forgot {file}. To bring it back: /undo {done.change}"


def erase(
    store: MemoryStore,
    file: str,
    *,
    session: str = "",
    places: Callable[[], Sequence[Path]] = tuple,
    show: Callable[[Path], str] = str,
) -> str:
    """Erase a memory and its history, which a person must have confirmed; raises as the store.

    The message names every file, earlier version and transcript, the latter from ``places``, in
    which words of the memory remain. Nothing is erased there.
    """
    done = store.forget_for_good(file, confirmed=True, places=places, who="user", session=session)
    told = f"Erased {file}, its name and every copy in the history."
    if not done.remains:
        return f"{told} No other memory and no transcript contains its words."
    named = [show(Path(one)) if Path(one).is_absolute() else one for one in done.remains[:NAMED]]
    more = len(done.remains) - len(named)
    also = f"; and in {more} more" if more else ""
    where = "; ".join(named) + also
    return f"{told} Some of its words remain in: {where}. Edit or delete them there."


def undo(store: MemoryStore, change: str = "", *, force: bool = False, session: str = "") -> str:
    """Take back the newest change that stands, or a certain one; raises as the store does.

    What was edited by hand since stays, and the message says how to replace it.
    """
    done = store.undo(change, force=force, who="user", session=session)
    if not done.change and not done.kept:
        return "There is nothing to undo: everything is as it was before."
    told = []
    if done.change:
        undone = next(entry for entry in store.history() if entry.id == done.undoes)
        changed = [one.file for one in undone.changes if one.file not in done.kept]
        files = ", ".join(file for file in changed if file != INDEX) or INDEX
        told.append(f"Took back {undone.id} ({undone.what} by {undone.who}): {files}")
    if done.kept:
        were = "was" if len(done.kept) == 1 else "were"
        told.append(
            f"{', '.join(done.kept)} {were} edited by hand after {done.undoes}, so that text was "
            f"left alone. To replace it anyway: /undo {done.undoes} {FORCE}"
        )
    if any(one.rule == "replaced" for one in done.findings):
        told.append(f"The newer text was replaced. To bring it back: /undo {done.change}")
    return ". ".join(told)


def set_aside_notice(store: MemoryStore, *, show: Callable[[Path], str] = str) -> str:
    """Say that the journal does not explain all images, and what to do; "" where it does."""
    count = len(store.set_aside)
    if not count:
        return ""
    versions = f"{count} stored version{'s' if count > 1 else ''} of your memory files"
    home = show(store.directory / ".memlab")
    return (
        f"The history does not mention {versions}: the journal was probably lost, cut short or "
        f"replaced by an older copy. Nothing was deleted: they are kept in {home}/set-aside. "
        f"If you put journal.jsonl back into {home} from a backup, the changes can be "
        f"undone again. "
        f"If you have none, keep the files you need and delete that folder."
    )
