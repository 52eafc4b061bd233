"""The agent: a loop around a model that acts through tools, and what keeps it
within its limits.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "command_policy": "is_read_only_command",
        "command_run": "Limits command_lines run_read_only",
        "fork": (
            "ForkResult fork_context run_forked_agent with_read_only_shell"
        ),
        "loop": "Agent Observer TurnResult",
        "permissions": "Decision main_permissions memory_permissions",
        "request": "RequestPrefix ask_model",
        "tool": "Tool ToolContext ToolError ToolOutcome ToolOutput",
        "tools": "run_tool standard_tools",
        "transcript": "Transcript load_transcript",
    },
)
