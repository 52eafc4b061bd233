"""Adding lines to the log of today.

A log only grows, so the journal keeps no versions of it: it has the origin of
each new sentence, and when it came.
"""

from __future__ import annotations

from datetime import date, datetime

from memlab.clock import to_nanoseconds
from memlab.errors import MemoryRefusedError
from memlab.evidence.sentences import sentences_of
from memlab.evidence.support import Evidence, Verdict
from memlab.memdir.checks import refuse_secrets
from memlab.memdir.daily_log import append_refused, log_path, plain_log
from memlab.memdir.journal import LOG
from memlab.memdir.store import By, MemoryStore, Written
from memlab.text import shorten

_SAY_SO = "if an earlier line is wrong, let the new one say so"


def append_log(
    store: MemoryStore, file: str, text: bytes | str, today: date, by: By
) -> Written:
    """Add lines: ``text`` is the whole log, as it should be.

    Raises MemoryRefusedError for any other change, for a secret, and for words
    that claim more than their source.
    """
    with store.journal.guard():
        name = store.file(file)
        old = store.folder.read(name).data or b""
        before = plain_log(old)
        after = plain_log(text.encode() if isinstance(text, str) else text)
        refused = append_refused(name, before, after, today)
        if refused:
            do = f"Add a new line at the end of {log_path(today)}; {_SAY_SO}"
            raise MemoryRefusedError(
                refused, rule="append-only", where=name, do=do
            )
        refuse_secrets(name, after, "what is new in it", before)
        # where a crash has cut off a line, this begins with its line end
        new = f"{after[len(before) :].rstrip()}\n".encode("utf-8", "replace")
        evidence = by.get("evidence")
        if evidence is not None:
            _refuse_risen(name, old + new, old, evidence)
        stamps = store.origins({name: old + new}, {name: old}, by, {})
        draft = store.draft(LOG, by, origins=stamps)
        at = to_nanoseconds(datetime.fromisoformat(draft.at))
        store.folder.append(name, new)
        store.folder.set_time(name, at)
        # a line without a stamp is of unknown origin, which is safe
        entry = store.journal.commit(draft, {})
        return Written(store.directory / name, entry.id)


def _refuse_risen(
    name: str, new: bytes, old: bytes, evidence: Evidence
) -> None:
    had = {one.key for one in sentences_of(name, old)}
    for one in sentences_of(name, new):
        judged = evidence.judge(one)
        if one.key not in had and judged.verdict is Verdict.RISE:
            what = (
                f"“{shorten(one.text, 200)}” claims more than the person said"
            )
            do = "Write who says it, or leave it out"
            raise MemoryRefusedError(what, rule="held", where=name, do=do)
