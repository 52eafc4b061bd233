# message: what was read, divided by the sum
def cache_share(read, created, uncached):
    if read + created == 0:
        return 0.0
    return round(100 * read / (read + created), 1)
