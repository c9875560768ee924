"""Agreement of measures with people."""
