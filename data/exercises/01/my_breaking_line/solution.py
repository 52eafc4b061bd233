def my_breaking_line(key: str) -> str:
    return f'{key}: "quotes are no part of a value"'
