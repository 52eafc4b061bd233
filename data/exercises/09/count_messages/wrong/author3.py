# message: expected
def count_messages(lines):
    return sum('"type": "user"' in line for line in lines)
