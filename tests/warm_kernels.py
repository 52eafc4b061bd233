"""A plugin for pytest (``-p tests.warm_kernels``): nbval's kernels are forked
from one warm process per worker.

A kernel spends seconds on importing IPython, the SDK and memlab. Here, one
process has imported them, and each kernel is a fork of it. Where the system has no fork,
kernels start as usual.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

NAME = "warm"
IMPORTED = (
    "anthropic.resources.messages",
    "ipykernel.kernelapp",
    "ipywidgets",
    "memlab.course.lab",
    "memlab.harness",
)


def pytest_configure() -> None:
    """Let every kernel of this process be forked."""
    if not hasattr(os, "fork"):
        return
    factory = KernelProvisionerFactory.instance()
    factory.provisioners[NAME] = EntryPoint(
        NAME, f"{__name__}:WarmProvisioner", "jupyter_client.kernel_provisioners"
    )
    factory.default_provisioner_name = NAME


class WarmProvisioner(LocalProvisioner):
    """Starts a kernel by asking the warm process for a fork."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Fork a kernel that reads the connection file named in the command."""
        self.process = ForkedProcess(
            file=cmd[cmd.index("-f") + 1],
            env=dict(options.get("env") or os.environ),
            folder=str(options.get("cwd") or Path.cwd()),
        )
        self.pid = self.process.pid
        self.pgid = None
        return self.connection_info


class ForkedProcess:
    """A forked kernel, as far as jupyter_client needs a ``Popen``."""

    stdin = stdout = stderr = None

    def __init__(self, **job: Any) -> None:
        self.pid: int = _ask(job)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _ask({"ended": self.pid})
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        return self.poll()

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


_warm: list[subprocess.Popen[str]] = []


def _ask(job: dict[str, Any]) -> Any:
    """Send the warm process a line, and return what it answers."""
    if not _warm:
        command = [sys.executable, "-m", __name__]
        pipe = subprocess.PIPE
        _warm.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
    stdin, stdout = _warm[0].stdin, _warm[0].stdout
    assert stdin is not None
    assert stdout is not None
    stdin.write(json.dumps(job) + "\n")
    stdin.flush()
    return json.loads(stdout.readline())


def _serve() -> None:
    """Fork a kernel for each line, or say whether one has ended."""
    # A kernel ends when its parent does; ipykernel reads this when imported.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    for name in IMPORTED:
        import_module(name)
    for line in sys.stdin:
        job = json.loads(line)
        answer: int | None = 0
        if "ended" in job:
            with suppress(ChildProcessError):
                pid, status = os.waitpid(job["ended"], os.WNOHANG)
                answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            answer = os.fork()
            if answer == 0:
                _become_a_kernel(**job)
        print(json.dumps(answer), flush=True)


def _become_a_kernel(file: str, env: dict[str, str], folder: str) -> None:
    from ipykernel.kernelapp import IPKernelApp

    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.setsid()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.argv = ["ipykernel_launcher", "-f", file]
    IPKernelApp.launch_instance(argv=["-f", file])
    os._exit(0)


if __name__ == "__main__":
    _serve()
