"""What every conversation is told of the present: the date, and that memory
was switched.

The date is that of the person's message. Relative times in a memory are
counted from the same moment. It is no part of the system prompt, whose cache
would end at midnight.
"""

from __future__ import annotations

from memlab.modes.mode import Mode
from memlab.prompts.blocks import block


class Present(Mode):
    """Tells the date when it is new; ``switched_to`` is how memory was
    switched since the last turn, if it was.
    """

    toggle = ""
    active = True
    switched_to = ""
    _shown = ""
    _shown_before = ""

    def reminders(self) -> list[str]:
        """Return the date, if the conversation does not have it yet, and the
        switch, once.
        """
        prompts, today = self.host.runtime.prompts, self.host.store.said_at
        reminders: list[str] = []
        self._shown_before, date = self._shown, f"{today:%Y-%m-%d}"
        if date != self._shown:
            self._shown = date
            shown = block("date", date, weekday=f"{today:%A}")
            zone = f"{today:%Z}"
            reminders.append(prompts.reminder("date", date=shown, zone=zone))
        mode, self.switched_to = self.switched_to, ""
        if mode:
            news = prompts.section("reminders", f"memory_{mode}")
            switch = block("memory_switch", news, mode=mode)
            reminders.append(
                prompts.reminder("memory_switch", memory_switch=switch)
            )
        return reminders

    def start_over(self) -> None:
        """Take the date as not known."""
        self._shown = self._shown_before = ""

    def take_back(self) -> None:
        """Take the date as not known if the turn had it."""
        self._shown = self._shown_before
