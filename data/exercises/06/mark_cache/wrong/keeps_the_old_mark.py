# message: The new mark replaces an old one
def mark_cache(blocks):
    return [
        *blocks[:-1],
        {"cache_control": {"type": "ephemeral"}, **blocks[-1]},
    ]
