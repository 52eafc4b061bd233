# message: The other blocks stay as they are
def mark_cache(blocks):
    return [{**b, "cache_control": {"type": "ephemeral"}} for b in blocks]
