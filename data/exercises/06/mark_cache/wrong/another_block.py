# message: not another block
def mark_cache(blocks):
    return [*blocks, {"cache_control": {"type": "ephemeral"}}]
