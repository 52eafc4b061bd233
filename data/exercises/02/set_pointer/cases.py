from random import Random

from memlab.course.exercise import Case, case

SLIP = "one pointer for each memory, on top of the others, and all other lines as they are"


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ("# Mine\n- [A](a.md) — x\n", "b.md", "- [B](b.md)"),
            "# Mine\n- [B](b.md)\n- [A](a.md) — x\n",
            SLIP,
        ),
        case(
            ("- [A](a.md) — x\n", "a.md", "- [A](a.md) — y"),
            "- [A](a.md) — y\n",
            SLIP,
        ),
        case(
            ("", "a.md", "- [A](a.md) — y"),
            "- [A](a.md) — y\n",
            "an index may be empty",
        ),
        case(
            ("- [A](a.md)\n\nmy own words\n", "a.md", "- [A](a.md) — y"),
            "- [A](a.md) — y\n\nmy own words\n",
            SLIP,
        ),
        case(
            ("- [A](aa.md)\n", "a.md", "- [A](a.md)"),
            "- [A](a.md)\n- [A](aa.md)\n",
            "aa.md is another file than a.md",
        ),
    ]
    for _ in range(8):
        names = random.sample("abcdefgh", 5)
        lines = [
            f"- [{name.upper()}]({name}.md) — {name}" for name in names[:4]
        ]
        name = random.choice(names)
        new = f"- [{name.upper()}]({name}.md) — new"
        wanted = [new if f"]({name}.md)" in line else line for line in lines]
        wanted = wanted if name in names[:4] else [new, *lines]
        found.append(
            case(
                ("\n".join(lines) + "\n", f"{name}.md", new),
                "\n".join(wanted) + "\n",
                SLIP,
            )
        )
    return found
