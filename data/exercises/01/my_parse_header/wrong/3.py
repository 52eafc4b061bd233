# message: always there
def my_parse_header(text):
    return dict.fromkeys(("name", "description", "type", "body"), "")
