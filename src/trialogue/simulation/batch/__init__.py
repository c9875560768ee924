"""Many dialogues: plan, workers, ledger."""
