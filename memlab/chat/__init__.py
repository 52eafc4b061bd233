"""The chat without a screen: what the terminal's and the notebook's have in
common.

``talk`` turns what a person types into calls of the harness and shows what
comes back. ``commands`` has what begins with a slash, and ``dreams`` what is
done with dreams. ``screen`` says what each of the two screens has to offer,
and ``card`` is a memory as both show it.
"""
