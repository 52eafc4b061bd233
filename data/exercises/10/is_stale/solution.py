def is_stale(done: bool, alive: bool, hours: float, lease: float) -> bool:
    return done or not alive or hours >= lease
