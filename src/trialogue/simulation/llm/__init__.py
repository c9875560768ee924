"""Language models as simulated users, behind an OpenAI-compatible endpoint: their prompts, moves and kinds."""
