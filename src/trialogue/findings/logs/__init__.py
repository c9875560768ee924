"""What a log of people's conversations says beside the verdict: waits, costs, calls, slices, worst dialogues, and blame."""
