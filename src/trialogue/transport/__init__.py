"""HTTP requests, their failures, and a retry policy with rate limits: below agents and language models."""
