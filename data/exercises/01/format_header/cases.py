from random import Random

from memlab.course.exercise import Case
from memlab.errors import MemoryFormatError
from memlab.memdir import parse_memory

SLIP = "memlab has to read the same three values back"


def _reads_back(name: str, description: str, kind: str) -> Case:
    def fits(header: str) -> bool:
        lines = header.splitlines()
        if (
            lines[:1] != ["---"]
            or lines[-1:] != ["---"]
            or header[-1:] != "\n"
        ):
            return False
        try:
            memory = parse_memory(header + "Body.\n")
        except MemoryFormatError:
            return False
        read = (memory.name, memory.description, memory.raw_type, memory.body)
        return read == (name, description, kind, "Body.\n")

    return Case(
        (name, description, kind),
        "a header that reads back as the same values",
        fits,
        SLIP,
    )


def cases(random: Random) -> list[Case]:
    hard = [
        "Deploy: never",
        "# of boats",
        "'quoted'",
        'say "no"',
        "- dash",
        "[list]",
        "C:\\boats",
        "tide ",
        "@home",
        "a #b",
    ]
    easy = ["Tabs", "Tide times", "ferry at 17", "übung, später"]
    found = [_reads_back("Tabs", "Deploy: never on Friday", "feedback")]
    found += [_reads_back(text, easy[0], "project") for text in hard]
    for _ in range(8):
        found.append(
            _reads_back(
                random.choice(easy),
                random.choice(hard),
                random.choice(("user", "project")),
            )
        )
    return found
