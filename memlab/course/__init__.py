"""What a notebook imports: a prepared lab, shown source, gaps, quizzes,
the scoreboard.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "agents": (
            "agent_for fork_for harness_for own_agent scripted_messages"
            " tool_context"
        ),
        "baselines": (
            "Scoreboard build_request recalled scoreboard summary_reminder"
        ),
        "bare_sessions": "Session draw_requests",
        "clones": "two_developers",
        "comparison": "evidence_in",
        "conversations": "show_messages",
        "crash": "crash_while_writing",
        "dreaming": "dream_once read script_dream tombstone write",
        "gap_list": "part_calls progress",
        "gaps.nb07": "COMMAND_OPTIONS",
        "lab": "Lab begin",
        "measuring": ("Question Row contains_evidence load_questions measure"),
        "noisy": "noisy_votes",
        "orders": "every_order explore",
        "own_parts": "check hint my solution",
        "parts": "without_parts",
        "chart": "Picture bars lanes rising_lines",
        "quizzes": "Quiz answer quiz",
        "show": "Listing Page Table show_prompt show_source table",
        "replay": "replay_story",
        "request_chart": "request_bars",
        "chat_box": "Conversation",
        "widgets.dials": "dials",
        "widgets.review": "review",
    },
)
