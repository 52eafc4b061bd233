# message: tokens are read
def my_unread_twin(request):
    return dict(request)
