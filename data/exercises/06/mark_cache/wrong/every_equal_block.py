# message: The other blocks stay as they are
def mark_cache(blocks):
    last = blocks[-1]
    return [
        {**b, "cache_control": {"type": "ephemeral"}} if b == last else b
        for b in blocks
    ]
