# message: little words
def my_keyword_rank(query, headers, limit):
    words = query.lower().split()
    hits = [
        h for h in headers if any(w in h.description.lower() for w in words)
    ]
    return hits[:limit]
