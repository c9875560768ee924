"""Staff views, most of them Django's generic views based on ``staff.base``."""
