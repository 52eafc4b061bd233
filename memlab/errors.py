"""The errors memlab raises: each says what was wrong, where, and what to do
about it.

Left out: wrapping the SDK's own errors. Code that talks to the model catches
those by their own names.
"""

from __future__ import annotations


class MemlabError(Exception):
    """Something a person can act on; the base of every error memlab raises
    itself.
    """

    def __init__(self, what: str, *, where: object = "", do: str = "") -> None:
        self.what = what
        self.where = str(where)
        self.do = do
        message = f"{self.where}: {what}" if self.where else what
        super().__init__(f"{message}. {do}" if do else message)


class SettingsError(MemlabError):
    """A setting has a value that cannot work."""


class ModelError(MemlabError):
    """No usable model: an unknown mode, a missing key, or an address that
    cannot be one.
    """


class TapeMiss(MemlabError):
    """A request is not on the tape that is replayed.

    ``tape`` and ``purpose`` say where it was looked for, ``changed`` which
    parts differ from the nearest recorded request, and ``diff`` how.
    """

    def __init__(
        self,
        what: str,
        *,
        tape: object,
        purpose: str,
        changed: tuple[str, ...] = (),
        diff: str = "",
        do: str = "",
    ) -> None:
        self.tape = str(tape)
        self.purpose = purpose
        self.changed = changed
        self.diff = diff
        super().__init__(what, where=tape, do=do)
        shown = [f"{tape}: {what}" + (":" if diff else "."), diff, do]
        self.args = ("\n".join(line for line in shown if line),)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback."""
        return [str(self)]


def tape_miss(error: BaseException | None) -> TapeMiss | None:
    """Return the TapeMiss that led to an error, if one did.

    The SDK wraps whatever a transport raises in its own error.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, TapeMiss):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def pass_on_tape_miss(error: BaseException | None) -> None:
    """Raise the TapeMiss that led to an error, if one did.

    Whatever goes on after a failed call asks this first. A failed call is
    something to cope with; a tape without the request means that the whole
    experiment would show something else than it says.
    """
    miss = tape_miss(error)
    if miss is not None:
        raise miss from None


class PromptError(MemlabError):
    """A prompt file is missing, or its placeholders and the values given do
    not match.
    """


class ScriptError(MemlabError):
    """A script for the stand-in does not have the form it must have."""


class CourseError(MemlabError):
    """The course cannot prepare what a notebook asked for; a notebook shows
    this as one line.
    """

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback."""
        return [str(self)]


class MemoryFormatError(MemlabError):
    """A memory file cannot be read as one; ``line`` counts from 1 (0: the
    whole file).
    """

    def __init__(
        self, what: str, *, where: object = "", line: int = 0, do: str = ""
    ) -> None:
        self.line = line
        place = str(where) or "memory"
        super().__init__(
            what, where=f"{place}:{line}" if line else place, do=do
        )


class MemoryPathError(MemlabError):
    """A path may not be used: it leads, or could lead, outside the memory
    directory.
    """


class MemoryRefusedError(MemlabError):
    """A check refused a write; ``rule`` names the check."""

    def __init__(
        self, what: str, *, rule: str, where: object = "", do: str = ""
    ) -> None:
        self.rule = rule
        super().__init__(what, where=where, do=do)


class StoreError(MemlabError):
    """The memory store cannot do what was asked, and has changed nothing."""
