# message: What is in start belongs to the result
def walk(
    links: list[tuple[str, str]], start: list[str], steps: int
) -> list[str]:
    graph: dict[str, set[str]] = {}
    for left, right in links:
        graph.setdefault(left, set()).add(right)
        graph.setdefault(right, set()).add(left)
    distance = {entity: 0 for entity in start}
    queue = list(distance)
    for entity in queue:
        if distance[entity] == steps:
            continue
        for other in graph[entity]:
            if other not in distance:
                distance[other] = distance[entity] + 1
                queue.append(other)
    return sorted(distance, key=lambda entity: (distance[entity], entity))
