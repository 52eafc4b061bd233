"""The quiz of notebook 11: the machine as a whole."""

from __future__ import annotations

from memlab.course.quiz_sheet import Ask, Option, Quiz

QUIZ = Quiz(
    11,
    (
        Ask(
            "A memory is wrong. Where do you look first for who wrote it?",
            (
                Option(
                    "In the journal: every change names its writer, session and turn.",
                    True,
                    "And with the turn you find the words it rests on, in the transcript.",
                ),
                Option(
                    "In the index.",
                    False,
                    "The index has a line a file, and no word of who wrote it.",
                ),
                Option(
                    "In the model's answer.",
                    False,
                    "That is gone, unless a transcript holds it; background runs write none.",
                ),
            ),
        ),
        Ask(
            "Where is it written down when memory was last put in order?",
            (
                Option(
                    "In settings.json.",
                    False,
                    "A second clock could disagree with the first.",
                ),
                Option(
                    "It is the time of the lock file's last change.",
                    True,
                    "One stat reads it, and the file system keeps it.",
                ),
                Option(
                    "In the newest memory.",
                    False,
                    "Extraction writes memories too, and puts nothing in order.",
                ),
            ),
        ),
        Ask(
            "You delete MEMORY.md by mistake. What is lost?",
            (
                Option(
                    "All memories, until you restore a backup.",
                    False,
                    "The files are the memory. The index only points at them.",
                ),
                Option(
                    "The hooks you wrote by hand; all else is rebuilt from the files.",
                    True,
                    "The index is a cache, with one thing in it that is yours.",
                ),
                Option(
                    "Nothing at all.",
                    False,
                    "A hook that you improved by hand stands in no other place.",
                ),
            ),
        ),
        Ask(
            "Which of these costs most in the two weeks?",
            (
                Option(
                    "The side-queries, since nothing of them is cached.",
                    False,
                    "They are short: a few hundred tokens each.",
                ),
                Option(
                    "The dreams, since they read everything.",
                    False,
                    "There are two in two weeks.",
                ),
                Option(
                    "Conversation and extraction: each turn sends the whole session, twice.",
                    True,
                    "Four fifths of it comes from the cache, which is why it can be paid for.",
                ),
            ),
        ),
        Ask(
            "You want to try memlab on your own project. What comes first?",
            (
                Option(
                    "A dream, to put things in order.",
                    False,
                    "It changes files. Look before you let anything change.",
                ),
                Option(
                    "The doctor: it reads everything, tells what is wrong, and changes nothing.",
                    True,
                    "Then a dream as a dry run, then one with a yes for each change.",
                ),
                Option(
                    "Switching extraction off.",
                    False,
                    "You can, and then nothing is learned; but it tells you nothing of what is "
                    "there.",
                ),
            ),
        ),
    ),
)
