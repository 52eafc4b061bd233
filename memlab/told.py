"""What the person is told when they look into the history of a memory, or
change it: /forget, /undo, /why and /memory confirm.

Each function does it with the store, raises as the store does, and gives the
answer. Whether the person agreed, and where it is shown, is the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memlab.evidence.origin import Origin
from memlab.memdir.daily_log import is_below_logs
from memlab.memdir.places import INDEX, INDEXES, STORE_FOLDER
from memlab.memdir.store import MemoryStore
from memlab.text import visible


def forget(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Drop a memory so that it can be brought back."""
    reason = "the person asked to forget it"
    done = store.remove(file, reason=reason, who="user", session=session)
    return (
        f"Forgot {store.prefix}{file}. To bring it back: /undo"
        f" {store.prefix}{done.change}"
    )


def undo(store: MemoryStore, change: str = "", *, session: str = "") -> str:
    """Take back the newest change that stands, or a certain one.

    What was edited by hand since stays, and the answer says so.
    """
    done = store.undo(change, who="user", session=session)
    if not done.change and not done.kept:
        return "There is nothing to undo: everything is as it was before."
    sentences = []
    if done.change:
        undone = store.journal.standing(done.undoes)
        changed = [one.file for one in undone.changes]
        changed = [file for file in changed if file not in done.kept]
        memories = [file for file in changed if file not in INDEXES]
        files = ", ".join(
            f"{store.prefix}{file}" for file in memories or changed or [INDEX]
        )
        sentences.append(
            f"Took back {store.prefix}{undone.id} ({undone.what} by"
            f" {undone.who}): {files}"
        )
    if done.kept:
        were = "was" if len(done.kept) == 1 else "were"
        kept = ", ".join(f"{store.prefix}{file}" for file in done.kept)
        sentences.append(
            f"{kept} {were} edited by hand after"
            f" {store.prefix}{done.undoes}, so that text was left alone"
        )
    return ". ".join(sentences)


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
    """Record that the person confirms the text of unknown origin."""
    done = store.confirm(file, who="user", session=session)
    if not done.change:
        return (
            f"{store.prefix}{file} has no text of unknown origin. Nothing was"
            " changed."
        )
    said = (
        f"Confirmed {store.prefix}{file}: what was of unknown origin counts as"
        " your own words now."
    )
    if is_below_logs(file):
        return said
    return f"{said} To take that back: /undo {store.prefix}{done.change}"


def set_aside_notice(
    store: MemoryStore, *, show: Callable[[Path], str] = str
) -> str:
    """Say that the journal does not explain all images, and what to do; ""
    where it does.
    """
    count = len(store.journal.unexplained())
    if not count:
        return ""
    versions = (
        f"{count} stored version{'s' if count > 1 else ''} of your memory"
        " files"
    )
    home = show(store.directory / STORE_FOLDER)
    return (
        f"The history does not mention {versions}: the journal was probably"
        " lost, cut short or replaced by an older copy. Nothing was deleted:"
        f" they are kept in {home}/images. If you put journal.jsonl back"
        f" into {home} from a backup, the changes can be undone again."
    )
