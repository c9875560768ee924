"""Which systems are better: the answer, and the sections beside the league."""
