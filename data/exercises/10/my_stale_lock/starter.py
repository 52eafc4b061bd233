def my_stale_lock(lines: list) -> list:
    """Find the dead process that shuts others out: [its id, how often], [] if
    there is none.

    A line is a name and key=value pairs. Of interest: "process_started
    pid=41", "process_ended pid=41", and "gate_shut gate=lock holder=41", which
    is lost if 41 had ended by then. An id may be given again to a new process.
    At most one process is to blame. Other lines have other pairs, and the
    other gates have no holder.

    >>> my_stale_lock(["process_ended pid=41", "gate_shut gate=lock holder=41"])
    [41, 1]
    """
    raise NotImplementedError
