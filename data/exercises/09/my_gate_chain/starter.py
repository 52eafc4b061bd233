def my_gate_chain(look, limits: dict) -> str:
    """Name the first shut gate, "" if all are open; look at nothing after a
    shut one.

    look("toggles"): are dreams allowed? look("time"): hours since the last
    dream, None for never; look("throttle"): minutes since the last session
    scan, None for not yet; look("sessions"): how many since then;
    look("lock"): does someone hold it? In this order. limits has the least
    "time", "throttle" and "sessions" that open.

    >>> facts = {"toggles": True, "time": 3}
    >>> my_gate_chain(facts.get, {"time": 24, "throttle": 10, "sessions": 5})
    'time'
    """
    raise NotImplementedError
