"""What several subjects run together: experiments with cached stages, reruns, the demo, scores alone, checks of data.

Nothing is imported here, so that simulation does not load the evaluation code.
"""
