"""A report as one page: no scripts, no other files, light and dark.

Everything that comes from a model, a label or a prompt file is hostile: it is
made visible and escaped, and the page's Content-Security-Policy allows its
own style sheet and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape

from memlab.bench.answer import Answer
from memlab.bench.compare import Case, Comparison, Row
from memlab.bench.pictures import (
    CLASSES,
    DARK,
    LIGHT,
    correct_picture,
    difference_picture,
    flips_picture,
    tokens_picture,
)
from memlab.bench.report import (
    NOTHING,
    Report,
    baseline_line,
    buckets,
    by_fallback,
    cautions,
    comparison_sentences,
    figures,
    name,
    names,
    prompts_heading,
    shown_answer,
    votes,
    who_answered,
)
from memlab.text import visible

_STYLE = f"""
:root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {DARK} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }}
main {{ max-width: 60rem; margin: 0 auto; padding: 1rem; }}
h1 {{ font-size: 1.6rem; line-height: 1.25; }}
h2 {{ font-size: 1.25rem; margin-top: 2.5rem; }}
h3 {{ font-size: 1.05rem; margin-bottom: 0.25rem; }}
h4 {{ font-size: 1rem; margin: 0; }}
p {{ margin: 0.5rem 0; }}
.faint {{ color: var(--faint); }}
.verdict {{ font-size: 1.15rem; font-weight: 600; }}
.better, .worse, .open {{ margin: 1rem 0; }}
.better {{ border-left: 6px solid var(--good); padding-left: 0.75rem; }}
.worse {{ border-left: 6px solid var(--bad); padding-left: 0.75rem; }}
.open {{ border-left: 6px solid var(--rule); padding-left: 0.75rem; }}
.pictures {{ display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }}
figure {{ margin: 0; padding: 0.75rem; background: var(--card);
  border: 1px solid var(--edge); border-radius: 6px; }}
figcaption {{ font-weight: 600; margin-bottom: 0.5rem; }}
svg {{ display: block; overflow: visible; }}
.scroll {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.75rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--edge); }}
tbody th, thead td {{ text-align: left; font-weight: 400; }}
details {{ margin: 0.75rem 0; border: 1px solid var(--edge);
  border-radius: 6px; background: var(--card); }}
summary {{ padding: 0.6rem 0.75rem; font-weight: 600; cursor: pointer; }}
summary:focus-visible, .scroll:focus-visible {{
  outline: 3px solid var(--mark); outline-offset: 2px; }}
.inside {{ padding: 0 0.75rem 0.75rem; }}
article {{ border-top: 1px solid var(--edge); padding: 0.75rem 0; }}
.sides {{ display: grid; gap: 0.75rem; margin-top: 0.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }}
pre {{ margin: 0.25rem 0; padding: 0.5rem; background: var(--code);
  border-radius: 4px; white-space: pre-wrap; font-size: 0.85rem;
  overflow-wrap: anywhere; }}
