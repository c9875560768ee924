"""Batches of dialogues: plan, workers, ledger."""
