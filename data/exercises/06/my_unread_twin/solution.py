def my_unread_twin(request: dict) -> dict:
    return {**request, "tools": request["tools"][::-1]}
