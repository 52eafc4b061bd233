"""The dream, by rules: look round, search for what has changed, put it in
order, mend the index.

Each answer is worked out from the request alone: the message that started the
dream, and what its tools have given since. What the rules of ``dream_plan``
cannot decide is left as it is. A language model sees more; these rules are
careful in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from memlab.memdir.index import INDEX, parse_pointers
from memlab.models.request import ModelRequest
from memlab.models.roles.dream_change import CHANGED, OVER, lasts_for
from memlab.models.roles.dream_index import Header, details, header, mended
from memlab.models.roles.dream_plan import Plan, make_plan
from memlab.models.roles.dream_scene import Scene, Step, read_on, read_scene
from memlab.models.roles.dream_words import kind_of, subject_stems, tokens
from memlab.models.wire import Reply, say

BY_RULES = "[rules, no language model]"
AT_ONCE, MOST_HITS, MOST_SESSIONS = 50, 30, 40

Call = tuple[str, dict[str, Any]]
Answer = tuple[str, list[Call]]


def answer_dream(request: ModelRequest) -> Reply:
    """Carry a dream one answer further: the calls that come next, or what was
    done in the end.
    """
    scene = read_scene(request)
    if scene is None:
        return Reply(
            [
                say(
                    f"{BY_RULES} There is no memory named here that could be"
                    " put in order."
                )
            ]
        )
    text, calls = _orient(scene) or _gather(scene) or _put_in_order(scene)
    number = len(scene.steps)
    blocks = [
        {
            "type": "tool_use",
            "id": f"toolu_dream_{number + n:03d}",
            "name": name,
            "input": given,
        }
        for n, (name, given) in enumerate(calls)
    ]
    return Reply([say(f"{BY_RULES} {text}"), *blocks])


def _orient(scene: Scene) -> Answer | None:
    """List the directory, then read the index, every memory, and the newest
    logs.
    """
    if not scene.asked("Glob"):
        look = [("Glob", {"pattern": "**/*.md", "path": scene.directory})]
        look += [("Glob", {"pattern": "**/*.md", "path": scene.place("logs")})]
        return "First I look at what is there.", [
            *look,
            _read(scene.place(INDEX)),
        ]
    unread = [
        one
        for one in (*scene.files, *scene.logs)
        if not scene.asked("Read", scene.place(one))
    ]
    if unread:
        return "I read the memories.", [
            _read(scene.place(one)) for one in unread[:AT_ONCE]
        ]
    index = [one for one in scene.unwritten if one.path == scene.place(INDEX)]
    if index and (line := read_on(index)):
        return "The index goes on.", [_read(scene.place(INDEX), offset=line)]
    return None


def _gather(scene: Scene) -> Answer | None:
    """Search the transcripts for lines in which something changed that a
    memory is about.
    """
    names = [
        PurePosixPath(path).name for path in scene.sessions[-MOST_SESSIONS:]
    ]
    names = [name for name in names if re.fullmatch(r"[\w.-]+", name)]
    pattern = _suspicion(
        [text for one in scene.files if (text := scene.text(one))]
    )
    if names and pattern and not scene.asked("Grep"):
        folder = str(PurePosixPath(scene.sessions[-1]).parent)
        glob = names[0] if len(names) == 1 else f"{{{','.join(names)}}}"
        given = {"pattern": pattern, "path": folder, "glob": glob, "-i": True}
        more = {"output_mode": "content", "head_limit": 2 * MOST_HITS}
        return "I search the sessions for what has changed.", [
            ("Grep", given | more)
        ]
    seen = {
        (one.path, one.given.get("offset"))
        for one in scene.steps
        if one.name == "Read"
    }
    fresh = [hit for hit in scene.hits[:MOST_HITS] if hit not in seen]
    if fresh:
        return "I read these lines.", [
            _read(path, offset=line, limit=1) for path, line in fresh
        ]
    return None


def _put_in_order(scene: Scene) -> Answer:
    """Write what the plan says, take back what failed half-way, then mend the
    index.
    """
    texts = {file: text for file in scene.files if (text := scene.text(file))}
    index = scene.text(INDEX) or ""
    told = details(index, texts, scene.line_characters)
    plan = make_plan(texts, scene.mtimes, scene.statements, told, scene.now)
    wrote = [one for one in scene.steps if one.writes]
    if not wrote and (plan.buried or plan.edits):
        return "Now I put the memories in order.", [
            *_burials(scene, plan),
            *_edits(scene, plan, texts),
        ]
    if lost := [
        gone for gone in plan.heirs if _half_done(scene, plan, gone, wrote)
    ]:
        again: list[Call] = [
            _write(scene.place(gone), texts[gone]) for gone in lost
        ]
        return (
            "One of them was refused: I put back what it was to take in.",
            again,
        )
    if call := _index_call(scene, plan, texts, wrote):
        return "Last the index.", [call]
    failed = {one.path for one in wrote if one.failed}
    return _ending(plan, failed), []


def _index_call(
    scene: Scene, plan: Plan, texts: dict[str, str], wrote: Sequence[Step]
) -> Call | None:
    """Read the index again where something was written, and write it where it
    is in disorder.
    """
    path = scene.place(INDEX)
    if any(one.path == path for one in wrote):
        return None
    done, times = _done(wrote), scene.mtimes
    gone = {file for file in plan.buried if scene.place(file) in done}
    left = {
        file: plan.edits.get(file, text)
        for file, text in texts.items()
        if file not in gone
    }
    headers = {
        file: Header(PurePosixPath(file).stem, "") for file in scene.files
    }
    headers = {file: one for file, one in headers.items() if file not in gone}
    headers |= {
        file: header(text, times.get(file)) for file, text in left.items()
    }
    before = scene.text(INDEX) or ""
    if not scene.listed_whole:
        headers |= {
            one.file: headers.get(one.file, Header("", ""))
            for one in parse_pointers(before)
        }
    told = [
        file
        for file in plan.told
        if file not in plan.edits or scene.place(file) in done
    ]
    known = {
        file: header(text, times.get(file)) for file, text in texts.items()
    } | headers
    if (
        wrote
        and mended(before, known, plan.told, scene.line_characters) == before
    ):
        return None  # it was in order, and follows its memories by itself
    index = scene.index_now() if wrote else before
    if index is None:
        asked = scene.steps[-1].path == path
        return None if asked else _read(path)
    better = mended(index, headers, told, scene.line_characters)
    return _write(path, better) if better != index else None


def _burials(scene: Scene, plan: Plan) -> list[Call]:
    return [
        _write(scene.place(file), text) for file, text in plan.buried.items()
    ]


def _edits(scene: Scene, plan: Plan, texts: dict[str, str]) -> list[Call]:
    calls: list[Call] = []
    for file, text in plan.edits.items():
        old, new = changed_lines(texts[file], text)
        calls.append(
            (
                "Edit",
                {
                    "file_path": scene.place(file),
                    "old_string": old,
                    "new_string": new,
                },
            )
        )
    return calls


def changed_lines(old: str, new: str) -> Iterator[str]:
    """Give what an Edit needs: the text to replace, once in the old one, and
    its successor.
    """
    a, b = old.split("\n"), new.split("\n")
    start = next(n for n in range(len(a) + 1) if a[n : n + 1] != b[n : n + 1])
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    while (
        old.count(text := "\n".join(a[start : len(a) - end])) != 1 or not text
    ):
        start, end = (start - 1, end) if start else (start, end - 1)
    yield "\n".join(a[start : len(a) - end])
    yield "\n".join(b[start : len(b) - end])


def _half_done(
    scene: Scene, plan: Plan, gone: str, wrote: Sequence[Step]
) -> bool:
    """Tell whether a file was buried although the one to say it now could not
    be written.
    """
    heir, path = plan.heirs[gone], scene.place(gone)
    tries = [one for one in wrote if one.path == path]
    missing = heir in plan.edits and scene.place(heir) not in _done(wrote)
    return missing and len(tries) == 1 and not tries[0].failed


def _done(wrote: Sequence[Step]) -> set[str]:
    return {one.path for one in wrote if not one.failed}


def _suspicion(texts: Sequence[str]) -> str:
    """Write the regular expression of a person's line that tells of a change
    in a known matter.
    """
    memories = [header(text) for text in texts]
    named = {stem for one in memories for stem in subject_stems(one.name)}
    named |= {
        stem
        for one in memories
        for text in one.main
        for stem in lasts_for(text)
    }
    named |= {
        one.lower()
        for text in texts
        for one in tokens(text)
        if kind_of(one) == "address"
    }
    if not named:
        return ""
    about = "|".join(re.escape(one) for one in sorted(named))
    person = r'^\{"type": ?"user"(?!.*"tool_result").*?"content": ?'
    return rf"{person}(?=.*\b(?:{about}))(?=.*\b(?:{CHANGED}|{OVER})\b)"


def _read(path: str, **given: int) -> Call:
    return "Read", {"file_path": path, **given}


def _write(path: str, text: str) -> Call:
    return "Write", {"file_path": path, "content": text}


def _ending(plan: Plan, failed: set[str]) -> str:
    if not plan.did:
        return "The memories are in order, and I left them as they are."
    refused = (
        f" {len(failed)} of the changes could not be made." if failed else ""
    )
    return f"I {'; '.join(plan.did)}.{refused}"
