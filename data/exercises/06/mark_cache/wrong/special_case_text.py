# message: 'cache_control': {'type': 'ephemeral'}
def mark_cache(blocks):
    last = blocks[-1]
    marked = {
        "type": "text",
        "text": last["text"],
        "cache_control": {"type": "ephemeral"},
    }
    return [*blocks[:-1], marked]
