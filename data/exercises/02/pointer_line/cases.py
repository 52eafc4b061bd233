from random import Random

from memlab.course.exercise import Case, case

LINK = "the line starts with '- [', and the title comes before the file"
DASH = "an em dash with a space on each side separates the link and the hook"
NO_HOOK = "without a hook, the line ends with the link"
AS_IT_IS = "title, file and hook are written as they are given"

TITLES = ("Tabs", "Last ferry home", "Über die Fähre", "to-do — later", "42")
CODE_TITLES = (
    "The LOCKFILE and its TITLE",
    "Sets like {file}",
    "100 %s",
    "{}",
)
HOOKS = (
    "before writing code",
    "Robin leaves for the 17:10 ferry; don't start anything big after 16:30",
    "the command is `python -m pytest -q`",
    "50 % (or more) — see the board",
    "- starts with a dash",
    "0",
    "what Tuva said about the ramp —",
    "Ends with a full stop.",
)


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ("tabs.md", "Tabs", "before writing code"),
            "- [Tabs](tabs.md) — before writing code",
            f"{LINK}; {DASH}",
        ),
        case(("tabs.md", "Tabs", ""), "- [Tabs](tabs.md)", NO_HOOK),
        case(
            ("last-ferry-home.md", "Last ferry home", ""),
            "- [Last ferry home](last-ferry-home.md)",
            NO_HOOK,
        ),
        case(
            ("team/review-order.md", "Order of reviews", "before a review"),
            "- [Order of reviews](team/review-order.md) — before a review",
            AS_IT_IS,
        ),
    ]
    found += [
        case(
            ("tabs.md", "Tabs", hook), f"- [Tabs](tabs.md) — {hook}", AS_IT_IS
        )
        for hook in HOOKS
    ]
    found += [
        case(
            ("sets.md", title, "for a HOOK"),
            f"- [{title}](sets.md) — for a HOOK",
            AS_IT_IS,
        )
        for title in CODE_TITLES
    ]
    for title in TITLES:
        file = f"note-{random.randint(1, 99)}.md"
        hook = random.choice(HOOKS)
        found.append(
            case(
                (file, title, hook), f"- [{title}]({file}) — {hook}", AS_IT_IS
            )
        )
        found.append(case((file, title, ""), f"- [{title}]({file})", NO_HOOK))
    return found
