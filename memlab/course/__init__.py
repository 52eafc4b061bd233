"""What a notebook imports: a prepared lab, shown source, gaps, quizzes,
the scoreboard.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "agents": (
            "agent_for dream_once harness_for own_agent read script_dream"
            " scripted_messages tombstone write"
        ),
        "bench_figures": (
            "answer_table comparison_table draw_differences draw_intervals"
            " flip_table followed_table"
        ),
        "bench_runs": "recorded_follow replay_run run_prices",
        "bare_sessions": "draw_requests",
        "clones": "Clone Developer robin_alone two_developers",
        "comparison": "part_calls",
        "conversations": "show_messages",
        "crash": "crash_while_writing",
        "display": "Listing Page Table table",
        "gap_list": "progress",
        "gaps.nb07": "COMMAND_OPTIONS",
        "lab": "Lab begin",
        "landscape_figures": "draw_outcomes",
        "noisy": "NoisySelector ask_noisy noisy_votes selection_cases",
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
        "session": "Session",
        "story": (
            "contains_evidence evidence_in load_questions scoreboard"
            " summary_reminder"
        ),
        "request_figures": "RequestBars request_bars",
        "widgets.chat": "Conversation chat",
        "widgets.dream": "dream_widget",
        "widgets.microscope": "microscope",
        "widgets.time_machine": "time_machine",
    },
)
