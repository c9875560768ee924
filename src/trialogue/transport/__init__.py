"""HTTP requests, their failures, a retry policy with rate limits, and guarded calls of other people's code."""
