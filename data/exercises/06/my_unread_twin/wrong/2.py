# message: no tokens are read
def my_unread_twin(request):
    return {**request, "messages": request["messages"][::-1]}
