# message: A line with a tool_result does not count
def count_messages(lines):
    return sum('"type": "user"' in line for line in lines)
