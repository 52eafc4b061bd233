"""Which Python is used: one that has everything as it is, otherwise ``.venv``."""

import json
import os
from pathlib import Path

import pytest

from tests.unit.cli.setup.scratch import FAKES, Scratch


@pytest.fixture
def filled(scratch: Scratch, tmp_path: Path) -> str:
    """A search path on which all of the scratch clone's requirements are installed."""
    site = tmp_path / "site"
    for name in ("flotsam-1.3", "pytest-8.4.0", "nbval-0.11.0", "driftwood-2.4", "memlab-0.1.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    origin = {"url": scratch.root.as_uri(), "dir_info": {"editable": True}}
    (site / "memlab-0.1.0.dist-info" / "direct_url.json").write_text(json.dumps(origin), "utf-8")
    return os.pathsep.join([str(FAKES), str(scratch.root), str(site)])


def test_a_python_that_has_everything_is_used_as_it_is(scratch: Scratch, filled: str) -> None:
    said = scratch.run("lab", "--prepare", PYTHONPATH=filled)
    assert "it has everything that is needed" in said.out
    assert not scratch.venv.exists()


@pytest.mark.parametrize("other", ["driftwood-1.9", "driftwood-3.0", "jetsam-2.4"])
def test_a_python_that_lacks_something_is_not(
    scratch: Scratch, filled: str, tmp_path: Path, other: str
) -> None:
    (tmp_path / "site" / "driftwood-2.4.dist-info").rename(tmp_path / "site" / f"{other}.dist-info")
    assert "making .venv" in scratch.run("lab", "--prepare", PYTHONPATH=filled).out


def test_memlab_from_another_clone_does_not_count(
    scratch: Scratch, filled: str, tmp_path: Path
) -> None:
    mark = tmp_path / "site" / "memlab-0.1.0.dist-info" / "direct_url.json"
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    mark.write_text(json.dumps(origin), "utf-8")
    assert "making .venv" in scratch.run("lab", "--prepare", PYTHONPATH=filled).out


def test_here_says_what_is_missing_and_installs_nothing(scratch: Scratch) -> None:
    said = scratch.run("lab", "--prepare", "--here")
    assert "using this Python" in said.out
    assert "it lacks flotsam>=1, driftwood>=2,<3, memlab" in said.out
    assert scratch.called == []


def test_a_hub_that_lacks_something_is_told_how_to_get_it(scratch: Scratch) -> None:
    said = scratch.run("lab", JUPYTERHUB_SERVICE_PREFIX="/user/robin/")
    assert said.status == 1
    assert "lacks flotsam>=1, driftwood>=2,<3, memlab" in said.err
    assert "If JupyterLab runs on another Python, use that one" in said.err
    assert (
        "run: python3 -m pip install -r requirements.txt, and then this command again" in said.err
    )
    assert scratch.called == []


def test_on_a_hub_with_shared_packages_only_memlab_is_installed(
    scratch: Scratch, filled: str, tmp_path: Path
) -> None:
    """Everybody has a clone of their own; the teacher's, if it is installed, is not theirs."""
    home = tmp_path / "home"
    site = tmp_path / "mine"
    mark = tmp_path / "site" / "memlab-0.1.0.dist-info" / "direct_url.json"
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    mark.write_text(json.dumps(origin), "utf-8")
    hub = {
        "PYTHONPATH": os.pathsep.join([str(FAKES), str(scratch.root), str(site), filled]),
        "JUPYTERHUB_SERVICE_PREFIX": "/user/robin/",
        "HOME": str(home),
        "FAKE_PIP_SITE": str(site),
    }
    said = scratch.run("lab", **hub)
    assert said.status == 0, said.err
    assert f"installed memlab from {scratch.root} for you" in said.out
    assert "open my/00_start_here.ipynb in its file list" in said.out
    assert "pip install" in scratch.log.read_text("utf-8")
    assert not scratch.venv.exists()
    assert "installed memlab" not in scratch.run("lab", **hub).out


def test_on_a_hub_no_second_server_is_started(scratch: Scratch, filled: str) -> None:
    said = scratch.run("lab", PYTHONPATH=filled, JUPYTERHUB_SERVICE_PREFIX="/user/robin/")
    assert "open my/00_start_here.ipynb in its file list" in said.out
    assert "option" not in said.out
