"""Reasons why a value is missing or limited: codes with facts, and the single catalogue of their texts."""
