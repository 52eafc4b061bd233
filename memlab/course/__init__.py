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
        "clones": "Clone Developer robin_alone two_developers",
        "comparison": "evidence_in part_calls",
        "conversations": "show_messages",
        "crash": "crash_while_writing",
        "display": "Listing Page Table table",
        "dreaming": "dream_once read script_dream tombstone write",
        "gap_list": "progress",
        "gaps.nb07": "COMMAND_OPTIONS",
        "lab": "Lab begin",
        "landscape_figures": "draw_outcomes",
        "measuring": ("Question Row contains_evidence load_questions measure"),
        "noisy": "noisy_votes",
        "orders": "every_order explore",
        "own_parts": "check hint my solution",
        "parts": "without_parts",
        "pictures": "Picture bars rising_lines",
        "quizzes": "Quiz answer quiz",
        "source": "show_prompt show_source",
        "stage_figures": (
            "one_project_table recorded_stage server_table"
            " stage_recall_table stage_times_table"
        ),
        "tail_figure": "draw_tails",
        "replay": "replay_story",
        "request_figures": "RequestBars request_bars",
        "widgets.chat": "Conversation chat",
        "widgets.dream": "dream_widget",
        "widgets.microscope": "microscope",
        "widgets.time_machine": "time_machine",
    },
)
