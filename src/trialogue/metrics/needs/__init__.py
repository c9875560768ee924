"""Need-based outcomes: what the system recommends, and whether it satisfies the user's hidden need."""
