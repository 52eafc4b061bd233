from random import Random

from memlab.course.exercise import Case, case

LETTERS = "a word is a run of letters and digits, and anything else ends it"
STOPPED = "stop words are left out, in upper case as well"
LOWER = "each word is changed to lower case, and not in any other way"
ORDER = "the words keep their order, and a word may occur twice"

WORDS = (
    "tide", "ferry", "board", "jetty", "kayak", "prices", "2026", "sql",
    "pytest", "16", "Gullwing", "Tuva", "USB", "rubber", "Easter",
)  # fmt: skip
STOPPED_WORDS = (
    "the", "The", "is", "IS", "how", "Which", "for", "we", "should", "A",
)  # fmt: skip
BETWEEN = (" ", "  ", ", ", "; ", "\n", "\t", " (", ") ", "? ", ": ", "/", "-",
           "_", " — ", '" ', "…", "'")  # fmt: skip


def cases(random: Random) -> list[Case]:
    found = [
        case(("How are the tests run?",), ["tests", "run"], LETTERS),
        case(("Thanks, that is all for now",), [], STOPPED),
        case(("",), [], ORDER),
        case((" \n",), [], ORDER),
        case(("Which boat? The red one.",), ["boat", "red"], STOPPED),
        case(("floor_to_five",), ["floor", "five"], LETTERS),
        case(
            ("tables/brannay-2026.csv",),
            ["tables", "brannay", "2026", "csv"],
            LETTERS,
        ),
        case(("Tuva's key, don't lose it",), ["tuva", "key", "lose"], LETTERS),
        case(("tide, board, tide",), ["tide", "board", "tide"], ORDER),
        case(
            ("17:10 ferry; late?!",),
            ["17", "10", "ferry", "late"],
            LETTERS,
        ),
        case(("“SQL” first…",), ["sql", "first"], LETTERS),
        case(("Müller bakes crêpes",), ["müller", "bakes", "crêpes"], LETTERS),
        case(("Straße",), ["straße"], LOWER),
        case(("platform 7",), ["platform", "7"], LETTERS),
        case(("utf8 16GB",), ["utf8", "16gb"], LETTERS),
        case(("Thanks, the ferry was late",), ["ferry", "late"], STOPPED),
        case(("The istle is in the theatre",), ["istle", "theatre"], STOPPED),
    ]
    for _ in range(15):
        found.append(_random_text(random))
    return found


def _random_text(random: Random) -> Case:
    text = random.choice(("", "(", '"', " "))
    wanted = []
    for _ in range(random.randint(1, 9)):
        if random.random() < 0.6:
            word = random.choice(WORDS)
            wanted.append(word.lower())
        else:
            word = random.choice(STOPPED_WORDS)
        text += word + random.choice(BETWEEN)
    return case((text,), wanted, f"{LETTERS}; {STOPPED}; {ORDER}")
