"""Commands, each with the rule that decides it.

``tests/unit/course/test_sandbox_gaps.py`` gives them to a real shell in a
throw-away folder: what is in READS and what is drawn as harmless changes
nothing there, and every command in HARM changes a file, runs another program,
reads elsewhere, or does not end. Those in CAREFUL are harmless, and the task
says that they are refused.
"""

from __future__ import annotations

from random import Random

from memlab.course import COMMAND_OPTIONS, Case, case

OPTIONS = {program: set(words) for program, words in COMMAND_OPTIONS.items()}
SORT = {"sort": {"-n", "-r", "-u"}, "cat": {"-n"}, "uniq": set()}
"""With a program that can write through its own options."""
FINE = "The command obeys all five rules, so it is allowed"
LONG = "A command of more than 4,000 characters is refused"
CHARACTER = "Only the characters of rule 2 are allowed, even in quotes"
NEWLINE = (
    "A line ending is not among the characters of rule 2, even at the end"
)
STAGE = "Every stage is judged, the last one too"
EMPTY = "A stage without words is refused"
QUOTE = "If a quote isn't closed, the command is refused"
PIPE = "The command is split at every '|', even in quotes"
PROGRAM = "The first word of every stage has to be a key of options"
OPTION = "A word that begins with '-' has to be an option of its own program"
WHOLE = "The whole word has to be equal to an option"
HIDDEN = "Remove the quotes first: shlex.split does that"

READS = (
    "ls",
    "  ls   -l  ",
    "ls -la tests",
    "ls -l -a",
    "cat notes.md tests/tide.md",
    "cat 'my notes.md'",
    'cat "my notes.md"',
    "cat my' 'notes.md",
    "cat ''notes.md",
    "'ls' -l",
    'l"s"',
    "grep -rn ferry .",
    "grep -c 'late, early' notes.md",
    "grep ferry notes.md|wc -l",
    "grep -rn ferry . | grep -i card | head -5",
    "find . -name notes.md",
    "find . -type f -mtime 7",
    "stat notes.md",
    "wc -l notes.md",
    "head -n 3 notes.md",
    "cat a=b.md a:b.md a,b.md",
    "cat -n notes.md | cat | cat -n",
    "ls ''",
    "cat no-such-file.md",
    "cat notes.md-old",
)

HARM = {
    # a second command
    "ls; touch hit": CHARACTER,
    "ls;touch hit": CHARACTER,
    "ls ;touch hit": CHARACTER,
    "touch hit; ls": f"{PROGRAM}; {CHARACTER}",
    "ls && touch hit": CHARACTER,
    "ls && rm notes.md": CHARACTER,
    "ls & touch hit": CHARACTER,
    "ls&touch hit": CHARACTER,
    "ls missing || touch hit": f"{CHARACTER}; {EMPTY}",
    "ls missing ||touch hit": f"{CHARACTER}; {EMPTY}",
    "ls |& tee hit": CHARACTER,
    "ls\ntouch hit": CHARACTER,
    "ls\n\ntouch hit": CHARACTER,
    "touch hit\nls": CHARACTER,
    "ls -l \n rm notes.md": CHARACTER,
    # a command inside a word
    "ls $(touch hit)": CHARACTER,
    'ls "$(touch hit)"': CHARACTER,
    "ls `touch hit`": CHARACTER,
    'grep "`touch hit`" notes.md': CHARACTER,
    "cat <(touch hit)": CHARACTER,
    "ls ${x:-$(touch hit)}": CHARACTER,
    "ls $((a[$(touch hit)]))": CHARACTER,
    # redirection
    "cat notes.md > hit": CHARACTER,
    "cat notes.md>hit": CHARACTER,
    "cat notes.md >> tests/tide.md": CHARACTER,
    "> notes.md cat": CHARACTER,
    "ls 2>hit": CHARACTER,
    "ls missing 2>> hit": CHARACTER,
    "cat notes.md >| hit": CHARACTER,
    "ls >(tee hit)": CHARACTER,
    "cat notes.md <> hit": CHARACTER,
    # a word that a shell makes
    "find . $ACTION": CHARACTER,
    "find . ${ACTION}": CHARACTER,
    'find . "$ACTION"': CHARACTER,
    "find . {-name,old.md,-delete}": CHARACTER,
    "find . -{delete,print}": CHARACTER,
    "{ touch hit; }": CHARACTER,
    "(touch hit)": CHARACTER,
    "find . -d[e]lete -delete": CHARACTER,
    "find -name old.md ?delete": CHARACTER,
    "find -name old.md -d*": CHARACTER,
    # another program
    "rm notes.md": PROGRAM,
    "touch hit": PROGRAM,
    "./ls": PROGRAM,
    "./ls -l": PROGRAM,
    "tools/cat notes.md": PROGRAM,
    "PATH=. ls": PROGRAM,
    "PATH=tools cat notes.md": PROGRAM,
    "x=1 touch hit": PROGRAM,
    "env ls | env touch hit": PROGRAM,
    "xargs touch hit": PROGRAM,
    "sh ls": PROGRAM,
    "command touch hit": PROGRAM,
    "'touch' hit": PROGRAM,
    "ls | tee hit": STAGE,
    "ls|tee hit": STAGE,
    "touch hit | ls": STAGE,
    "ls | touch hit | wc -l": STAGE,
    "cat ls | sh": STAGE,
    "cat notes.md | 'tee' hit": STAGE,
    # an option
    "find . -delete": OPTION,
    "find -delete": OPTION,
    "find tests -delete": OPTION,
    "find . -name old.md -delete": OPTION,
    "find . -type f -delete": OPTION,
    "find . -type f -fprint hit": OPTION,
    "find . -fls hit": OPTION,
    "find . -fprintf hit x": OPTION,
    "ls | find . -delete": f"{OPTION}; {STAGE}",
    "find . -del'ete'": HIDDEN,
    'find . -d"elet"e': HIDDEN,
    "find . '-delete'": HIDDEN,
    'find . "-delete"': HIDDEN,
    "find . ''-delete": HIDDEN,
    'find . "-"delete': HIDDEN,
    "find . -del\\ete": f"{HIDDEN}; {CHARACTER}",
    "find . \\-delete": f"{HIDDEN}; {CHARACTER}",
    "find tests -exec rm {} +": f"{OPTION}; {CHARACTER}",
    "find . -name ls -exec touch hit \\;": CHARACTER,
    "tail -f notes.md": OPTION,
    "tail -n 1 -f notes.md": OPTION,
    "tail -fn1 notes.md": WHOLE,
    "tail --follow notes.md": OPTION,
    "tail --fol notes.md": OPTION,
    "tail --f notes.md": OPTION,
    "tail +1f notes.md": CHARACTER,
    "ls ~": CHARACTER,
    "cat ~/secret": CHARACTER,
}

