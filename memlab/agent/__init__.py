"""The agent: a loop around a model that acts through tools, and what keeps it within its limits."""

from memlab.agent.command_policy import is_read_only_command as is_read_only_command
from memlab.agent.fork import ForkResult as ForkResult
from memlab.agent.fork import fork_context as fork_context
from memlab.agent.fork import run_forked_agent as run_forked_agent
from memlab.agent.loop import Agent as Agent
from memlab.agent.permissions import main_permissions as main_permissions
from memlab.agent.permissions import memory_permissions as memory_permissions
from memlab.agent.tool import ToolContext as ToolContext
from memlab.agent.tools import standard_tools as standard_tools
