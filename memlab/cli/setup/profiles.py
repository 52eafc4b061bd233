"""The three sets of packages that a command can ask for; each contains the one before it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """A set of packages: what it is for, where pyproject.toml lists it, and its size on disk."""

    name: str
    extras: tuple[str, ...]
    megabytes: int
    """How much an environment with these packages takes (measured on Linux, Python 3.12)."""

    def includes(self, other: Profile) -> bool:
        """Tell whether an environment with this profile has all that the other one needs."""
        return set(other.extras) <= set(self.extras)


LIGHT = Profile("light", (), 80)
COURSE = Profile("course", ("course",), 470)
DEV = Profile("dev", ("course", "dev"), 740)

PROFILES = {profile.name: profile for profile in (LIGHT, COURSE, DEV)}
