"""CRSArena-Dial, its votes, and CRSArena-Eval with its run files."""
