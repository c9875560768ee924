"""The sample behind a verdict: what is suspicious in it, before anything is inferred.

Detectors here see texts, ids and who gave what; never the names of systems, and never the ratings.
"""
