import json
from random import Random
from typing import Any

from memlab.course.exercise import Case, case

TYPED = "A typed message is a user line"
TEXTS = "A list with a text block and no tool_result counts"
RESULTS = "A line with a tool_result does not count"
FORK = "A line with isSidechain belongs to a fork"
WHOLE = "The last line counts if it is whole"
CUT = "A line that is cut off does not count"
WORD = "The type of a block decides, and not a word in its text"
NO_MESSAGE = "A line without the key message does not count"


def _line(type: str, content: Any, **more: Any) -> str:
    message = {"role": type, "content": content}
    return json.dumps({"type": type, "message": message, **more})


RESULT = [{"type": "tool_result", "tool_use_id": "t1", "content": "4 m"}]
CALL = [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]
USER = _line("user", "Morning.")
ANSWER = _line("assistant", "Hello.")
BLOCKS = _line("assistant", [{"type": "text", "text": "Hello."}])
TOOLS = _line("assistant", CALL)
RESULTS_LINE = _line("user", RESULT)
SIDE = _line("user", "Save what is worth keeping.", isSidechain=True)
MAIN = _line("user", "Is it high tide?", isSidechain=False)
STATE = json.dumps({"type": "user", "surfaced": ["tabs.md"]})
TITLE = json.dumps({"type": "summary", "summary": "the user asked"})
QUOTED = _line("assistant", 'It says {"type": "user"} there.')
EMPTY = _line("user", "")
TEXT = {"type": "text", "text": "Here is where we stand."}
ASKED = {"type": "text", "text": "What is a tool_result?"}
IMAGE = {"type": "image", "source": {}}
LISTED = _line("user", [TEXT])
UMLAUT = _line("user", 'Grüße, "Robin"\nfrom the ferry')


def cases(random: Random) -> list[Case]:
    found = [
        case(([USER],), 1, WHOLE),
        case(([USER, ANSWER, USER, BLOCKS],), 2, TYPED),
        case(([],), 0),
        case(([ANSWER, BLOCKS],), 0, TYPED),
        case(([QUOTED],), 0, TYPED),
        case(([LISTED],), 1, TEXTS),
        case(([_line("user", [ASKED]), ANSWER],), 1, WORD),
        case(([_line("user", 'Is "type": "tool_result" JSON?')],), 1, WORD),
        case(([EMPTY, USER],), 2, "An empty string is a string"),
        case(([UMLAUT],), 1, TYPED),
        case(([USER, USER],), 2, "The same message can be typed twice"),
        case(([USER, TOOLS, RESULTS_LINE, BLOCKS],), 1, RESULTS),
        case(([RESULTS_LINE],), 0, RESULTS),
        case(([_line("user", [TEXT, TEXT])],), 1, "A line is one message"),
        case(([_line("user", [IMAGE, TEXT, TEXT])],), 1, TEXTS),
        case(([_line("user", [])],), 0, TEXTS),
        case(([_line("user", [IMAGE])],), 0, TEXTS),
        case(([_line("user", [*RESULT, TEXT])],), 0, RESULTS),
        case(([_line("user", [TEXT, *RESULT])],), 0, RESULTS),
        case(([_line("user", [TEXT], isSidechain=True)],), 0, FORK),
        case(([USER, SIDE, USER],), 2, FORK),
        case(([MAIN],), 1, "isSidechain may be false, and the line counts"),
        case(([MAIN, SIDE],), 1, FORK),
        case(([STATE],), 0, NO_MESSAGE),
        case(([USER, STATE, TITLE, USER],), 2, NO_MESSAGE),
        case(([USER, USER[:-9]],), 1, CUT),
        case(([USER, '{"ty'],), 1, CUT),
        case(([USER, ""],), 1, CUT),
        case(([USER[:30]],), 0, CUT),
        case(([USER + "\n", ANSWER + "\n"],), 1, TYPED),
    ]
    kinds = (
        USER,
        MAIN,
        LISTED,
        ANSWER,
        BLOCKS,
        TOOLS,
        RESULTS_LINE,
        SIDE,
        STATE,
    )
    for _ in range(15):
        lines = random.choices(kinds, k=random.randint(3, 8))
        count = sum(line in (USER, MAIN, LISTED) for line in lines)
        cut = [MAIN[: random.randint(1, 40)]]
        found.append(case((lines + random.choice(([], cut)),), count))
    return found