ins {{ color: var(--good); }}
del {{ color: var(--bad); }}
{CLASSES}
"""


def report_page(report: Report) -> str:
    """Set a report as a whole HTML page."""
    digest = hashlib.sha256(_STYLE.encode()).digest()
    allowed = base64.b64encode(digest).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}';"
        " base-uri 'none'; form-action 'none'"
    )
    title = escape(report.title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,'
        ' initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{_content(report, title)}\n</main>\n</body>\n"
        "</html>\n"
    )


def _content(report: Report, title: str) -> str:
    parts = [
        f"<h1>{title}</h1>",
        _paragraph(who_answered(report), "faint"),
        _paragraph(f"Correct means: {name(report.means_correct)}"),
    ]
    if report.note:
        parts.append(_paragraph(name(report.note)))
    parts.append("<h2>What changed</h2>")
    if not report.comparisons:
        parts.append(_paragraph("There is nothing to compare yet.", "open"))
    parts += [_verdict(each) for each in report.comparisons]
    parts += [_paragraph(caution) for caution in cautions(report)]
    parts += [_pictures(report), _figures(report)]
    for comparison in report.comparisons:
        parts.append(_buckets(comparison))
    if report.diffs:
        parts.append("<h2>The prompts</h2>")
    for variant, diff in report.diffs.items():
        heading = prompts_heading(variant, report.base)
        parts.append(_folded(heading, _diff(diff), is_open=True))
    return "\n".join(parts)


def _verdict(comparison: Comparison) -> str:
    first, *rest = comparison_sentences(comparison)
    look = comparison.verdict if comparison.verdict in _COLOURED else "open"
    return (
        f'<div class="{look}">'
        f"{_paragraph(first, 'verdict')}"
        f"{_paragraph(' '.join(rest))}</div>"
    )


_COLOURED = ("better", "worse")


def _pictures(report: Report) -> str:
    drawn = [
        (
            "Correct, with 95 % intervals",
            correct_picture(report.rows, report.baseline),
        )
    ]
    judged = [each for each in report.comparisons if each.verdict]
    if judged:
        drawn.append(
            (
                "Difference in correct, with 95 % intervals",
                difference_picture(judged),
            )
        )
    for comparison in report.comparisons:
        base, other = names(comparison)
        drawn.append(
            (
                f"Where the cases went: {other} against {base}",
                flips_picture(comparison),
            )
        )
    drawn.append(("Tokens", tokens_picture(report.rows)))
    listed = "\n".join(
        f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>"
        for caption, svg in drawn
    )
    return f'<h2>Pictures</h2>\n<div class="pictures">\n{listed}\n</div>'


def _figures(report: Report) -> str:
    return (
        '<h2 id="figures">Figures</h2>\n'
        '<div class="scroll" role="region" aria-labelledby="figures"'
        f' tabindex="0">{_table(report.rows)}</div>'
        + (
            _paragraph(baseline_line(report.baseline))
            if report.baseline
            else ""
        )
    )


def _table(rows: Sequence[Row]) -> str:
    columns = [dict(figures(row)) for row in rows]
    labels = dict.fromkeys(label for each in columns for label in each)
    head = "".join(
        f'<th scope="col">{escape(name(row.variant))}</th>' for row in rows
    )
    lines = [f"<table>\n<thead><tr><td></td>{head}</tr></thead>\n<tbody>"]
    for label in labels:
        cells = "".join(
            f"<td>{escape(column.get(label, '–'))}</td>" for column in columns
        )
        heading = escape(label.strip())
        lines.append(f'<tr><th scope="row">{heading}</th>{cells}</tr>')
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _buckets(comparison: Comparison) -> str:
    base, other = names(comparison)
    title = f"Case by case: {other} against {base}"
    parts = [f"<h2>{escape(title)}</h2>"]
    *always, reworded = buckets(comparison)
    shown = [*always, reworded] if reworded.cases else always
    for number, bucket in enumerate(shown):
        if bucket.cases:
            inside = "\n".join(
                _case(case, base, other) for case in bucket.cases
            )
            parts.append(_folded(bucket.heading, inside, is_open=number == 0))
        else:
            parts.append(_paragraph(bucket.heading, "faint"))
    correct = len(comparison.unchanged)
    parts.append(_paragraph(f"Still correct ({correct}), not listed."))
    return "\n".join(parts)


def _case(case: Case, base: str, other: str) -> str:
    reason = _paragraph(name(case.reason), "faint") if case.reason else ""
    return (
        f"<article><h3>{escape(name(case.id))}</h3>{reason}"
        f"<h4>Wanted</h4>{_output(case.base[0].wanted)}"
        f'<div class="sides">{_side(base, case.base)}'
        f"{_side(other, case.other)}</div></article>"
    )


def _side(variant: str, answers: Sequence[Answer]) -> str:
    answer = shown_answer(answers)
    said = [votes(answers)]
    if len(answers) > 1:
        each = ", ".join(votes([repeat]) for repeat in answers)
        said[0] += f" ({each})"
    said += [name(answer.why), by_fallback(answer)]
    why = " · ".join(part for part in said if part)
    return (
        f"<div><h4>{escape(variant)}</h4>{_output(answer.said)}"
        f"{_paragraph(why, 'faint')}</div>"
    )


def _output(text: str) -> str:
    if not text.strip():
        return _paragraph(NOTHING, "faint")
    return f"<pre>{escape(visible(text))}</pre>"


def _diff(diff: str) -> str:
    if not diff.strip():
        return _paragraph("No difference.", "faint")
    lines = []
    for line in visible(diff).splitlines():
        tag = {"+": "ins", "-": "del"}.get(line[:1])
        shown = escape(line)
        lines.append(f"<{tag}>{shown}</{tag}>" if tag else shown)
    return f"<pre>{chr(10).join(lines)}</pre>"


def _folded(heading: str, inside: str, *, is_open: bool) -> str:
    state = " open" if is_open else ""
    return (
        f"<details{state}><summary>{escape(heading)}</summary>"
        f'<div class="inside">{inside}</div></details>'
    )


def _paragraph(text: str, look: str = "") -> str:
    marked = f' class="{look}"' if look else ""
    return f"<p{marked}>{escape(text)}</p>"