SORT_HARM = {
    "sort -o hit notes.md": OPTION,
    "sort -ohit notes.md": WHOLE,
    "sort notes.md -o hit": OPTION,
    "sort notes.md -ohit": WHOLE,
    "sort -ro hit notes.md": WHOLE,
    "sort -nrohit notes.md": WHOLE,
    "sort -r -n -u -o notes.md notes.md": OPTION,
    "sort --output=hit notes.md": OPTION,
    "sort --output hit notes.md": OPTION,
    "sort --out=hit notes.md": OPTION,
    "sort --o=hit notes.md": OPTION,
    "sort '-o' hit notes.md": HIDDEN,
    'sort -"o"hit notes.md': f"{HIDDEN}; {WHOLE}",
    "cat notes.md | sort -o hit": STAGE,
}

CAREFUL = {
    "": EMPTY,
    "   ": EMPTY,
    "ls |": EMPTY,
    "| ls": EMPTY,
    "ls | | wc -l": EMPTY,
    "ls || wc -l": EMPTY,
    "''": PROGRAM,
    "'' ls": PROGRAM,
    "'ls -l'": PROGRAM,
    "LS": PROGRAM,
    "lsx": PROGRAM,
    "l": PROGRAM,
    "-l": PROGRAM,
    "-l ls": PROGRAM,
    "stat -c x notes.md": OPTION,
    "wc -n notes.md": OPTION,
    "cat -l notes.md": OPTION,
    "ls -n": OPTION,
    "ls -L": WHOLE,
    "ls -al": WHOLE,
    "ls -lR": WHOLE,
    "ls -l1": WHOLE,
    "ls -l=1": WHOLE,
    "ls --all": OPTION,
    "head -6 notes.md": WHOLE,
    "head -n3 notes.md": WHOLE,
    "head -55 notes.md": WHOLE,
    "find . -nam notes.md": WHOLE,
    "find . -names notes.md": WHOLE,
    "cat -": OPTION,
    "cat -- notes.md": OPTION,
    "grep -- -n notes.md": OPTION,
    "find . -name -x": OPTION,
    "ls | wc -l | head -l": f"{OPTION}; {STAGE}",
    "cat 'notes.md": QUOTE,
    'cat "notes.md': QUOTE,
    "cat notes.md'": QUOTE,
    "grep 'a|b' notes.md": PIPE,
    'grep "a | ls" notes.md': PIPE,
    "ls | cat 'x | y'": PIPE,
    "grep 'a > b' notes.md": CHARACTER,
    "grep 'a;b' notes.md": CHARACTER,
    "grep '$HOME' notes.md": CHARACTER,
    "grep 'a*' notes.md": CHARACTER,
    "cat notes.m?": CHARACTER,
    "cat notes.[m]d": CHARACTER,
    "cat {notes,my}.md": CHARACTER,
    "cat notes.md # quiet": CHARACTER,
    "cat my\\ notes.md": CHARACTER,
    "ls\t-l": CHARACTER,
    "ls\n": NEWLINE,
    "\nls": CHARACTER,
    "ls\r": CHARACTER,
    "ls !": CHARACTER,
    "! ls": CHARACTER,
    "ls a^b": CHARACTER,
    "ls 50%": CHARACTER,
    "ls a@b": CHARACTER,
    "ls a+b": CHARACTER,
    "cat größe.md": CHARACTER,
    "cat ²": CHARACTER,
    "ls\u3000-l": CHARACTER,
    "ls\u00a0-l": CHARACTER,
    "c\u200bat notes.md": CHARACTER,
    "cat notes.md < tests/tide.md": CHARACTER,
    "ls &": CHARACTER,
    "cat " + "a" * 3_997: LONG,
    "cat " + "notes.md " * 1_000: LONG,
    "cat " + "a" * 2_500 + " | cat " + "a" * 2_500: LONG,
}
ENDS = "cat " + "a" * 3_996
"""Exactly 4,000 characters."""
NOT_ALLOWED = ";&<>$`(){}[]*?~#!\\^%@+\n\t\0é"
WORDS = ("tide", "board", "late", "boats", "notes.md", "tests/tide.md")


