"""Why a value is missing or limited: codes with facts, and the one catalogue of their texts."""
