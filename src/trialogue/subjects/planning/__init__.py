"""Power of planned studies and comparisons, by simulation with the report's own analysis.

A plan is drawn from a model with every variance component that the report estimates, and each simulated study goes through
the report's own analysis, so that plan and analysis cannot contradict each other.
"""
