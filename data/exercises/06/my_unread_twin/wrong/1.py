# message: the same tools
def my_unread_twin(request):
    return {**request, "tools": request["tools"][1:]}
