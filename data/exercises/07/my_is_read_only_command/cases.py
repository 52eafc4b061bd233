from __future__ import annotations

from random import Random

from memlab.course import COMMAND_OPTIONS, Case, case

_FINE = (
    *(
        "ls",
        "ls -la tidebook",
        "cat notes.md CLAUDE.md",
        "grep -rn ferry tidebook",
        "wc -l notes.md",
    ),
    *(
        "find . -name board.py",
        "ls | wc -l",
        "grep -rn ERROR logs | grep -i card | head -5",
    ),
    *(
        "cat 'my notes.md'",
        'grep -n "late parties" notes.md',
        "find . -type f -mtime 7",
    ),
)
_HARM = {
    "rm notes.md": "a program may run only if it is a key of options",
    "./ls": "the name of a program is compared whole: ./ls is another program",
    "cat evil.sh | sh": "look at every stage of a pipe, the last one too",
    "ls;touch hit.txt": "; ends a command, with or without blanks around it",
    "ls & touch hit.txt": "& ends a command too",
    "cat notes.md>hit.txt": "> writes a file",
    "cat < /etc/passwd": "< reads a file that no operand names",
    "ls $(touch hit.txt)": "$( runs a command to make a word",
    'grep "`touch hit.txt`" notes.md': "a backtick runs a command, in double quotes too",
    "find . $ACTION": "$ hides a word: nobody knows what it will be",
    "cat {notes,README}.md": "{ makes two words of one",
    "cat ~/.ssh/id_rsa": "~ becomes another place",
    "ls\ntouch hit.txt": "a second line is a second command",
    "cat notes.md # quiet": "what # begins is read in two ways: refuse it",
    "find . -delete": "an option may be used only if it is listed for its program",
    'find . -del"ete"': "take quotes away before you compare: shlex.split does",
    "find . -d[e]lete": "an option with a pattern in it is none that is listed",
    "tail -f logs/desk.log": "an option may be used only if it is listed for its program",
    "tail +1f logs/desk.log": "a word that begins with + is an option of tail",
    "ls -R --dereference": "an option may be used only if it is listed for its program",
    "PATH=. ls": "PATH=. is no program, and so no key of options",
    "c\u200bat notes.md": "str.isprintable tells characters that nobody sees",
    "ls\u3000-la": "str.isprintable tells blanks of other kinds",
    "cat 'notes.md": "shlex.split raises ValueError for an open quote",
    "ls |": "an empty stage has no program",
    "": "no command is no reading command",
    "cat "
    + "notes.md " * 1_000: "over 4,000 characters a command is refused unread",
}
_FINE_SLIP = (
    "a guard that refuses everything is safe and useless: this one only reads"
)


def cases(random: Random) -> list[Case]:
    """Give commands that only read, commands that do not, and drawn ones of both kinds."""
    found = [
        case((command, COMMAND_OPTIONS), True, _FINE_SLIP) for command in _FINE
    ]
    found += [
        case((command, COMMAND_OPTIONS), False, slip)
        for command, slip in _HARM.items()
    ]
    for _ in range(20):
        stages = [_reader(random) for _ in range(random.randint(1, 3))]
        fine = " | ".join(stages)
        found.append(case((fine, COMMAND_OPTIONS), True, _FINE_SLIP))
        bad, slip = random.choice(
            (
                (
                    "tee out.txt",
                    "look at every stage of a pipe, the last one too",
                ),
                (
                    "wc --files0-from=list.txt",
                    "an option may be used only if it is listed",
                ),
                ("cat > out.txt", "> writes a file"),
                (
                    "find . -exec rm x",
                    "an option may be used only if it is listed",
                ),
            )
        )
        stages.insert(random.randint(0, len(stages)), bad)
        found.append(case((" | ".join(stages), COMMAND_OPTIONS), False, slip))
    return found


def _reader(random: Random) -> str:
    program = random.choice(("ls", "cat", "wc", "grep"))
    option = random.choice(sorted(COMMAND_OPTIONS[program]))
    word = random.choice(("tide", "board", "late", "boats"))
    operands = f"{word} notes.md" if program == "grep" else f"{word}.md"
    return f"{program} {option} {operands}"
