from random import Random

from memlab.course.exercise import Case, case

SLIP = "a link, and behind a long dash the hook, if there is one"


def cases(random: Random) -> list[Case]:
    words = ("tide", "ferry", "board", "tabs", "kayak")
    found = [
        case(
            ("tabs.md", "Tabs", "before writing code"),
            "- [Tabs](tabs.md) — before writing code",
            SLIP,
        ),
        case(("tabs.md", "Tabs", ""), "- [Tabs](tabs.md)", SLIP),
    ]
    for _ in range(6):
        file, title, hook = random.choices(words, k=3)
        found.append(
            case(
                (f"{file}.md", title, hook),
                f"- [{title}]({file}.md) — {hook}",
                SLIP,
            )
        )
    return found
