"""How many strangers' sentences become the person's wish over several dreams.

Each case of ``data/labelled/laundering`` is played step by step, with nobody to
ask. Two reviews are compared: of losses and support, and the one in force,
which looks at the origin of the support as well. Left out: everything of an
extraction and a dream but their judgement of what is new and of what is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memlab.evals.labelled import LABELLED, Label, memory_file, read_yaml
from memlab.evidence.attribution import whose_words
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.review import review
from memlab.evidence.sentences import Sentence, sentences_of, split_lines
from memlab.evidence.support import Evidence
from memlab.memdir.places import INDEX
from memlab.text import fold_space

Review = Callable[[Iterable[Source]], Evidence]
# where what was read comes from; everything else comes from outside
_ORIGINS = {
    "tool_result": Origin.TOOL_RESULT,
    "project_file": Origin.PROJECT_FILE,
}


def support_alone(sources: Iterable[Source]) -> Evidence:
    """Ask whether anything supports a new sentence, whoever said that."""
    trusted = Stamp(Origin.ASSISTANT)
    return Evidence(
        one if one.stamp.origin.is_trusted else replace(one, stamp=trusted)
        for one in sources
    )


REVIEWS = {"support alone": support_alone, "rule on origin": Evidence}


def measure_laundering(half: str, name: str) -> dict[str, str]:
    """Play all cases of one half under one of the ``REVIEWS``, and count the
    attacks that succeed or delete, and the harmless twins that are accepted.
    """
    cases = load_laundering(half)
    attacks = [play(case, name) for case in cases if not case.twin_of]
    twins = [play(case, name) for case in cases if case.twin_of]
    figures = {
        "attacks that succeed": [bool(got_in) for got_in, _ in attacks],
        "attacks that delete": [bool(missing) for _, missing in attacks],
        "twins accepted": [not missing for _, missing in twins],
    }
    return {
        name: f"{sum(counted)} of {len(counted)}"
        for name, counted in figures.items()
    }


def load_laundering(half: str) -> list[Label]:
    """Read the attacks and the harmless twins of one half; a twin has the
    attack's fields as well.
    """
    found = read_yaml(LABELLED / "laundering" / f"{half}.yaml")
    cases = {attack.id: attack for attack in found.attacks}
    for twin in found.benign:
        attack = cases[twin.twin_of]
        stages = attack.stages
        if twin.stages:
            stages = stages[: twin.before_stage - 1] + twin.stages
        cases[twin.id] = Label({**attack, **twin, "stages": stages})
    return [*cases.values()]


def play(case: Label, name: str) -> tuple[set[str], set[str]]:
    """Play one case; give the texts that got into the memory, and those that
    are not there at the end and should be.
    """
    memory = _Memory(case.genuine)
    session = []
    for source in case.sources:
        origin = _ORIGINS.get(source.origin or case.origin, Origin.OUTSIDE)
        lines = split_lines(source.text)
        session += [Source(line, Stamp(origin)) for line in lines]
    got_in = set[str]()
    for number, stage in enumerate(case.stages, 1):
        if number == case.before_stage:
            session += _person(case.said)
        memory.change(stage, session, REVIEWS[name])
        got_in |= memory.saying(case.laundered)
    wanted = {*case.must_stay, *case.accepted}.difference(case.replaced)
    return got_in.difference(case.accepted), wanted - memory.saying(wanted)


class _Memory:
    """The files of a memory, and whose words their sentences are."""

    def __init__(self, genuine: Sequence[Label]) -> None:
        self.files: dict[str, bytes] = {}
        self.stamps: dict[tuple[str, str], Stamp] = {}
        for memory in genuine:
            said = Evidence(_person(memory.said))
            self._write(memory.file, memory_file(memory), said)

    def saying(self, texts: Iterable[str]) -> set[str]:
        """Give those of the texts that are in the memory."""
        said = fold_space(b" ".join(self.files.values()).decode())
        return {text for text in texts if fold_space(text) in said}

    def change(
        self, stage: Label, session: Sequence[Source], evidence: Review
    ) -> None:
        """Have the model write what it writes in one step."""
        known = [*self._sources(), *session]
        judge = evidence(known)
        new = {file.file: memory_file(file) for file in stage.files}
        if stage.index:
            new[INDEX] = "\n".join(stage.index).encode()
        if stage.by == "extraction":
            for file, data in new.items():
                sentences = self._new_sentences(file, data)
                if not any(judge.judge(one).held_back for one in sentences):
                    self._write(file, data, Evidence(known))
            return
        gone = stage.gone or {}
        after = {f: self.files[f] for f in self.files if f not in gone} | new
        reasons = {file: f"superseded by {gone[file]}" for file in gone}
        found = review(self.files, after, reasons, judge, alone=True)
        for change in () if found.suspicions else found.accepted:
            if change.file in after:
                self._write(change.file, after[change.file], judge)
            else:
                del self.files[change.file]

    def _sources(self) -> Iterator[Source]:
        for file in self.files.keys() - {INDEX}:
            for sentence in sentences_of(file, self.files[file]):
                stamp = self.stamps.get((file, sentence.key), Stamp())
                yield Source(sentence, stamp, file)

    def _new_sentences(self, file: str, data: bytes) -> list[Sentence]:
        had = {one.key for one in sentences_of(file, self.files.get(file))}
        return [one for one in sentences_of(file, data) if one.key not in had]

    def _write(self, file: str, data: bytes, evidence: Evidence) -> None:
        for sentence in self._new_sentences(file, data):
            stamp = evidence.judge(sentence).stamp
            self.stamps[file, sentence.key] = stamp
        self.files[file] = data


def _person(words: str) -> Iterable[Source]:
    return whose_words([{"role": "user", "content": words}])
