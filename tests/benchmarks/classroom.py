"""Measure what a class costs on one server: memory and processor per learner.

    python -m tests.benchmarks.classroom                 ten learners, notebook 04
    python -m tests.benchmarks.classroom --learners 4 --notebook 08

Each learner has a Jupyter server, as on a hub, and one kernel. The notebook is run from top to
bottom, first by one of them, then by all at once, faster than any person would. The memory is the
proportional set size: a page that processes share counts once. It needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
from jupyter_client.blocking.client import BlockingKernelClient

from memlab.cli.setup.clone import find_clone

ROOT = find_clone().root
MB = 1e6
START_SECONDS = 300.0
CELL_SECONDS = 600.0


class Learner:
    """A Jupyter server with a home of its own, and its one kernel."""

    def __init__(self, home: Path) -> None:
        self._token = secrets.token_hex(16)
        self._runtime = home / "runtime"
        self._kernel = ""
        env = {
            **os.environ,
            "HOME": str(home),
            "JUPYTER_RUNTIME_DIR": str(self._runtime),
            "MEMLAB_COURSE_HOME": str(home / "course"),
            "PYTHONPATH": str(ROOT),
            "PYTHONHASHSEED": "0",
        }
        options = [
            "--no-browser",
            "--allow-root",
            "--log-level=ERROR",
            "--port=0",
            "--ip=127.0.0.1",
        ]
        self.server = psutil.Popen(
            [
                sys.executable,
                "-m",
                "jupyterlab",
                *options,
                f"--IdentityProvider.token={self._token}",
            ],
            cwd=home,
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start_kernel(self) -> None:
        self._kernel = self._ask("POST", "/api/kernels", {"name": "python3"})["id"]

    def stop_kernel(self) -> None:
        self._ask("DELETE", f"/api/kernels/{self._kernel}")

    def kernel(self) -> psutil.Process:
        (process,) = [
            child
            for child in self.server.children(recursive=True)
            if any(self._kernel in word for word in child.cmdline())
        ]
        return process

    def run(self, sources: list[str]) -> float:
        """Run the cells; gives the seconds. Raises ``RuntimeError`` if a cell fails."""
        client = BlockingKernelClient(
            connection_file=str(self._runtime / f"kernel-{self._kernel}.json")
        )
        client.load_connection_file()
        client.start_channels()
        start = time.monotonic()
        try:
            client.kernel_info(reply=True, timeout=START_SECONDS)
            for number, source in enumerate(sources, 1):
                reply = client.execute_interactive(
                    source, timeout=CELL_SECONDS, output_hook=lambda _: None, allow_stdin=False
                )
                if reply["content"]["status"] != "ok":
                    raise RuntimeError(f"code cell {number}: {reply['content'].get('evalue')}")
        finally:
            client.stop_channels()
        return time.monotonic() - start

    def wait(self) -> None:
        """Wait until the server answers."""
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                self._ask("GET", "/api/status")
                return
            except (OSError, LookupError) as error:
                if self.server.poll() is not None or time.monotonic() > until:
                    raise RuntimeError("a Jupyter server did not start") from error
                time.sleep(0.2)

    def _ask(self, method: str, path: str, body: object = None) -> dict[str, str]:
        found = [json.loads(file.read_text()) for file in self._runtime.glob("jpserver-*.json")]
        request = urllib.request.Request(
            found[0]["url"].rstrip("/") + path,
            method=method,
            headers={"Authorization": f"token {self._token}"},
            data=None if body is None else json.dumps(body).encode(),
        )
        with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
            text = answer.read()
        return dict(json.loads(text)) if text else {}


def megabytes(processes: list[psutil.Process]) -> list[float]:
    return sorted(process.memory_full_info().pss / MB for process in processes)


@contextmanager
def highest(processes: list[psutil.Process]) -> Iterator[list[float]]:
    """Gives a list to which the highest sum of their memory is added at the end."""
    ended = threading.Event()
    result: list[float] = []

    def watch() -> None:
        most = 0.0
        while not ended.wait(1.0):
            most = max(most, sum(megabytes(processes)))
        result.append(most)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield result
    finally:
        ended.set()
        watching.join()


def measure(learners: list[Learner], sources: list[str]) -> None:
    servers = [learner.server for learner in learners]
    print(f"servers, no kernel:        {_range(megabytes(servers))} MB each", flush=True)
    first = learners[0]
    first.start_kernel()
    print(f"notebook, alone:           {first.run(sources):.0f} s", flush=True)
    first.stop_kernel()
    for learner in learners:
        learner.start_kernel()
    kernels = [learner.kernel() for learner in learners]
    before = time.monotonic()
    with highest(servers + kernels) as most, ThreadPoolExecutor(len(learners)) as pool:
        seconds = list(pool.map(lambda learner: learner.run(sources), learners))
    elapsed = time.monotonic() - before
    busy = sorted(sum(kernel.cpu_times()[:2]) for kernel in kernels)
    print(f"notebook, all at once:     {_range(sorted(seconds))} s, together {elapsed:.0f} s")
    print(f"processor time per kernel: {_range(busy)} s")
    print(f"kernels afterwards:        {_range(megabytes(kernels))} MB each")
    print(f"servers afterwards:        {_range(megabytes(servers))} MB each")
    print(f"all together, at most:     {most[0]:.0f} MB")
    for learner in learners:
        learner.stop_kernel()
    time.sleep(2)
    print(f"kernels shut down:         {sum(megabytes(servers)):.0f} MB together", flush=True)


def _range(values: list[float]) -> str:
    return f"{values[0]:.0f} to {values[-1]:.0f}"


def _sources(number: str) -> list[str]:
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--learners", type=int, default=10)
    parser.add_argument("--notebook", default="04")
    args = parser.parse_args()
    if not sys.platform.startswith("linux"):
        print("the proportional set size can only be measured on Linux", file=sys.stderr)
        return 1
    load = os.getloadavg()[0]
    print(f"{args.learners} learners, {os.cpu_count()} processors, load before: {load:.1f}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        learners: list[Learner] = []
        try:
            for number in range(args.learners):
                home = Path(folder, f"learner{number}")
                home.mkdir()
                learners.append(Learner(home))
            for learner in learners:
                learner.wait()
            measure(learners, _sources(args.notebook))
        finally:
            for learner in learners:
                learner.server.terminate()
            psutil.wait_procs([learner.server for learner in learners], timeout=20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
