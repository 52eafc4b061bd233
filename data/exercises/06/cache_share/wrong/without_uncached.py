# message: divided by the sum of all three
def cache_share(read, created, uncached):
    return round(100 * read / ((read + uncached) or 1), 1)
