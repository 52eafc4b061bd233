def my_two_holders(first: str, second: str, steps: list) -> list:
    looks = steps.index("look") + 1
    rest = len(steps) - looks
    return (
        [first] * looks + [second] * looks + [first] * rest + [second] * rest
    )
