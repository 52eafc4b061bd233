def my_flooding_line(queries: list[str], rivals: list[str]) -> str:
    return " ".join(queries).replace("?", "")
