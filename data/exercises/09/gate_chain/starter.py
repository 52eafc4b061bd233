def gate_chain(gates: list, look) -> list:
    """Ask the gates up to the first shut one; return the state of each gate.

    In this example, the answers are in a dict, so look costs nothing:

    >>> def enough_hours(answer):
    ...     return answer >= 24
    >>> def enough_sessions(answer):
    ...     return answer >= 5
    >>> gates = [("time", enough_hours), ("sessions", enough_sessions)]
    >>> answers = {"time": 30, "sessions": 2}
    >>> gate_chain(gates, answers.__getitem__)
    [('time', 'open'), ('sessions', 'shut')]
    >>> answers = {"time": 3}
    >>> gate_chain(gates, answers.__getitem__)
    [('time', 'shut'), ('sessions', 'not asked')]
    """
    ...
