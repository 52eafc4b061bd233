# message: processed more than once
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
            if self.stash is not None:
                stashed, self.stash = self.stash, None
                await self.process(stashed)
            if self.stash is not None:
                stashed, self.stash = self.stash, None
                await self.process(stashed)
        finally:
            self.running = False

    async def process(self, conversation):
        new = my.new_messages(conversation.messages, self.cursor)
        if new:
            await self.extract(new)
            self.cursor = new[-1].uuid
