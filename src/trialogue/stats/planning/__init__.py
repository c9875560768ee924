"""How much data a comparison needs."""
