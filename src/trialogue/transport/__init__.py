"""HTTP requests, their failures, and a retry policy with rate limits, used by agents and language models."""
