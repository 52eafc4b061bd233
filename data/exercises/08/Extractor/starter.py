from memlab.course import my


class Extractor:
    """Process each message once, in one run at a time."""

    def __init__(self, extract):
        self.extract = extract
        self.cursor = None
        self.running = False
        self.stash = None

    async def turn_ended(self, conversation):
        if self.running:
            ...  # keep this conversation for later
            return
        self.running = True
        try:
            await self.process(conversation)
            ...  # process what was stashed in the meantime
        finally:
            self.running = False

    async def process(self, conversation):
        new = my.new_messages(conversation.messages, self.cursor)
        if new:
            await self.extract(new)
            self.cursor = new[-1].uuid
