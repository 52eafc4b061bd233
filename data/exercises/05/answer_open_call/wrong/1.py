# message: The id, the reason and the mark as an error all belong in the result
def answer_open_call(call: str, why: str) -> dict:
    return {"type": "tool_result", "tool_use_id": call, "content": why}
