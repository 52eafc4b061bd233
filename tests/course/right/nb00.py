"""Right answers to the gaps of notebook 00, written from its text alone."""

import re


def memory_block(file: str, text: str) -> str:
    body = text.strip()
    if not body:
        return ""
    return (
        "<system-reminder>\n"
        "This is from your memory.\n"
        f'<memory file="{file}">\n'
        f"{body}\n"
        "</memory>\n"
        "</system-reminder>"
    )


def contains_evidence(text: str, evidence: str) -> bool:
    searched = " ".join(text.lower().split())
    wanted = " ".join(evidence.lower().split())
    pattern = r"(?<!\w)" + re.escape(wanted) + r"(?!\w)"
    return re.search(pattern, searched) is not None
