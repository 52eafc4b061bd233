# message: Messages 5–6 were never processed
from memlab.course import my


class Extractor:
    def __init__(self, extract):
        self.extract = extract
        self.cursor = None
        self.running = False
        self.stash = None

    async def turn_ended(self, conversation):
        if self.running:
            self.stash = conversation
            return
        self.running = True
        try:
            await self.process(conversation)
            while self.stash is not None:
                await self.process(self.stash)
                self.stash = None
        finally:
            self.running = False

    async def process(self, conversation):
        new = my.new_messages(conversation.messages, self.cursor)
        if new:
            await self.extract(new)
            self.cursor = new[-1].uuid
