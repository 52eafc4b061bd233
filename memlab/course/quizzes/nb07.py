"""The quiz of notebook 07: what a guard looks at, when it looks, and what it cannot see."""

from __future__ import annotations

from memlab.course.quiz_sheet import Ask, Option, Quiz

QUIZ = Quiz(
    7,
    (
        Ask(
            "A fork should not write to the project. Why is it refused when it tries, and not "
            "simply handed fewer tools?",
            (
                Option(
                    "A model without a tool calls it all the same.",
                    False,
                    "It would get an error, which costs a turn. That is not the reason.",
                ),
                Option(
                    "The tool list is part of the cached prefix: one tool fewer and nothing is "
                    "read from the cache.",
                    True,
                    "Same list, fewer rights: the refusal is a tool result, and costs a sentence.",
                ),
                Option(
                    "Write is needed for memories, and tools cannot be split.",
                    False,
                    "They could be. The prefix would still be another one.",
                ),
            ),
        ),
        Ask(
            "Why does the verdict list the options that may be used, and not those that may not?",
            (
                Option(
                    "The list is shorter.",
                    False,
                    "It is longer: most options only read.",
                ),
                Option(
                    "An option nobody thought of, or a new spelling of a known one, is refused.",
                    True,
                    "A deny-list has to know every harm in every spelling; -d'elet'e is one.",
                ),
                Option(
                    "Programs tell their safe options by themselves.",
                    False,
                    "None does.",
                ),
            ),
        ),
        Ask(
            "A file named -R lies in the project, and the command is: grep -rn total *. What "
            "is grep handed?",
            (
                Option(
                    "-R, since the star fits it, so grep follows links.",
                    False,
                    "That is what a shell would hand it.",
                ),
                Option(
                    "Nothing: unquoted stars are refused.",
                    False,
                    "They are allowed, because our own code expands them.",
                ),
                Option(
                    "./-R, which is a file and can be no option.",
                    True,
                    "Every match is handed over with ./ in front.",
                ),
            ),
        ),
        Ask(
            "cat /etc/passwd: what does the verdict say, and what happens?",
            (
                Option(
                    "Allowed, since cat only reads; then refused, because the operand leads out.",
                    True,
                    "The verdict judges what a command can do, the roots where it may do it.",
                ),
                Option(
                    "Refused by the verdict, which knows the folders.",
                    False,
                    "It sees a text and no disk. A link makes the same word mean another place.",
                ),
                Option(
                    "Allowed and shown; reading harms nobody.",
                    False,
                    "What a fork has read can end up in a memory, and in every later request.",
                ),
            ),
        ),
        Ask(
            "A path was checked, and every part of it is a plain folder. Why open each folder "
            "from the one above it, instead of the whole path?",
            (
                Option(
                    "It is quicker.",
                    False,
                    "It takes a call more for each folder.",
                ),
                Option(
                    "Between check and opening somebody may put a link in a folder's place.",
                    True,
                    "A held folder stays the folder that it was, whatever its name leads to now.",
                ),
                Option(
                    "So that hard links are noticed.",
                    False,
                    "No check of a path sees those: they are the same file under another name.",
                ),
            ),
        ),
    ),
)
