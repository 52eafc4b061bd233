"""What a notebook imports: a prepared lab, shown source, gaps,
pictures, the scoreboard.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "agents": (
            "agent_for dream_once harness_for own_agent read script_dream"
            " scripted_messages tombstone write"
        ),
        "bare_sessions": "draw_requests",
        "chart": "Picture bars lanes rising_lines",
        "chat_box": "Conversation",
        "clones": "two_developers",
        "conversations": "show_messages",
        "crash": "crash_while_writing",
        "gap_list": "part_calls progress",
        "gaps.nb07": "COMMAND_OPTIONS",
        "lab": "Lab begin",
        "noisy": "noisy_votes",
        "orders": "every_order explore",
        "own_parts": "check hint my solution",
        "parts": "without_parts",
        "replay": "replay_story",
        "request_chart": "request_bars",
        "session": "Session",
        "show": "Listing Page Table show_prompt show_source table",
        "story": (
            "contains_evidence evidence_in load_questions scoreboard"
            " summary_reminder"
        ),
        "widgets.dials": "dials",
        "widgets.review": "review",
    },
)
