"""What the person is told when they change their memory by a command.

Each function does one thing to a store and says, in a sentence or two, what
became of it and how to take it back. It raises what the store raises. What the
change does is the store's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memlab.errors import StoreError
from memlab.evidence.origin import Origin
from memlab.memdir import erase as erasing
from memlab.memdir import index
from memlab.memdir.journal import undone
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER, index_of
from memlab.memdir.store import By, MemoryStore
from memlab.text import visible

_MOVED = ("moved from ", "superseded by ")
_SHARED = (
    " If it was ever committed, the team's repository and every clone of it"
    " still contain it, because memlab changes nothing there."
)
_REMAIN = (
    " Some of its words remain in: {}. Edit or delete them there. What is in"
    f" {STORE_FOLDER}/images/ is the history of a memory: erase it with /forget"
    " --for-good FILE in its project."
)


def forget(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Drop a memory so that it can be brought back."""
    reason = "the person asked to forget it"
    done = store.remove(file, reason=reason, who="user", session=session)
    return (
        f"Forgot {store.prefix}{file}. To bring it back: /undo"
        f" {store.prefix}{done.change}"
    )


def erase(
    store: MemoryStore,
    file: str,
    *,
    session: str = "",
    places: Callable[[], Sequence[Path]] = tuple,
    show: Callable[[Path], str] = str,
) -> str:
    """Erase a memory or a daily log for good, which a person must have
    confirmed, and name where words of it remain.
    """
    by = By(who="user", session=session)
    # one place may be below another
    found = [*dict.fromkeys(erasing.erase(store, file, places=places, by=by))]
    said = (
        f"Erased {store.prefix}{file}, its name and every copy in the history."
    )
    if index_of(file) != INDEX:
        said += _SHARED
    if not found:
        return f"{said} No other memory and no transcript contains its words."
    return said + _REMAIN.format(
        index.named([show(Path(one)) for one in found])
    )


def undo(store: MemoryStore, change: str = "", *, session: str = "") -> str:
    """Take back the newest change that stands, a certain one, or the newest one
    of a file.
    """
    if change.endswith(".md"):
        change = _newest_change(store, change)
    done = store.undo(change, who="user", session=session)
    if not done.change and not done.kept:
        return "There is nothing to undo: everything is as it was before."
    undone = next(one for one in store.history() if one.id == done.undoes)
    named = f"{store.prefix}{undone.id}"
    said = []
    if done.change:
        files = {one.file for one in undone.changes} - {*done.kept, *INDEXES}
        memories = [store.prefix + file for file in sorted(files) or [INDEX]]
        how = f"{undone.what} by {undone.who}"
        said.append(f"Took back {named} ({how}): {', '.join(memories)}")
    was_moved = undone.what == "replace" and undone.reason.startswith(_MOVED)
    if done.change and was_moved:
        said.append(
            f"It was {undone.reason}. That half of the move stands: undo it"
            f" there too, or come back with /undo {store.prefix}{done.change}"
        )
    for file in done.kept:
        said.append(
            f"{store.prefix}{file} has changed since {named}, so that text"
            " was left alone"
        )
    return ". ".join(said)


def _newest_change(store: MemoryStore, file: str) -> str:
    """Find the newest change of a file that was not taken back yet."""
    gone = undone(store.history())
    for entry in reversed(store.history(file)):
        if not entry.undoes and entry.id not in gone:
            return entry.id
    what = f"{store.prefix}{file} has no change to undo"
    raise StoreError(what, do="Name another file")


def why(store: MemoryStore, file: str) -> str:
    """Say of each sentence of a memory where it came from."""
    lines = store.why(file)
    said = [visible(str(line)) for line in lines]
    if any(line.stamp.origin is Origin.UNKNOWN for line in lines):
        named = f"{store.prefix}{file}"
        said.append(
            f"If what is unknown is yours, confirm it once: /memory confirm"
            f" {named}, or `python3 -m memlab why {named} --confirm`"
        )
    return "\n".join(said)


def confirm(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Record that the person confirms a memory."""
    done = store.confirm(file, who="user", session=session)
    named = f"{store.prefix}{file}"
    if not done.change:
        return f"{named} has no text of unknown origin. Nothing was changed."
    return (
        f"Confirmed {named}: what was of unknown origin counts as your own"
        " words now."
    )
