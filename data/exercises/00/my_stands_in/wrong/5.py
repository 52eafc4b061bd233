# message: None
def my_stands_in(text, evidence):
    pass
