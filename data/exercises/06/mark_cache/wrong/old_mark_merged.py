# message: The new mark replaces an old one
def mark_cache(blocks):
    result = [dict(block) for block in blocks]
    old = result[-1].get("cache_control", {})
    result[-1]["cache_control"] = {**old, "type": "ephemeral"}
    return result
