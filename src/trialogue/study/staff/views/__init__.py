"""Views of staff, most of them Django's generic ones over ``base``."""
