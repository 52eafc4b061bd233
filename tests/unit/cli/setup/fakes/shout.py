"""A command that needs the light packages: it notes that it ran, and with which arguments."""

import os


def main(argv: list[str]) -> int:
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(" ".join(["shout", *argv]) + "\n")
    return 0
