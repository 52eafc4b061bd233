"""Other ways to remember: one idea of each of several products, on one
history.
"""
