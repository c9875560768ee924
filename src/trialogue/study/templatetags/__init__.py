"""Filters of the study's templates."""
