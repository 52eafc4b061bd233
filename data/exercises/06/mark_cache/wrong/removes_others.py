# message: The other blocks stay as they are
def mark_cache(blocks):
    bare = [
        {k: v for k, v in b.items() if k != "cache_control"} for b in blocks
    ]
    bare[-1]["cache_control"] = {"type": "ephemeral"}
    return bare
