"""Read and write DialogueKit JSON."""
