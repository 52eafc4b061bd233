"""A second checkout of the lab's project, as git makes it."""

from __future__ import annotations

from pathlib import Path

from memlab.course.lab import Lab


def add_worktree(lab: Lab, name: str) -> Path:
    """Make the project a git repository with one worktree next to it, and
    return the worktree's folder.

    Only the files that lead from one to the other are written, so that git
    itself is not needed.
    """
    worktree = lab.home / name
    git = lab.project / ".git"
    record = git / "worktrees" / name
    for folder in (git / "objects", git / "refs", record, worktree):
        folder.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (record / "commondir").write_text("../..\n")
    (record / "gitdir").write_text(f"{worktree / '.git'}\n")
    (worktree / ".git").write_text(f"gitdir: {record}\n")
    return worktree
