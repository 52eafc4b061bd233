"""What a person does to memory by hand, each with a sentence that says what was done.

Left out: finding what is meant, and asking back.
"""

from __future__ import annotations

from memlab.memdir.index import INDEX
from memlab.memdir.store import MemoryStore

STILL = "Transcripts of sessions in which it was said still hold the words."


def forget(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Drop a memory so that it can be brought back; raises as the store does."""
    done = store.remove(file, reason="the person asked to forget it", who="user", session=session)
    return f"Forgot {file}. To bring it back: /undo {done.change}"


def erase(store: MemoryStore, file: str, *, session: str = "") -> str:
    """Erase a memory and its history, which a person must have confirmed; raises as the store."""
    store.forget_for_good(file, confirmed=True, who="user", session=session)
    return f"Erased {file} and every copy in its history. {STILL}"


def undo(store: MemoryStore, change: str = "", *, session: str = "") -> str:
    """Take back the newest change that stands, or a certain one; raises as the store does."""
    done = store.undo(change, who="user", session=session)
    if not done.change:
        return "Nothing to take back: all is as it was before."
    entries = {entry.id: entry for entry in store.history()}
    undone = entries[entries[done.change].undoes]
    files = ", ".join(one.file for one in undone.changes if one.file != INDEX) or INDEX
    return f"Took back {undone.id} ({undone.what} by {undone.who}): {files}"
