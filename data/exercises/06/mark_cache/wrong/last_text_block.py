# message: The last block has the mark
def mark_cache(blocks):
    result = list(blocks)
    for i in reversed(range(len(result))):
        if result[i]["type"] == "text" or i == 0:
            result[i] = {**result[i], "cache_control": {"type": "ephemeral"}}
            break
    return result
