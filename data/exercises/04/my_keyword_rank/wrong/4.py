# message: tabs.md
def my_keyword_rank(query, headers, limit):
    return []
