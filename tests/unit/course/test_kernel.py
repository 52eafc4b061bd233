from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.course.kernel import Kernel

HOLD = (
    "import sys; from pathlib import Path; from memlab.course.kernel import KERNEL; "
    "print(KERNEL.claim(Path(sys.argv[1]), '00').name, flush=True); sys.stdin.read()"
)


def test_one_process_gets_the_same_folder_again(tmp_path: Path) -> None:
    kernel = Kernel()
    assert kernel.claim(tmp_path, "00") == kernel.claim(tmp_path, "00") == tmp_path / "00"
    assert kernel.claim(tmp_path, "01") == tmp_path / "01"
    kernel.release()


def test_another_process_gets_a_folder_beside_it_until_the_first_one_ends(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline().strip() == "00"
        second = Kernel()
        assert second.claim(tmp_path, "00") == tmp_path / "00-2"
        second.release()
        other.stdin.close()
        other.wait()
    third = Kernel()
    assert third.claim(tmp_path, "00") == tmp_path / "00"
    third.release()


def test_a_file_system_without_locks_is_used_unguarded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import filelock

    def no_locks(self: object, *args: object, **kwargs: object) -> None:
        raise NotImplementedError("no locks here")

    monkeypatch.setattr(filelock.FileLock, "acquire", no_locks)
    kernel = Kernel()
    assert kernel.claim(tmp_path, "00") == tmp_path / "00"
    kernel.release()


def test_only_tasks_it_was_told_of_are_cancelled() -> None:
    async def scene() -> tuple[int, bool, bool]:
        kernel = Kernel()
        ours = asyncio.create_task(asyncio.Event().wait())
        others = asyncio.create_task(asyncio.Event().wait())
        kernel.own(ours)
        count = kernel.cancel_leftovers()
        await asyncio.wait([ours])
        outcome = ours.cancelled(), others.cancelled()
        others.cancel()
        return count, *outcome

    assert asyncio.run(scene()) == (1, True, False)


def test_a_task_of_a_loop_that_is_gone_is_no_trouble() -> None:
    kernel = Kernel()
    loop = asyncio.new_event_loop()
    work = loop.create_task(asyncio.Event().wait())
    kernel.own(work)
    loop.run_until_complete(asyncio.wait([work], timeout=0))
    work.cancel()
    loop.run_until_complete(asyncio.wait([work]))
    loop.close()
    assert kernel.cancel_leftovers() == 0


def test_hints_count_up_to_the_last() -> None:
    kernel = Kernel()
    assert [kernel.next_hint("my_x", 2) for _ in range(3)] == [1, 2, 2]
    assert kernel.next_hint("my_y", 2) == 1
