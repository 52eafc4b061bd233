"""What a notebook imports: a prepared lab, shown source, exercises, quizzes,
the scoreboard.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "adapters": (
            "COMMAND_OPTIONS ScriptedModel Tools agent_loop both_allow"
            " cut_index extraction_runs fork_request newest_memories"
            " parse_header unaccounted"
        ),
        "agents": (
            "agent_for fork_for harness_for prefetch_for spoken tool_context"
        ),
        "baselines": "build_request memory_reminder recalled summary_reminder",
        "attack_sets": "AttackSets",
        "checking": "answer check hint quiz solution",
        "comparison": "compare_parts",
        "crash": "crash_while_writing",
        "display": "Listing Page",
        "dreaming": (
            "call_table dream_once dreamer read tombstone turn_table write"
        ),
        "evidence": "stands_in",
        "example": "Question load_questions",
        "exercise": "Case Exercise case",
        "exercise_files": "all_exercises",
        "figures": "Timeline timeline",
        "gate_examples": (
            "STEPS all_gates gate_table gates_for holder_stops leave_lock"
            " lock_for"
        ),
        "histograms": "histogram",
        "lab": "Lab begin",
        "lock_explorer": "BROKEN NAIVE OURS WRITE_THEN_VERIFY explore",
        "measuring": "Row measure",
        "overview": "map_alt system_map write_maps",
        "parts": "Parts read_parts",
        "quizzes": "Quiz",
        "races": "race recorded_races",
        "scores": "Scoreboard scoreboard",
        "source": "show_prompt show_source",
        "tables": "Table table",
        "two_weeks": "live_through",
        "widgets.before_after": "before_after",
        "widgets.chat": "Conversation chat",
        "widgets.dream": "dream_desk",
        "widgets.microscope": "microscope",
        "widgets.time_machine": "time_machine",
    },
)
