# message: The last block has the mark
def mark_cache(blocks):
    return [{**blocks[0], "cache_control": {"type": "ephemeral"}}, *blocks[1:]]
