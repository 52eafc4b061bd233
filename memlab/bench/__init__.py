"""The prompt bench: change a prompt, ask labelled cases, and see what
changed, case by case.
"""
