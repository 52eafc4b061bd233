"""Requirement lines, versions, and what installers print, read without pip."""

import pytest

from memlab.cli.setup.installer import Progress
from memlab.cli.setup.packages import parse_requirement


@pytest.mark.parametrize(
    ("line", "version", "accepted"),
    [
        ("a>=2,<3", "2.12.0", True),
        ("a>=2,<3", "3.0", False),
        ("a>=2,<3", "1.99", False),
        ("a>=4.4", "4.4", True),
        ("a>=4.4", "4.10", True),
        ("a>=4.4", "4.3.9", False),
        ("a>=8.1.0", "8.1", True),
        ("a==2.1", "2.1.7", True),
        ("a==2.1", "2.10", False),
        ("a<3", "3", False),
        ("a<3", "3.0rc1", False),
        ("a", "0.0.1", True),
    ],
)
def test_ranges(line: str, version: str, accepted: bool) -> None:
    assert parse_requirement(line).accepts(version) is accepted


def test_names_are_compared_as_pip_does() -> None:
    assert parse_requirement("Types_PyYAML >= 6").name == "types-pyyaml"


@pytest.mark.parametrize("line", ["a @ https://x", "a; sys_platform == 'win32'", "a~=2", "-r b"])
def test_other_forms_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="not of the form"):
        parse_requirement(line)


def test_progress_of_uv() -> None:
    progress = Progress()
    assert progress.describe("Resolved 122 packages in 794ms\n") == "122 packages found"
    assert progress.describe("Downloading pydantic-core (2.2MiB)\n") == (
        "122 packages found, fetching pydantic-core (2.2MiB)"
    )
    assert progress.describe("Prepared 101 packages in 1.33s\n") == "unpacking 101 packages"
    assert progress.describe("   Building memlab @ file:///somewhere\n") == "building memlab"
    assert progress.describe(" + six==1.17.0\n") is None


def test_progress_tells_how_many_and_which() -> None:
    progress = Progress()
    assert progress.describe("Collecting jupyterlab<5,>=4.4\n") == (
        "1 packages found, now jupyterlab<5,>=4.4"
    )
    assert progress.describe("  Downloading jupyterlab-4.6.6-py3-none-any.whl (12.4 MB)\n") == (
        "1 packages found, fetching jupyterlab (12.4 MB)"
    )
    assert progress.describe("Installing collected packages: a, b, c\n") == "unpacking 3 packages"
    assert progress.describe("WARNING: Retrying (Retry(total=2))\n") == (
        "no answer from the package index, trying again"
    )
    assert progress.describe("  Installing build dependencies: started\n") == (
        "installing build dependencies"
    )
    assert progress.describe("Requirement already satisfied: six\n") is None
