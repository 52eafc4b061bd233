"""What can go wrong on a stranger's machine ends in one line that says what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memlab.cli.setup.installer import diagnose
from tests.platforms import lacking
from tests.unit.cli.setup.scratch import FAKES, LOCKS, Said, Scratch

OFFLINE = """WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError(
"host='pypi.org': Failed to resolve 'pypi.org' ([Errno -3] Temporary failure in name resolution)")'
ERROR: Could not find a version that satisfies the requirement pytest (from versions: none)
ERROR: No matching distribution found for pytest"""


def one_line(said: Said) -> str:
    """Give the complaint of a run, after checking that it is one line and the run failed."""
    lines = said.err.splitlines()
    assert said.status == 1
    assert len(lines) == 1, said.err
    assert lines[0].startswith("memlab: ")
    return lines[0]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (OFFLINE, "no network: the package index could not be reached. Connect"),
        ("ssl.SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED", "set PIP_CERT"),
        ("ERROR: No matching distribution found for nbval>=9", "has no nbval>=9 for Python"),
        ("  ERROR: Failed building wheel for psutil", "psutil has no wheel"),
        ("ERROR: [Errno 28] No space left on device", "the disk is full. Free about 1 GB"),
        ("OSError: [WinError 112] There is not enough space on the disk", "the disk is full"),
        ("ERROR: [Errno 13] Permission denied: 'x'", "could not write into .venv"),
        (
            "first\nERROR: something new.\nafter",
            "set-up failed: ERROR: something new. The whole",
        ),
        ("", "set-up failed: the installer printed nothing"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "its hash differs"),
        ("  cause: Hash mismatch for `six==1.17.0`", "downloaded (six==1.17.0) is not the one"),
        (
            "error: Request failed after 3 retries\n  cause: Failed to fetch: http://x/six/\n"
            "  cause: client error (Connect)\n  cause: dns error",
            "no network: the package index could not be reached",
        ),
        (
            "error: Failed to fetch: https://x/\n  cause: invalid peer certificate: UnknownIssuer",
            "set PIP_CERT (for uv: SSL_CERT_FILE)",
        ),
        ("  cause: Because there is no version of six==99 and you require", "has no six==99 for"),
        ("  cause: Because six was not found in the package registry and", "has no six for Python"),
        ("  cause: Because six==1 has no usable wheels and you", "has no six==1 for Python"),
        (
            "ERROR: No matching distribution found for nbval==0.11",
            "on this machine. If it is your company's index, ask for the package to be added. "
            "Otherwise, there may be one for another Python version: try the same command with",
        ),
        ("  cause: failed: Read-only file system (os error 30)", "could not write into .venv"),
        (
            "error: In `--require-hashes` mode, all requirements must have a hash, but none were "
            "provided for: packaging==26.3",
            "no exact version and hash for packaging",
        ),
        (
            "error: Hash-checking is required, but no trusted hash was provided for: `tornado`",
            "no exact version and hash for tornado",
        ),
        (
            "ERROR: In --require-hashes mode, all requirements must have their versions pinned "
            "with ==. These do not:\n    tornado>=6.2 from index (from jupyterlab)",
            "no exact version and hash for tornado",
        ),
    ],
)
def test_what_the_installer_printed_is_put_into_one_line(output: str, expected: str) -> None:
    said = str(diagnose(output, "The whole of it: x"))
    assert expected in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("output", "expected", "made_again"),
    [
        (OFFLINE, "no network: the package index could not be reached. Connect", False),
        ("ERROR: [Errno 28] No space left on device", "the disk is full. Free about 1 GB", True),
        ("a riddle", "The whole output: .venv/memlab-install.log", True),
    ],
)
def test_after_a_failure_of_pip_the_same_command_helps(
    scratch: Scratch, output: str, expected: str, made_again: bool
) -> None:
    assert expected in one_line(scratch.run("lab", "--prepare", FAKE_PIP_SAYS=output))
    assert output in (scratch.venv / "memlab-install.log").read_text("utf-8")
    assert scratch.run("lab", "--prepare").status == 0
    again = ["venv"] if made_again else []
    assert scratch.called == ["venv", "pip course", *again, "pip course"]


def test_without_network_what_is_installed_will_do(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    scratch.lock("dev", *LOCKS["dev"], "jetsam==3")
    said = scratch.run("lab", "--prepare", FAKE_PIP_SAYS=OFFLINE)
    assert said.status == 0
    assert "no network to look for updates" in said.out


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("...because ensurepip is not available.", "sudo apt install python3-venv"),
        ("/usr/bin/python3: No module named venv", "sudo apt install python3-venv"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
    ],
)
def test_the_environment_cannot_be_made(scratch: Scratch, output: str, expected: str) -> None:
    assert expected in one_line(scratch.run("lab", "--prepare", FAKE_VENV_SAYS=output))
    assert scratch.run("lab", "--prepare").status == 0


def test_a_python_without_ensurepip_will_do_where_uv_is(scratch: Scratch, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "ensurepip.py").write_text("raise ImportError", "utf-8")
    path = os.pathsep.join([str(tmp_path / "bare"), str(FAKES), str(scratch.root)])
    said = scratch.run("lab", "--prepare", PYTHONPATH=path)
    assert "sudo apt install python3-venv" in one_line(said)
    assert not scratch.venv.exists()

    scratch.give_uv()
    assert scratch.run("lab", "--prepare", PYTHONPATH=path).status == 0
    assert scratch.called == ["venv --without-pip", "uv course"]
    offline = "error: Failed to fetch: http://x"
    scratch.lock("dev", *LOCKS["dev"], "jetsam==3")
    said = scratch.run("lab", "--prepare", PYTHONPATH=path, FAKE_UV_SAYS=offline)
    assert "no network to look for updates" in said.out


def test_a_package_without_its_repository(scratch: Scratch) -> None:
    (scratch.root / "requirements.txt").unlink()
    assert "Clone the repository" in one_line(scratch.run("lab"))


def _in_namespace(scratch: Scratch, script: str) -> Said:
    """Run a shell script where it may mount; skip where that is not allowed."""
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rm", "true"], capture_output=True).returncode:
        lacking("mounts")
    ended = subprocess.run(
        [unshare, "-rm", "sh", "-ec", script, "sh", sys.executable],
        cwd=scratch.root,
        env=scratch.environment(),
        capture_output=True,
        encoding="utf-8",
    )
    return Said(ended.returncode, ended.stdout, ended.stderr)


def test_a_clone_that_cannot_be_written(scratch: Scratch) -> None:
    script = 'mount --bind . .; mount -o remount,ro,bind "$PWD"; cd "$PWD"; "$1" -m memlab lab'
    complaint = one_line(_in_namespace(scratch, script))
    assert "Read-only file system" in complaint
    assert "Move the clone to a folder that you own" in complaint


def test_a_disk_that_is_really_full(scratch: Scratch, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    script = (
        f'mount -t tmpfs -o size=700k tmpfs "{small}"; cp -r . "{small}"; cd "{small}"; '
        f'PYTHONPATH="{FAKES}" PYTHONDONTWRITEBYTECODE=1; export PYTHONPATH; '
        'head -c 2M /dev/zero > filler || true; "$1" -m memlab lab --prepare'
    )
    said = _in_namespace(scratch, script)
    assert said.status == 1
    assert said.err.splitlines()[-1].startswith("memlab: the disk is full. Free about 1 GB")
