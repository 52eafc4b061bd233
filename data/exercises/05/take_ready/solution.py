def take_ready(recalls: list) -> list:
    texts = []
    for recall in list(recalls):
        if not recall.done():
            continue
        recalls.remove(recall)
        if not recall.cancelled() and recall.exception() is None:
            texts += recall.result()
    return texts
