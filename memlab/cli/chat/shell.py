"""Any shell command, for ``--shell``: run in the project's folder after the
person's yes.

It has no keyboard, no key of the model's service in its environment, and an
end: after some seconds, at a flood of output, or when the person interrupts.
Left out: judging the command.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

SECONDS, OUTPUT_BYTES = 120.0, 40_000
_OWN = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class Shell:
    """Runs one command at a time; ``stop`` ends it from another thread."""

    def __init__(
        self,
        folder: Path,
        *,
        seconds: float = SECONDS,
        output_bytes: int = OUTPUT_BYTES,
    ) -> None:
        self._folder, self._seconds, self._bytes = (
            folder,
            seconds,
            output_bytes,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._note = ""

    def __call__(self, command: str) -> str:
        """Run a command and give what it printed, with its exit status unless
        that is 0.
        """
        self._note = ""
        process = self._process = subprocess.Popen(
            command,
            shell=True,
            cwd=self._folder,
            env={
                name: value
                for name, value in os.environ.items()
                if name not in _OWN
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        late = threading.Timer(
            self._seconds, self.stop, [f"stopped after {self._seconds:g} s"]
        )
        late.daemon = True
        late.start()
        assert process.stdout is not None
        with process.stdout as output:
            data = output.read(self._bytes + 1)
            if len(data) > self._bytes:
                self.stop(f"stopped after {self._bytes} bytes of output")
        status = process.wait()
        late.cancel()
        self._process = None
        note = self._note or (f"exit status {status}" if status else "")
        text = data[: self._bytes].decode("utf-8", "replace").rstrip("\n")
        return "\n".join(
            part for part in (text, f"[{note}]" if note else "") if part
        )

    def stop(self, note: str = "interrupted by the person") -> None:
        """End the command under way, and whatever it has started."""
        process = self._process
        if process is None:
            return
        self._note = self._note or note
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
