"""Wheels are collected in a folder, and ``.venv`` is made from them without an index."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import venv
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.markers import Marker

from memlab.cli.setup.clone import find_clone, python_in
from memlab.cli.setup.installer import _pip
from memlab.cli.setup.packages import COURSE, lock_file
from memlab.cli.setup.wheels import (
    PLATFORMS,
    PYTHONS,
    Locked,
    fitting,
    needed,
    read_lock,
    target_for,
    this_target,
)
from tests.platforms import lacking, needs_posix
from tests.unit.cli.setup.scratch import COURSE as COURSE_LINES
from tests.unit.cli.setup.scratch import Scratch

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHER = next(python for python in PYTHONS if python != HERE)
WHEELS = 5
NO_NETWORK = "WARNING: Failed to establish a new connection: [Errno -3] getaddrinfo failed"


@pytest.fixture
def stick(scratch: Scratch, tmp_path: Path) -> Path:
    """A folder for wheels beside a clone whose lock has the hashes of the fake wheels."""
    entries = [
        f"{line} \\\n    --hash=sha256:{hashlib.sha256(line.split('==')[0].encode()).hexdigest()}\n"
        for line in COURSE_LINES
    ]
    (scratch.root / "memlab" / "cli" / "locks" / "course.txt").write_text("".join(entries), "utf-8")
    return tmp_path / "a stick" / "wheels"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_is_filled_and_the_course_installs_from_it_without_an_index(
    scratch: Scratch, stick: Path
) -> None:
    said = scratch.run("bundle", str(stick))
    assert said.status == 0, said.err
    assert f"with Python {HERE}. Hand it out" in said.out
    assert len([name for name in names(stick) if name.endswith(".whl")]) == WHEELS
    assert HERE in (stick / "README.txt").read_text("utf-8")
    assert ".unfinished" not in names(stick)

    said = scratch.run("lab", "--prepare", "--wheels", str(stick))
    assert said.status == 0, said.err
    calls = [
        line for line in scratch.log.read_text("utf-8").splitlines() if line.startswith("pip inst")
    ]
    assert len(calls) == 2
    assert all(f"--isolated --no-index --find-links {stick}" in call for call in calls)
    assert scratch.state == "ready"


def test_a_relative_folder_is_the_one_below_the_current_folder(
    scratch: Scratch, stick: Path, tmp_path: Path
) -> None:
    assert scratch.run("bundle", "a stick/wheels", cwd=tmp_path).status == 0
    assert scratch.run("lab", "--prepare", "--wheels", "a stick/wheels", cwd=tmp_path).status == 0
    assert f"--find-links {stick}" in scratch.log.read_text("utf-8")


def test_uv_too_keeps_away_from_any_index(scratch: Scratch, stick: Path) -> None:
    scratch.run("bundle", str(stick))
    scratch.give_uv()
    assert scratch.run("lab", "--prepare", "--wheels", str(stick)).status == 0
    assert f"--no-config --offline --no-index --find-links {stick}" in scratch.log.read_text(
        "utf-8"
    )


def test_what_is_there_is_not_fetched_again_and_what_is_damaged_is(
    scratch: Scratch, stick: Path
) -> None:
    scratch.run("bundle", str(stick))
    (stick / "mine.txt").write_text("mine", "utf-8")
    before = scratch.called
    assert scratch.run("bundle", str(stick)).status == 0
    assert scratch.called == before

    damaged = stick / "flotsam-1.3-py3-none-any.whl"
    damaged.write_text("cut off", "utf-8")
    assert scratch.run("bundle", str(stick)).status == 0
    assert damaged.read_text("utf-8") == "flotsam"
    assert len(scratch.called) == len(before) + 1
    assert (stick / "mine.txt").read_text("utf-8") == "mine"


def test_several_platforms_share_what_they_can(scratch: Scratch, stick: Path) -> None:
    platforms = "windows-amd64,macos-arm64"
    said = scratch.run("bundle", str(stick), "--platform", platforms, "--python", "3.12,3.13")
    assert said.status == 0, said.err
    found = names(stick)
    assert "driftwood-2.4-cp312-cp312-win_amd64.whl" in found
    assert "driftwood-2.4-cp313-cp313-macosx_11_0_arm64.whl" in found
    assert len(found) == WHEELS - 1 + 4 + 1  # and README.txt
    assert "windows-amd64 with Python 3.12, 3.13" in (stick / "README.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--platform", "linux"), "'linux' is unknown; choose from linux-x86_64, linux-aarch64"),
        (("--python", "3.9"), "'3.9' is unknown; choose from 3.11, 3.12"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(
    scratch: Scratch, stick: Path, arguments: tuple[str, ...], expected: str
) -> None:
    said = scratch.run("bundle", str(stick), *arguments)
    assert said.status == 2
    assert expected in said.err
    assert not stick.exists()


def test_a_file_is_no_folder(scratch: Scratch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", "utf-8")
    assert f"{file} is a file. Name a folder" in scratch.run("bundle", str(file)).err
    assert f"{file} is not a folder" in scratch.run("lab", "--wheels", str(file)).err
    assert file.read_text("utf-8") == "mine"
    assert "cannot write" in scratch.run("bundle", str(file / "below")).err


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (NO_NETWORK, f"run the same command again (of {WHEELS} wheels for"),
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "its hash differs"),
    ],
)
def test_what_stops_a_download_is_said_and_leaves_nothing_half(
    scratch: Scratch, stick: Path, output: str, expected: str
) -> None:
    said = scratch.run("bundle", str(stick), FAKE_PIP_SAYS=output)
    assert said.status == 1
    assert expected in said.err
    assert names(stick) == []


def test_a_package_without_a_wheel_is_named_and_the_others_are_collected(
    scratch: Scratch, stick: Path
) -> None:
    said = scratch.run("bundle", str(stick), FAKE_PIP_LACKS="driftwood")
    assert said.status == 1
    assert f"driftwood==2.4 has no wheel for {_this()}" in said.err
    assert len(names(stick)) == WHEELS - 1


@needs_posix
def test_ctrl_c_leaves_nothing_half(scratch: Scratch, stick: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    running = scratch.start("bundle", str(stick), FAKE_PIP_WAITS=str(pipe))
    with pipe.open("w"):  # returns once pip is in the middle of it
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert "stopped. Run the same command again to continue" in err
    assert names(stick) == []


def test_a_missing_wheel_is_named_before_anything_is_made(scratch: Scratch, stick: Path) -> None:
    scratch.run("bundle", str(stick))
    (stick / "flotsam-1.3-py3-none-any.whl").unlink()
    said = scratch.run("lab", "--wheels", str(stick))
    assert said.status == 1
    assert f"{stick} lacks 1 of the wheels for {_this()}: flotsam==1.3. Copy" in said.err
    assert f'bundle "{stick}" --platform' in said.err
    assert not scratch.venv.exists()


def test_a_folder_for_another_python_says_which_one_to_use(scratch: Scratch, stick: Path) -> None:
    platform = _this().split()[0]
    scratch.run("bundle", str(stick), "--platform", platform, "--python", OTHER)
    said = scratch.run("lab", "--wheels", str(stick))
    assert f"has wheels for {platform} with Python {OTHER}, but this is {_this()}" in said.err
    assert f"for example: python{OTHER} -m memlab" in said.err
    assert not scratch.venv.exists()


def test_a_damaged_wheel_is_not_installed(scratch: Scratch, stick: Path) -> None:
    scratch.run("bundle", str(stick))
    (stick / "flotsam-1.3-py3-none-any.whl").write_text("cut off", "utf-8")
    said = scratch.run("lab", "--wheels", str(stick))
    assert "flotsam-1.3-py3-none-any.whl is damaged" in said.err
    assert not scratch.venv.exists()


def test_an_empty_folder_and_the_developers_tools(scratch: Scratch, tmp_path: Path) -> None:
    assert "has no wheels. Name the folder" in scratch.run("lab", "--wheels", str(tmp_path)).err
    said = scratch.run("test", "--all", "--wheels", str(tmp_path))
    assert "not the developers' tools that --all needs" in said.err


def test_a_wheel_that_pip_will_not_have_leads_to_the_network(scratch: Scratch, stick: Path) -> None:
    scratch.run("bundle", str(stick))
    output = "ERROR: No matching distribution found for driftwood==2.4"
    said = scratch.run("lab", "--prepare", "--wheels", str(stick), FAKE_PIP_SAYS=output)
    assert f"{stick} has no wheel of driftwood==2.4 that this machine can use" in said.err


@pytest.mark.parametrize(
    ("wheel", "fits"),
    [
        ("numpy-2.1.0-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("numpy-2.1.0-1-cp312-cp312-manylinux2014_x86_64.whl", True),
        ("numpy-2.1.0-cp313-cp313-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.1.0-cp312-cp312-manylinux_2_28_aarch64.whl", False),
        ("numpy-2.1.0-cp312-cp312-musllinux_1_2_x86_64.whl", False),
        ("numpy-2.1.0-cp38-abi3-manylinux2014_x86_64.whl", True),
        ("numpy-2.1.0-cp313-abi3-manylinux2014_x86_64.whl", False),
        ("numpy-2.1.0-cp312-cp312t-manylinux2014_x86_64.whl", False),
        ("numpy-2.1.0-py2.py3-none-any.whl", True),
        ("numpy-2.1.0-py3-none-manylinux2014_x86_64.whl", True),
        ("numpy-2.1.1-py3-none-any.whl", False),
        ("numpy-2.1.0.tar.gz", False),
    ],
)
def test_which_wheels_fit(wheel: str, fits: bool) -> None:
    entry = Locked("numpy", "2.1.0", "", frozenset())
    target = target_for(PLATFORMS["linux-x86_64"], "3.12")
    assert fitting([wheel], entry, target) == ([wheel] if fits else [])


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_conditions_of_our_lock_are_read_as_pip_reads_them(platform: str, python: str) -> None:
    chosen = PLATFORMS[platform]
    lock = lock_file(find_clone(), COURSE)
    for release in (f"{python}.0", f"{python}.99"):
        target = target_for(chosen, python)
        values = {
            "python_full_version": release,
            "python_version": python,
            "sys_platform": chosen.sys_platform,
            "platform_machine": chosen.machine,
            "os_name": chosen.os_name,
            "implementation_name": "cpython",
        }
        expected = {
            str(entry)
            for entry in read_lock(lock)
            if not entry.marker or Marker(entry.marker).evaluate(values)
        }
        assert expected <= {str(entry) for entry in needed(lock, target)}
        exact = [
            entry
            for entry in read_lock(lock)
            if entry.applies(replace(target, releases=(release,)))
        ]
        assert {str(entry) for entry in exact} == expected


@pytest.mark.slow
def test_real_pip_installs_from_local_wheels_with_the_network_cut(tmp_path: Path) -> None:
    """The package is made here, so nothing is downloaded; pip gets no network at all."""
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode:
        lacking("mounts")
    folder = tmp_path / "a stick"
    folder.mkdir()
    wheel = _make_wheel(folder, "flotsam", "1.3")
    lock = tmp_path / "lock.txt"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock.write_text(f"flotsam==1.3 \\\n    --hash=sha256:{digest}\n", "utf-8")
    home = tmp_path / "venv"
    venv.create(home, with_pip=True)
    install = [*_pip(python_in(home), folder), "--require-hashes", "-r", str(lock)]
    ended = subprocess.run([unshare, "-rn", *install], capture_output=True, encoding="utf-8")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    says = subprocess.run(
        [python_in(home), "-c", "import flotsam; print(flotsam.__name__)"], capture_output=True
    )
    assert says.stdout.strip() == b"flotsam"


def _make_wheel(folder: Path, name: str, version: str) -> Path:
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n")
    return wheel


def _this() -> str:
    return str(this_target())
