"""Right answers to the harder gaps, written from the notebooks' text alone, and not as memlab does
it: ``check`` must not insist on memlab's own way.
"""

import itertools
import json
import math
import re
import shlex
import string
from collections import defaultdict
from fractions import Fraction

from memlab.course import my
from memlab.evidence import split_sentences
from memlab.text import stem, words


def contains_evidence(text: str, evidence: str) -> bool:
    searched = " ".join(text.lower().split())
    wanted = " ".join(evidence.lower().split())
    return re.search(r"(?<!\w)" + re.escape(wanted) + r"(?!\w)", searched) is not None


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    runs = ["".join(run) for good, run in itertools.groupby(name.lower(), str.isalnum) if good]
    base = "-".join(runs) if runs else "note"
    closed = {stem.casefold() for stem in itertools.chain(reserved, taken)}
    tries = itertools.chain([base], (f"{base}-{n}" for n in itertools.count(2)))
    return next(stem for stem in tries if stem.casefold() not in closed)


def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    data = "".join(re.findall(r"[^\n]*\n|[^\n]+", text)[:max_lines]).encode("utf-8")
    if len(data) <= max_bytes:
        return data.decode("utf-8")
    cut = data[:max_bytes].rfind(b"\n")
    return data[: cut + 1 if cut >= 0 else max_bytes].decode("utf-8", "ignore")


def keyword_rank(query: str, headers: list, limit: int) -> list:
    # An inverted index: for each stem, the positions of the headers with it.
    where = defaultdict(list)
    for position, header in enumerate(headers):
        for each in {stem(term) for term in my.terms(f"{header.name} {header.description}")}:
            where[each].append(position)
    parts = defaultdict(list)
    for each in {stem(term) for term in my.terms(query)}:
        for position in where.get(each, ()):
            count = len(where[each])
            parts[position].append(math.log(1 + (len(headers) - count + 0.5) / (count + 0.5)))
    order = sorted(parts, key=lambda p: headers[p].filename)
    order.sort(key=lambda p: headers[p].mtime, reverse=True)
    # fsum: the order of the summands makes no difference.
    order.sort(key=lambda p: math.fsum(parts[p]), reverse=True)
    return [headers[p] for p in order][:limit]


def agent_loop(ask, tools: dict, messages: list, max_turns: int) -> list:
    messages = list(messages)  # a copy: the caller's list stays as it is

    def run(call):
        block = {"type": "tool_result", "tool_use_id": call["id"]}
        if call["name"] not in tools:
            return {**block, "content": "no tool " + call["name"], "is_error": True}
        try:
            return {**block, "content": tools[call["name"]](call["input"])}
        except Exception as error:
            return {**block, "content": f"{type(error).__name__}: {error}", "is_error": True}

    for _ in range(max_turns):
        answer = ask(messages)
        messages.append({"role": "assistant", "content": answer})
        calls = [block for block in answer if block["type"] == "tool_use"]
        if not calls:
            break
        messages.append({"role": "user", "content": [run(call) for call in calls]})
    return messages


def fork_request(parent, answer, prompt):
    messages = json.loads(json.dumps(parent["messages"]))
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else []:
            block.pop("cache_control", None)
    messages.append({"role": "assistant", "content": answer})
    question = my.mark_cache([{"type": "text", "text": prompt}])
    return {**parent, "messages": [*messages, {"role": "user", "content": question}]}


def is_read_only_command(command: str, options: dict) -> bool:
    if len(command) > 4000:
        return False
    if set(command) - set(string.ascii_letters + string.digits + " ._-/,:=|'\""):
        return False
    for stage in command.split("|"):
        try:
            program, *given = shlex.split(stage)
        except ValueError:
            return False
        if program not in options:
            return False
        if any(word[:1] == "-" and word not in options[program] for word in given):
            return False
    return True


class Extractor:
    """Keep only the newest conversation, and work until none is left."""

    def __init__(self, extract):
        self.extract, self.cursor = extract, None
        self.running, self.stash = False, None

    async def turn_ended(self, conversation):
        self.stash = conversation
        if not self.running:
            self.running = True
            try:
                await self.work()
            finally:
                self.running = False

    async def work(self):
        while self.stash is not None:
            newest, self.stash = self.stash, None
            await self.process(newest)

    async def process(self, conversation):
        if new := my.new_messages(conversation.messages, self.cursor):
            await self.extract(new)
            self.cursor = new[-1].uuid


def unaccounted(before: dict, after: dict, reasons: dict) -> list:
    targets = [set(words(text)) for text in after.values()]

    def kept(sentence):
        own = set(words(sentence))
        numbers = {word for word in own if any(map(str.isdigit, word))}
        found = (numbers <= one and 10 * len(own & one) >= 7 * len(own) for one in targets)
        return not own or any(found)

    lost = []
    for file in sorted(before):
        reason = reasons.get(file) or ""
        if file not in after and reason and not reason.startswith("superseded by"):
            continue
        lost += [(file, each) for each in split_sentences(before[file]) if not kept(each)]
    return lost


def mcnemar(regressed: int, fixed: int) -> float:
    flips = regressed + fixed
    ways = sum(math.comb(flips, heads) for heads in range(min(regressed, fixed) + 1))
    return min(1.0, 2 * ways / 2**flips)


def bootstrap_interval(differences: list[float], draws: list[list[int]]) -> tuple[float, float]:
    means = sorted(sum(map(differences.__getitem__, draw)) / len(draw) for draw in draws)
    top = len(means) - 1
    return means[round(0.025 * top)], means[round(0.975 * top)]


def log_tail(text: str, most: int) -> str:
    data = text.encode()
    start = max(0, len(data) - most)
    # A line begins at 0 or after a "\n"; go forward to the next such place.
    while 0 < start < len(data) and data[start - 1] != 10:
        start += 1
    return data[start:].decode()


def fuse(rankings: list[list[int]]) -> list[int]:
    sums = defaultdict(Fraction)
    for ranking in rankings:
        for place, number in enumerate(ranking, start=61):
            sums[number] += Fraction(1, place)
    return [number for _, number in sorted((-total, n) for n, total in sums.items())]


def check_candidates(proposed, stat, most: int) -> dict[str, list[str]]:
    found = {"show": [], "index_again": [], "forget": []}
    candidates = iter(proposed)
    while len(found["show"]) < most:
        file, indexed = next(candidates, ("", None))
        if not file:
            break
        now = stat(file)
        found["forget" if now is None else "show"].append(file)
        if now is not None and now != indexed:
            found["index_again"].append(file)
    return found
