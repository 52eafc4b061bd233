# message: Likely slip
def my_unread_twin(request):
    return {**request, "messages": request["messages"][::-1]}
