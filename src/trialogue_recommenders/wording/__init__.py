"""Wording of the recommenders' utterances, for any domain."""
