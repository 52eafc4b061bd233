# message: one blank
import re


def my_stands_in(text, evidence):
    return bool(re.search(rf"\b{evidence}\b", text, re.IGNORECASE))
