"""Benchmarks: labelled sets and the metrics that judge a method on them; no method itself."""
