"""Language models as simulated users, behind an OpenAI-compatible endpoint: prompts, moves and kinds."""
