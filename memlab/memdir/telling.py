"""What the person is told when they change their memory by a command.

Each function does one thing to a store and says, in a sentence or two, what
became of it and how to take it back. It raises what the store raises. What the
change does is the store's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from memlab.errors import StoreError
from memlab.evidence.origin import Origin
from memlab.memdir import erase as erasing
from memlab.memdir.daily_log import is_below_logs, split_place
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER, index_of
from memlab.memdir.store import By, MemoryStore
from memlab.text import visible

NAMED = 20  # files that a message names, at most
_SHARED = (
    " If it was ever committed, the team's repository and every clone of it"
    " still contain it, because memlab changes nothing there."
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
    name = whole_file(store, file)
    by = By(who="user", session=session)
    found = erasing.erase(store, file, places=places, by=by)
    said = (
        f"Erased {store.prefix}{file}, its name and every copy in the history."
    )
    if index_of(name) != INDEX:
        said += _SHARED
    if not found:
        return f"{said} No other memory and no transcript contains its words."
    named = [
        show(Path(one)) if Path(one).is_absolute() else one
        for one in found[:NAMED]
    ]
    more = len(found) - len(named)
    also = f"; and in {more} more" if more else ""
    said += (
        f" Some of its words remain in: {'; '.join(named)}{also}. Edit or"
        " delete them there."
    )
    history = f"/{STORE_FOLDER}/images/"
    if any(history in Path(one).as_posix() for one in found):
        said += (
            f" What is in {STORE_FOLDER}/images/ is the history of a memory:"
            " erase it with /forget --for-good FILE in its project."
        )
    return said


def whole_file(store: MemoryStore, file: str) -> str:
    """Give the name of what is to be erased; raises StoreError for a line."""
    name, line = split_place(file)
    if line:
        what = (
            "a line of a log is erased by hand, because a log has no history"
        )
        do = f"Delete line {line} in {store.directory / name}"
        raise StoreError(what, where=file, do=do)
    return name


def undo(store: MemoryStore, change: str = "", *, session: str = "") -> str:
    """Take back the newest change that stands, or a certain one."""
    done = store.undo(change, who="user", session=session)
    if not done.change and not done.kept:
        return "There is nothing to undo: everything is as it was before."
    said = []
    if done.change:
        entries = {entry.id: entry for entry in store.history()}
        undone = entries[done.undoes]
        changed = [
            one.file for one in undone.changes if one.file not in done.kept
        ]
        memories = [file for file in changed if file not in INDEXES]
        files = _named(store, memories or changed or [INDEX])
        said.append(
            f"Took back {store.prefix}{undone.id} ({undone.what} by"
            f" {undone.who}): {files}"
        )
    if done.kept:
        were = "was" if len(done.kept) == 1 else "were"
        said.append(
            f"{_named(store, done.kept)} {were} edited by hand after"
            f" {store.prefix}{done.undoes}, so that text was left alone"
        )
    return ". ".join(said)


def why(store: MemoryStore, file: str) -> str:
    """Say of each sentence of a memory where it came from."""
    lines = store.why(file)
    text = "\n".join(visible(str(line)) for line in lines)
    if any(line.stamp.origin is Origin.UNKNOWN for line in lines):
        text += (
            "\nIf what is unknown is yours, confirm it once: /memory confirm"
            f" {store.prefix}{file}, or `python3 -m memlab why"
            f" {store.prefix}{file} --confirm`"
        )
    return text


def confirm(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Record that the person confirms a memory."""
    done = store.confirm(file, who="user", session=session)
    named = f"{store.prefix}{file}"
    if not done.change:
        return f"{named} has no text of unknown origin. Nothing was changed."
    said = (
        f"Confirmed {named}: what was of unknown origin counts as your own"
        " words now."
    )
    if is_below_logs(file):
        return said
    return f"{said} To take that back: /undo {store.prefix}{done.change}"


def unexplained_notice(
    store: MemoryStore, *, show: Callable[[Path], str] = str
) -> str:
    """Say that the journal does not explain all images, and what to do; ""
    where it does.
    """
    count = len(store.journal.unexplained())
    if not count:
        return ""
    versions = "1 stored version" if count == 1 else f"{count} stored versions"
    home = show(store.directory / STORE_FOLDER)
    return (
        f"The history does not mention {versions} of your memory files: the"
        " journal was probably lost, cut short or replaced by an older copy."
        f" Nothing was deleted: they are in {home}/images. If you put"
        f" journal.jsonl back into {home} from a backup, the changes can be"
        " undone again."
    )


def _named(store: MemoryStore, files: Iterable[str]) -> str:
    return ", ".join(f"{store.prefix}{file}" for file in files)