def cases(random: Random) -> list[Case]:
    """Real commands of all kinds, other options, and drawn commands."""
    found = [_case(command, True, FINE) for command in (*READS, ENDS)]
    listed = {**HARM, **CAREFUL}
    found += [_case(command, False, rule) for command, rule in listed.items()]
    found += [_case(one, False, rule, SORT) for one, rule in SORT_HARM.items()]
    found += [
        _case("sort -r -n -u notes.md | uniq", True, FINE, SORT),
        _case("sort -rn notes.md", False, WHOLE, SORT),
        _case("ls", False, PROGRAM, SORT),
        _case("ls", False, PROGRAM, {}),
        _case("ls -l", False, OPTION, {"ls": set(), "wc": {"-l"}}),
        _case("ls | wc -l", True, FINE, {"ls": set(), "wc": {"-l"}}),
        _case("rm -r x", True, FINE, {"rm": {"-r"}}),
        _case("ls --all", True, FINE, {"ls": {"--all"}}),
        _case("ls --al", False, WHOLE, {"ls": {"--all"}}),
        _case("ls --all=x", False, WHOLE, {"ls": {"--all"}}),
        _case("ls --size=3", True, FINE, {"ls": {"--size=3"}}),
        _case("cat - | cat --", True, FINE, {"cat": {"-", "--"}}),
    ]
    for character in NOT_ALLOWED:
        place = random.choice(("ls {}", "ls 'a{}b'", 'cat "{}"', "cat x{}"))
        command = place.replace("{}", character)
        found.append(_case(command, False, CHARACTER))
    for _ in range(20):
        found.append(_case(harmless(random), True, FINE))
        command, rule = spoiled(random)
        found.append(_case(command, False, rule))
    return found


def harmless(random: Random) -> str:
    """Draw a command of one to three stages that only reads."""
    return " | ".join(_stage(random) for _ in range(random.randint(1, 3)))


def spoiled(random: Random) -> tuple[str, str]:
    """Draw a command of which one stage writes a file called hit."""
    stages = [_stage(random) for _ in range(random.randint(0, 2))]
    bad, rule = random.choice(
        (
            ("tee hit", STAGE),
            ("touch hit", STAGE),
            ("cat > hit", CHARACTER),
            ("wc 2> hit", CHARACTER),
            ("ls $(touch hit)", CHARACTER),
            ("ls `touch hit`", CHARACTER),
            ("ls & touch hit", CHARACTER),
            ("ls; touch hit", CHARACTER),
            ("find . -fprint hit", OPTION),
            ("find . -fpri'nt' hit", HIDDEN),
        )
    )
    stages.insert(random.randint(0, len(stages)), bad)
    return " | ".join(stages), rule


def _stage(random: Random) -> str:
    program = random.choice(("ls", "cat", "wc", "grep"))
    option = random.choice(sorted(OPTIONS[program]))
    word = random.choice(WORDS)
    quote = random.choice(("", "'", '"'))
    operand = f"{quote}{word}{quote}"
    if program == "grep":
        operand += " notes.md"
    return f"{program} {option} {operand}"


def _case(
    command: str,
    expected: bool,
    rule: str,
    options: dict[str, set[str]] | None = None,
) -> Case:
    listed = OPTIONS if options is None else options
    shown = "options" if options is None else repr(options)
    text = repr(command)
    if len(command) > 100:
        text = f"{command[:20]!r} … ({len(command):,} characters)"
    call = f"is_read_only_command({text}, {shown})"
    return case((command, listed), expected, rule, call=call)
