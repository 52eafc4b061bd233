"""The agent: a loop around a model that acts through tools, and what keeps it
within its limits.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "fork": "ForkResult fork_context run_forked_agent",
        "loop": "Agent Observer TurnResult",
        "permissions": "Decision main_permissions memory_permissions",
        "request": "RequestPrefix ask_model",
        "shell": "is_read_only_command",
        "shell_run": "Limits command_lines run_read_only",
        "tool": "Access Tool ToolContext ToolError ToolOutcome ToolOutput",
        "tools": "run_tool standard_tools",
        "transcript": "Transcript load_transcript",
    },
)
