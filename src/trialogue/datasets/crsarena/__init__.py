"""CRSArena-Dial with its votes, and CRSArena-Eval with its run files."""
