"""The quiz of notebook 09: when a dream is due, who may dream, and what a crash leaves behind."""

from __future__ import annotations

from memlab.course.quiz_sheet import Ask, Option, Quiz

QUIZ = Quiz(
    9,
    (
        Ask(
            "Where is the time of the last consolidation kept?",
            (
                Option(
                    "In a line of the index.",
                    False,
                    "The index is a cache of the memory files and can be rebuilt at any time.",
                ),
                Option(
                    "In the mtime of the lock file.",
                    True,
                    "One stat reads it, and no second record can disagree with it.",
                ),
                Option(
                    "In the settings of the project.",
                    False,
                    "They say what should be, and nothing in them changes by itself.",
                ),
            ),
        ),
        Ask(
            "A day has passed and there were two sessions. What does the scan throttle save?",
            (
                Option(
                    "The stat of the lock on every turn.",
                    False,
                    "The time gate stands before the throttle and takes its stat each time.",
                ),
                Option(
                    "The dream.",
                    False,
                    "The session gate keeps that from happening; the throttle is about its price.",
                ),
                Option(
                    "A listing of all sessions on every turn.",
                    True,
                    "Time stays open and sessions shut, so each turn would list the folder anew.",
                ),
            ),
        ),
        Ask(
            "P1 wrote its id into the lock, read it back and dreams. How can P2 win as well?",
            (
                Option(
                    "It had looked before P1 wrote, and writes after P1 has read.",
                    True,
                    "Both read back their own id, and nothing makes P1 look again.",
                ),
                Option(
                    "Only if both have one process id.",
                    False,
                    "That breaks it too, but the schedule does it with any two ids.",
                ),
                Option(
                    "It cannot: reading back shows the loser.",
                    False,
                    "It shows whoever reads after the other's write, and P1 read before it.",
                ),
            ),
        ),
        Ask(
            "A dream hangs for two hours, then fails. What may its rollback do?",
            (
                Option(
                    "Put the old lock back, since it took the lock itself.",
                    False,
                    "After the lease another may hold it, and would lose it by that.",
                ),
                Option(
                    "Look under the guard whether the lock still has its token, and else nothing.",
                    True,
                    "Whoever owns the lock at that moment decides, and that is somebody else.",
                ),
                Option(
                    "Remove the lock, so that the next one starts at once.",
                    False,
                    "With the file goes the time of the last consolidation.",
                ),
            ),
        ),
        Ask(
            "A dreaming process is killed at 10:00. What keeps the 10:20 session from dreaming?",
            (
                Option(
                    "The lock gate: the lock is held.",
                    False,
                    "Its process is gone, and everybody can see that.",
                ),
                Option(
                    "The throttle.",
                    False,
                    "A new process has not scanned yet.",
                ),
                Option(
                    "The time gate: the mtime says 10:00, unless someone puts it back.",
                    True,
                    "That is what heal does at the start of a session.",
                ),
            ),
        ),
    ),
)
