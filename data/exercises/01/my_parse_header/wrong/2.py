# message: a line may end in
import yaml


def my_parse_header(text):
    found = dict.fromkeys(("name", "description", "type", "body"), "")
    if not text.startswith("---"):
        return found
    _, head, body = text.replace("\r\n", "\n").split("---\n", 2)
    return found | yaml.safe_load(head) | {"body": body}
