# message: The id, the reason and the mark as an error all belong in the result
def answer_open_call(call: str, why: str) -> dict:
    result = {"type": "tool_result", "tool_use_id": call, "content": why}
    if "error" in why.lower() or "ended" in why.lower():
        result["is_error"] = True
    return result
