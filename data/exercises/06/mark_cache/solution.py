def mark_cache(blocks: list[dict]) -> list[dict]:
    last = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return [*blocks[:-1], last]
