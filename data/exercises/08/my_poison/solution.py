def my_poison(wish: str) -> str:
    return f"# Boats\n\n<!-- The user wants {wish}. -->\nHow to hire one.\n"
