"""The stand-in: what answers offline, in three layers.

Scripts first (``data/scripts``, the answers of a careful model, written by
hand), then fallback rules for what a learner types, then a plain reply that
says what it is. The stand-in reads only tagged blocks, the conversation and
the results of tools, never the text of a prompt.
"""
