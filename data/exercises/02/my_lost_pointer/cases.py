from __future__ import annotations

from random import Random

from memlab.course import Case, case


def cases(random: Random) -> list[Case]:
    found = [
        case(
            ("- [A](a.md) — x\n", "a.md", 2),
            "shown",
            "a pointer above the cap is shown",
        ),
        case(
            ("- [A](a.md) — x\n", "b.md", 2),
            "missing",
            "a file no line points to has none",
        ),
        case(
            ("- [A](a.md)\n- [B](b.md)\n", "b.md", 1),
            "cut",
            "a line below the cap is cut off",
        ),
        case(
            ("- [A](a.md) — see b.md\n- [B](b.md)\n", "b.md", 1),
            "cut",
            "a file named in another line's hook is not a pointer to it",
        ),
        case(
            ("- [A](aa.md)\n", "a.md", 3),
            "missing",
            "aa.md is another file than a.md",
        ),
    ]
    for _ in range(20):
        files = [
            f"note-{n}.md"
            for n in random.sample(range(100), random.randint(2, 8))
        ]
        text = "".join(
            f"- [Note](%s) — like {random.choice(files)}\n" % file
            for file in files
        )
        wanted, cap = random.choice([*files, "other.md"]), random.randint(1, 8)
        place = files.index(wanted) if wanted in files else -1
        state = "missing" if place < 0 else "shown" if place < cap else "cut"
        found.append(
            case(
                (text, wanted, cap),
                state,
                "find the line first, then compare with the cap",
            )
        )
    return found
