"""Tools that are offered to an agent and executed here: calls are bounded, and an error is a typed result, not a crash.

``toolbox`` executes calls, ``functions`` makes tools of Python functions, and ``options`` says which are offered.
"""
