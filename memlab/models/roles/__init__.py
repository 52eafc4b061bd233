"""What the offline model answers, one file a role; a role is chosen by the
purpose of the call.

Each role is rules over the request it was sent, so a changed request changes
the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memlab.models.request import ModelRequest
from memlab.models.roles.compact import answer_compact
from memlab.models.roles.dream import answer_dream
from memlab.models.roles.extract import answer_extract
from memlab.models.roles.main import answer_main
from memlab.models.roles.screenplay import Screenplay
from memlab.models.roles.select import answer_select
from memlab.models.wire import Reply

Role = Callable[[ModelRequest], Reply]
ROLES: Mapping[str, Role] = {
    "compact": answer_compact,
    "extract": answer_extract,
    "dream": answer_dream,
    "select": answer_select,
}


def answer(
    request: ModelRequest,
    screenplays: list[Screenplay],
    others: Mapping[str, Role] | None = None,
) -> Reply:
    """Answer a request by the role of its purpose; a purpose without a role is
    the main chat.

    ``others`` has roles that stand in for the usual ones.
    """
    role = (others or {}).get(request.purpose) or ROLES.get(request.purpose)
    return role(request) if role else answer_main(request, screenplays)
